#pragma once

#include <string_view>

#include "core/result.h"
#include "ingest/imported_topology.h"

namespace schedlab::ingest {

// The machine of an hwloc 2 synthetic string, as `lstopo --input` reads and `lstopo --of synthetic`
// writes it: "pack:2 [numa(memory=64GB)] l3:1(size=32MB) core:16 pu:2(indexes=core:pack)", "2 4 2".
// Levels are read as TopologyFromHwlocXml() reads objects; a last-level cache or core that has no
// level of its own is that of one core or CPU. kInvalidArgument: the text is none, or has a word,
// attribute or index that hwloc does not know; the message has it and its place.
Result<ImportedTopology> TopologyFromHwlocSynthetic(std::string_view text,
                                                    const ImportOptions& options);

}  // namespace schedlab::ingest
