#include "sim/fair/domains.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kSmtCorePower = 1178;  // smt_gain: two threads do a little more than one

// Levels in order. Two CPUs are together in a level where the key is equal.
using LevelKey = std::int32_t (*)(const Cpu& cpu);
constexpr std::array<std::pair<Level, LevelKey>, 4> kLevels = {{
    {Level::kSmt, [](const Cpu& cpu) { return cpu.core; }},
    {Level::kMc, [](const Cpu& cpu) { return cpu.llc; }},
    {Level::kCpu, [](const Cpu& cpu) { return cpu.node; }},
    {Level::kNuma, [](const Cpu& /*cpu*/) { return 0; }},
}};

DomainParameters ParametersOf(Level level, std::int64_t weight) {
  switch (level) {
    case Level::kSmt:
      return {.level = level,
              .max_interval_ms = 2,
              .imbalance_pct = 110,
              .cache_nice_tries = 0,
              .shares_llc = true};
    case Level::kMc:
      return {.level = level, .busy_index = 2, .shares_llc = true};
    case Level::kCpu:
      return {.level = level, .busy_index = 2, .idle_index = 1, .prefers_siblings = true};
    case Level::kNuma:
      return {.level = level,
              .min_interval_ms = weight,
              .max_interval_ms = 2 * weight,
              .busy_factor = 32,
              .cache_nice_tries = 2,
              .busy_index = 3,
              .idle_index = 2};
  }
  return {};
}

}  // namespace

// Spans and groups are the same for all the CPUs that see them: built once.
struct Domains::Builder {
  Builder(const Machine& from, Domains& to) : machine(from), out(to) {
    for (std::size_t level = 0; level < kLevels.size(); ++level) {
      groups[level].resize(machine.topology_cpus().size());
      for (CpuNumber cpu = 0; cpu < machine.cpu_count(); ++cpu) {
        spans[level][KeyOf(cpu, level)].push_back(cpu);
      }
    }
  }

  const Machine& machine;
  Domains& out;
  std::array<std::map<std::int32_t, std::vector<CpuNumber>>, kLevels.size()> spans;  // by key
  std::array<std::vector<Group*>, kLevels.size()> groups;  // of a level, by their first CPU

  std::int32_t KeyOf(CpuNumber cpu, std::size_t level) const {
    return kLevels[level].second(machine.topology_cpus()[static_cast<std::size_t>(cpu)]);
  }

  const std::vector<CpuNumber>& Span(CpuNumber cpu, std::size_t level) const {
    return spans[level].at(KeyOf(cpu, level));
  }

  Group* GroupOf(std::size_t level, std::span<const CpuNumber> cpus) {
    Group*& group = groups[level][static_cast<std::size_t>(cpus.front())];
    if (group == nullptr) {
      group = &out.groups_.emplace_back();
      group->cpus.assign(cpus.begin(), cpus.end());
      group->set = CpuSet::Of(machine.cpu_count(), group->cpus);
      group->busy_cpu_count = static_cast<std::int32_t>(cpus.size());
      for (const CpuNumber cpu : cpus) group->power += out.PowerOf(cpu);
    }
    return group;
  }

  // The groups of a domain are the spans of the level below, starting with the one of `cpu`.
  void AddGroups(Domain& domain, CpuNumber cpu, std::size_t level,
                 std::optional<std::size_t> below) {
    const auto own = std::find(domain.span.begin(), domain.span.end(), cpu);
    const auto offset = static_cast<std::size_t>(own - domain.span.begin());
    CpuSet grouped(machine.cpu_count());
    for (std::size_t i = 0; i < domain.span.size(); ++i) {
      const CpuNumber& member = domain.span[(offset + i) % domain.span.size()];
      if (grouped.Contains(member)) continue;
      std::span<const CpuNumber> cpus(&member, 1);
      if (below) cpus = Span(member, *below);
      for (const CpuNumber together : cpus) grouped.Add(together);
      domain.groups.push_back(GroupOf(level, cpus));
    }
  }

  std::vector<Domain> DomainsOf(CpuNumber cpu) {
    std::vector<Domain> domains;
    std::optional<std::size_t> below;
    std::size_t below_size = 1;
    for (std::size_t i = 0; i < kLevels.size(); ++i) {
      const Level level = kLevels[i].first;
      const std::vector<CpuNumber>& span = Span(cpu, i);
      const auto size = static_cast<std::int64_t>(span.size());
      if (span.size() == below_size) {
        // The spans match, so the wish to spread passes down to the level that stays.
        if (!domains.empty() && ParametersOf(level, size).prefers_siblings) {
          domains.back().parameters.prefers_siblings = true;
        }
        continue;
      }
      Domain& domain = domains.emplace_back();
      domain.parameters = ParametersOf(level, size);
      domain.interval_ms = domain.parameters.min_interval_ms;
      domain.set = CpuSet::Of(machine.cpu_count(), span);
      domain.span = span;
      AddGroups(domain, cpu, i, below);
      below = i;
      below_size = domain.span.size();
    }
    return domains;
  }
};

Domains::Domains(const Machine& machine) {
  std::map<std::int32_t, std::int64_t> threads;
  for (const Cpu& cpu : machine.topology_cpus()) ++threads[cpu.core];
  for (const Cpu& cpu : machine.topology_cpus()) {
    const std::int64_t thread_count = threads[cpu.core];
    const std::int64_t power = thread_count > 1 ? kSmtCorePower / thread_count : 1024;
    power_.push_back(std::max<std::int64_t>(1, power * cpu.capacity / 1024));
  }
  Builder builder(machine, *this);
  for (CpuNumber cpu = 0; cpu < machine.cpu_count(); ++cpu) {
    domains_.push_back(builder.DomainsOf(cpu));
  }
}

int Domains::LlcLevel(CpuNumber cpu) const {
  const std::vector<Domain>& domains = Of(cpu);
  int level = -1;
  for (std::size_t i = 0; i < domains.size(); ++i) {
    if (domains[i].parameters.shares_llc) level = static_cast<int>(i);
  }
  return level;
}

}  // namespace schedlab::sim::fair
