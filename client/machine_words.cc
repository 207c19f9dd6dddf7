#include "client/machine_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

namespace schedlab::client {
namespace {

std::string Counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::string MachineInWords(const Topology& topology) {
  std::set<std::int32_t> packages;
  std::set<std::int32_t> cores;
  for (const Cpu& cpu : topology.cpus) {
    packages.insert(cpu.package);
    cores.insert(cpu.core);
  }
  return fmt::format("{}, {}, {}, {}, tick {} Hz; {}", Counted(topology.cpus.size(), "CPU", "CPUs"),
                     Counted(cores.size(), "core", "cores"),
                     Counted(packages.size(), "package", "packages"),
                     Counted(topology.node_distances.size(), "NUMA node", "NUMA nodes"),
                     topology.tick_hz, topology.description);
}

}  // namespace schedlab::client
