#include "sim/fair/domains.h"

#include <algorithm>
#include <map>
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

// Groups of a level are shared by all the CPUs that see them: found by their first CPU.
struct Domains::Builder {
  const Machine& machine;
  Domains& out;
  std::map<std::pair<Level, CpuNumber>, Group*> groups;

  std::vector<CpuNumber> Span(CpuNumber cpu, LevelKey key) const {
    const std::vector<Cpu>& cpus = machine.topology_cpus();
    const std::int32_t own = key(cpus[static_cast<std::size_t>(cpu)]);
    std::vector<CpuNumber> span;
    for (CpuNumber other = 0; other < machine.cpu_count(); ++other) {
      if (key(cpus[static_cast<std::size_t>(other)]) == own) span.push_back(other);
    }
    return span;
  }

  Group* GroupOf(Level level, const std::vector<CpuNumber>& cpus) {
    Group*& group = groups[{level, cpus.front()}];
    if (group == nullptr) {
      group = &out.groups_.emplace_back();
      group->cpus = cpus;
      group->set = CpuSet::Of(machine.cpu_count(), cpus);
      group->busy_cpu_count = static_cast<std::int32_t>(cpus.size());
      for (const CpuNumber cpu : cpus) group->power += out.PowerOf(cpu);
    }
    return group;
  }

  // The groups of a domain are the spans of the level below, starting with the one of `cpu`.
  void AddGroups(Domain& domain, CpuNumber cpu, LevelKey below) {
    std::vector<CpuNumber> order = domain.span;
    std::rotate(order.begin(), std::find(order.begin(), order.end(), cpu), order.end());
    CpuSet grouped(machine.cpu_count());
    for (const CpuNumber member : order) {
      if (grouped.Contains(member)) continue;
      std::vector<CpuNumber> cpus = {member};
      if (below != nullptr) cpus = Span(member, below);
      for (const CpuNumber together : cpus) grouped.Add(together);
      domain.groups.push_back(GroupOf(domain.parameters.level, cpus));
    }
  }

  std::vector<Domain> DomainsOf(CpuNumber cpu) {
    std::vector<Domain> domains;
    LevelKey below = nullptr;
    std::size_t below_size = 1;
    for (const auto& [level, key] : kLevels) {
      std::vector<CpuNumber> span = Span(cpu, key);
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
      domain.span = std::move(span);
      AddGroups(domain, cpu, below);
      below = key;
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
  Builder builder{machine, *this, {}};
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
