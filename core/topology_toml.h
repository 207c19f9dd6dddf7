#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/toml.h"
#include "core/topology.h"

namespace schedlab {

// Reads a topology as the files of catalog/topologies/ write it, and refuses unknown keys. What is
// wrong is recorded in `reader`; then the value is of no use. The CPUs are either a `shape`
// (CpusFromShape()) or rows of `cpus`: [node, package, llc, cluster, core, thread, capacity].
Topology ReadTopology(TomlReader& reader);

// The same of a whole file; `file` stands in errors, which are kInvalidArgument.
Result<Topology> TopologyFromToml(std::string_view text, std::string_view file);

// A file that TopologyFromToml() reads as an equal topology. Requires: `topology` is valid and its
// name and description are UTF-8.
std::string ToToml(const Topology& topology);

}  // namespace schedlab
