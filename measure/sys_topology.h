#pragma once

#include <filesystem>
#include <vector>

#include "core/result.h"
#include "core/topology.h"

namespace schedlab::measure {

// The CPUs of a machine and what they share, as its /sys tells.
struct SysTopology {
  std::vector<Cpu> cpus;
  std::vector<std::vector<std::int32_t>> node_distances;
  std::vector<std::int32_t> os_indexes;  // by our CPU number: the kernel's number, ascending
};

// Reads the online CPUs below `root`, which is "/sys" or a copy of it. kNotFound names the file
// that is missing, kInvalidArgument the one that makes no sense.
Result<SysTopology> ReadSysTopology(const std::filesystem::path& root);

}  // namespace schedlab::measure
