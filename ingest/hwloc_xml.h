#pragma once

#include <cstddef>
#include <string_view>

#include "core/result.h"
#include "ingest/imported_topology.h"

namespace schedlab::ingest {

inline constexpr std::size_t kMaxHwlocXmlBytes = 16'777'216;

// The machine in an XML export of hwloc 2 or later (lstopo --of xml). Its last-level caches are the
// L3 caches, or the L2 where a CPU has no L3; cores under one L2 or in one group of subtype
// Cluster, below an L3, are a cluster; a CPU belongs to the smallest NUMA node that has it, and
// nodes without CPUs are left out, as are CPUs that are offline or not allowed. Distances are those
// of the first matrix of latencies between NUMA nodes. Capacities are those of cpukind elements.
// Entities are not expanded and nothing is fetched. kInvalidArgument: the text is no such XML or is
// beyond a limit; the message names the element.
Result<ImportedTopology> TopologyFromHwlocXml(std::string_view text, const ImportOptions& options);

}  // namespace schedlab::ingest
