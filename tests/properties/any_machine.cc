#include "tests/properties/any_machine.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "sim/random_stream.h"
#include "tests/support/topologies.h"

namespace schedlab::properties {
namespace {

using sim::RandomStream;

// Each level takes a factor of what is left of the number of CPUs.
std::string AnyShape(RandomStream& random) {
  constexpr std::array<std::string_view, 6> kInner = {"", "", "l3", "cluster", "core", "pu"};
  std::array<std::string_view, 6> levels = kInner;
  const bool package_first = random.OneIn1000(500);
  levels[0] = package_first ? "package" : "numa";
  levels[1] = package_first ? "numa" : "package";
  std::int64_t room = random.OneIn1000(150) ? 64 : 16;
  std::string shape;
  for (const std::string_view level : levels) {
    if (level != "core" && random.OneIn1000(600)) continue;
    const std::int64_t most = level == "pu" ? 2 : level == "core" ? 8 : 4;
    const std::int64_t count = 1 + random.Below(std::min(room, most));
    room /= count;
    shape += fmt::format("{}{}:{}", shape.empty() ? "" : " ", level, count);
  }
  return shape;
}

// Nodes are alike, or some farther away than others.
void SetDistances(RandomStream& random, Topology& topology) {
  if (random.OneIn1000(500)) return;
  auto& distances = topology.node_distances;
  for (std::size_t from = 0; from < distances.size(); ++from) {
    for (std::size_t to = from + 1; to < distances.size(); ++to) {
      distances[from][to] = static_cast<std::int32_t>(11 + random.Below(30));
      distances[to][from] = distances[from][to];
    }
  }
}

// Cores of one cache are as fast as one another.
void SetCapacities(RandomStream& random, Topology& topology) {
  if (!random.OneIn1000(200)) return;
  std::vector<std::int32_t> of_cache;
  for (Cpu& cpu : topology.cpus) {
    while (of_cache.size() <= static_cast<std::size_t>(cpu.llc)) {
      of_cache.push_back(static_cast<std::int32_t>(256 + random.Below(769)));
    }
    cpu.capacity = of_cache[static_cast<std::size_t>(cpu.llc)];
  }
}

// Those that were added later are drawn from a stream of their own: all else that a seed stands for
// is as it was before them.
void SetCosts(RandomStream& random, std::uint64_t seed, CostTable& costs) {
  RandomStream added(seed, "added costs");
  const bool has_added = added.OneIn1000(500);
  for (const CostField& field : kCostFields) {
    if (field.is_added && !has_added) continue;
    RandomStream& stream = field.is_added ? added : random;
    costs.*(field.member) = stream.Below(std::int64_t{1} << stream.Below(13));
  }
  costs.smt_slowdown_permille = random.Below(600);
}

}  // namespace

Topology AnyTopology(std::uint64_t seed) {
  RandomStream random(seed, "machine");
  constexpr std::array kTickRates = {100, 250, 300, 1000};
  Topology topology = testing::FreeTopology(AnyShape(random));
  SetDistances(random, topology);
  SetCapacities(random, topology);
  if (random.OneIn1000(700)) SetCosts(random, seed, topology.costs);
  topology.tick_hz = kTickRates[static_cast<std::size_t>(random.Below(4))];
  if (random.OneIn1000(500)) topology.housekeeping_period_ns = 4'000'000 * (1 + random.Below(100));
  return topology;
}

std::vector<HotplugEvent> AnyHotplug(std::uint64_t seed, std::int32_t cpu_count,
                                     sim::SimDuration end) {
  RandomStream random(seed, "hotplug");
  std::vector<HotplugEvent> events;
  std::vector<bool> is_online(static_cast<std::size_t>(cpu_count), true);
  std::int64_t online_count = cpu_count;
  const std::int64_t pace = 1'000'000 * (1 + random.Below(40));
  for (std::int64_t at = 1 + random.Below(pace); at < end.count(); at += 1 + random.Below(pace)) {
    const auto cpu = static_cast<std::int32_t>(random.Below(cpu_count));
    const auto index = static_cast<std::size_t>(cpu);
    if (is_online[index] && online_count == 1) continue;
    is_online[index] = !is_online[index];
    online_count += is_online[index] ? 1 : -1;
    events.push_back({.at_ns = at, .cpu = cpu, .is_online = is_online[index]});
  }
  for (std::int32_t cpu = 0; cpu < cpu_count; ++cpu) {
    if (is_online[static_cast<std::size_t>(cpu)]) continue;
    events.push_back({.at_ns = end.count(), .cpu = cpu, .is_online = true});
  }
  return events;
}

std::vector<IrqSource> AnyIrqSources(std::uint64_t seed, std::int32_t cpu_count) {
  RandomStream random(seed, "interrupts");
  std::vector<IrqSource> sources;
  for (std::int32_t cpu = 0; cpu < cpu_count; ++cpu) {
    if (!random.OneIn1000(300)) continue;
    const std::int64_t period = 100'000 + random.Below(5'000'000);
    sources.push_back(
        {.cpu = cpu, .period_ns = period, .duration_ns = 1 + random.Below(period / 2)});
  }
  return sources;
}

}  // namespace schedlab::properties
