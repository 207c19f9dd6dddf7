#include "core/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/limits.h"
#include "core/topology_fault.h"

namespace schedlab {
namespace {

constexpr std::int32_t kLocalDistance = 10;
// Shorter periods would leave no time for anything else.
constexpr std::int64_t kMinHousekeepingNs = 100'000;

tl::unexpected<Error> Refuse(const Topology& topology, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("topology '{}': {}", topology.name, why));
}

// Every index from 0 to the largest must occur, and an inner one must lie in a single outer one.
Status CheckLevel(const Topology& topology, std::string_view level, std::int32_t Cpu::*inner,
                  std::int32_t Cpu::*outer) {
  std::map<std::int32_t, std::int32_t> parent;
  for (const Cpu& cpu : topology.cpus) {
    const auto [it, is_new] = parent.emplace(cpu.*inner, cpu.*outer);
    if (!is_new && it->second != cpu.*outer) {
      return Refuse(topology,
                    fmt::format("{} {} lies in two of the level above", level, it->first));
    }
  }
  if (parent.begin()->first != 0 ||
      parent.rbegin()->first != static_cast<std::int32_t>(parent.size()) - 1) {
    return Refuse(topology, fmt::format("{} numbers must run from 0 without gaps", level));
  }
  return {};
}

// A package lies in one node, or consists of whole nodes.
Status CheckPackages(const Topology& topology) {
  std::map<std::int32_t, std::set<std::int32_t>> nodes_of_package;
  std::map<std::int32_t, std::set<std::int32_t>> packages_of_node;
  for (const Cpu& cpu : topology.cpus) {
    nodes_of_package[cpu.package].insert(cpu.node);
    packages_of_node[cpu.node].insert(cpu.package);
  }
  for (const Cpu& cpu : topology.cpus) {
    if (nodes_of_package[cpu.package].size() > 1 && packages_of_node[cpu.node].size() > 1) {
      return Refuse(topology, fmt::format("package {} and node {} overlap without one lying in the "
                                          "other",
                                          cpu.package, cpu.node));
    }
  }
  return {};
}

Status CheckThreads(const Topology& topology) {
  std::map<std::int32_t, std::set<std::int32_t>> threads;
  for (const Cpu& cpu : topology.cpus) {
    if (!threads[cpu.core].insert(cpu.thread).second) {
      return Refuse(topology, fmt::format("core {} has two threads {}", cpu.core, cpu.thread));
    }
  }
  for (const auto& [core, numbers] : threads) {
    if (*numbers.begin() != 0 || *numbers.rbegin() + 1 != std::ssize(numbers)) {
      return Refuse(topology, fmt::format("threads of core {} must run from 0 without gaps", core));
    }
  }
  return {};
}

Status CheckCapacities(const Topology& topology) {
  for (std::size_t cpu = 0; cpu < topology.cpus.size(); ++cpu) {
    const std::int32_t capacity = topology.cpus[cpu].capacity;
    if (capacity < 1 || capacity > 1024) {
      return Refuse(topology, fmt::format("CPU {} has capacity {}; it must be from 1 to 1024", cpu,
                                          capacity));
    }
  }
  return {};
}

Status CheckDistance(const Topology& topology, std::size_t from, std::size_t to) {
  const std::int32_t distance = topology.node_distances[from][to];
  if (from == to) {
    if (distance == kLocalDistance) return {};
    return Refuse(topology, fmt::format("node {} is {} away from itself; that must be {}", from,
                                        distance, kLocalDistance));
  }
  if (distance <= kLocalDistance || distance > 255) {
    return Refuse(topology, fmt::format("node distance {} from {} to {} is outside of 11 to 255",
                                        distance, from, to));
  }
  const std::int32_t back = topology.node_distances[to][from];
  if (distance == back) return {};
  return Refuse(topology, fmt::format("node distance is {} from {} to {}, but {} back", distance,
                                      from, to, back));
}

Status CheckDistances(const Topology& topology) {
  std::set<std::int32_t> nodes;
  for (const Cpu& cpu : topology.cpus) nodes.insert(cpu.node);
  const std::size_t size = nodes.size();
  if (size > static_cast<std::size_t>(kMaxNodes)) {
    return Refuse(topology,
                  fmt::format("has {} nodes; it must have from 1 to {}", size, kMaxNodes));
  }
  bool is_square = topology.node_distances.size() == size;
  for (const auto& row : topology.node_distances) is_square = is_square && row.size() == size;
  if (!is_square) {
    return Refuse(topology,
                  fmt::format("node_distances must be {} rows of {} numbers", size, size));
  }
  for (std::size_t from = 0; from < size; ++from) {
    for (std::size_t to = 0; to < size; ++to) {
      if (Status s = CheckDistance(topology, from, to); !s) return s;
    }
  }
  return {};
}

Status CheckNumber(const Topology& topology, std::string_view name, std::int64_t value,
                   std::int64_t maximum) {
  if (value >= 0 && value <= maximum) return {};
  return Refuse(topology, fmt::format("{} = {} is outside of 0 to {}", name, value, maximum));
}

Status CheckCost(const Topology& topology, const CostField& field) {
  const std::int64_t maximum =
      field.member == &CostTable::smt_slowdown_permille ? 999 : 1'000'000'000;
  return CheckNumber(topology, fmt::format("cost {}", field.name), topology.costs.*field.member,
                     maximum);
}

Status CheckTick(const Topology& topology) {
  if (topology.tick_hz >= 1 && topology.tick_hz <= 10'000) return {};
  return Refuse(topology, fmt::format("tick_hz = {} is outside of 1 to 10000", topology.tick_hz));
}

Status CheckHousekeeping(const Topology& topology) {
  const std::int64_t period = topology.housekeeping_period_ns;
  if (period > 0 && period < kMinHousekeepingNs) {
    return Refuse(topology, fmt::format("housekeeping_period_ns = {} must be 0 or at least {}",
                                        period, kMinHousekeepingNs));
  }
  return CheckNumber(topology, "housekeeping_period_ns", period, kMaxSimulatedNs);
}

Status CheckTree(const Topology& topology) {
  if (topology.cpus.empty() || topology.cpus.size() > static_cast<std::size_t>(kMaxCpus)) {
    return Refuse(topology, fmt::format("has {} CPUs; it must have from 1 to {}",
                                        topology.cpus.size(), kMaxCpus));
  }
  struct Nesting {
    std::string_view level;
    std::int32_t Cpu::*inner;
    std::int32_t Cpu::*outer;
  };
  for (const Nesting& one :
       {Nesting{"node", &Cpu::node, &Cpu::node}, Nesting{"package", &Cpu::package, &Cpu::package},
        Nesting{"llc", &Cpu::llc, &Cpu::node}, Nesting{"llc", &Cpu::llc, &Cpu::package},
        Nesting{"cluster", &Cpu::cluster, &Cpu::llc}, Nesting{"core", &Cpu::core, &Cpu::cluster}}) {
    if (Status s = CheckLevel(topology, one.level, one.inner, one.outer); !s) return s;
  }
  if (Status s = CheckPackages(topology); !s) return s;
  if (Status s = CheckThreads(topology); !s) return s;
  return CheckCapacities(topology);
}

}  // namespace

std::int32_t NearestNodeDistance(const Topology& topology) {
  std::int32_t nearest = 0;
  for (std::size_t i = 0; i < topology.node_distances.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::int32_t distance = topology.node_distances[i][j];
      nearest = nearest == 0 ? distance : std::min(nearest, distance);
    }
  }
  return nearest;
}

std::int64_t RemoteCost(std::int64_t same_node_ns, std::int64_t remote_ns, std::int32_t distance,
                        std::int32_t nearest) {
  if (remote_ns <= same_node_ns) return remote_ns;
  return same_node_ns +
         (remote_ns - same_node_ns) * (distance - kLocalDistance) / (nearest - kLocalDistance);
}

std::optional<TopologyFault> FindFault(const Topology& topology) {
  if (Status s = CheckTree(topology); !s) return TopologyFault{"cpus", s.error()};
  if (Status s = CheckDistances(topology); !s) return TopologyFault{"node_distances", s.error()};
  for (const CostField& field : kCostFields) {
    if (Status s = CheckCost(topology, field); !s) return TopologyFault{field.name, s.error()};
  }
  if (Status s = CheckTick(topology); !s) return TopologyFault{"tick_hz", s.error()};
  if (Status s = CheckHousekeeping(topology); !s) {
    return TopologyFault{"housekeeping_period_ns", s.error()};
  }
  return std::nullopt;
}

Status Validate(const Topology& topology) {
  std::optional<TopologyFault> fault = FindFault(topology);
  if (!fault) return {};
  return Fail(std::move(fault->error));
}

}  // namespace schedlab
