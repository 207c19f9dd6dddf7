#include "sim/fair/domains.h"

#include <algorithm>
#include <map>
#include <utility>

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kSmtCorePower = 1178;  // smt_gain: two threads do a little more than one
constexpr std::int64_t kFullPower = 1024;
// What a NODE level took before levels followed distances (SD_NODES_PER_DOMAIN).
constexpr std::size_t kMaxNodesPerDomain = 16;

// One level of the machine: which CPUs are together in it, from the view of each.
struct MachineLevel {
  Level level = Level::kCpu;
  std::int32_t node_distance = 10;
  // What CPUs are found by: those of equal key see the same span.
  std::int32_t (*key)(const Cpu& cpu);
  std::map<std::int32_t, std::vector<CpuNumber>> spans{};  // by key

  const std::vector<CpuNumber>& SpanOf(const Cpu& cpu) const { return spans.at(key(cpu)); }
};

std::int32_t CoreOf(const Cpu& cpu) { return cpu.core; }
std::int32_t LlcOf(const Cpu& cpu) { return cpu.llc; }
std::int32_t NodeOf(const Cpu& cpu) { return cpu.node; }

}  // namespace

class Domains::Builder {
 public:
  Builder(Domains& out, bool has_numa_levels)
      : machine_(out.machine_), cpus_(machine_.topology_cpus()), out_(out) {
    for (const auto& [level, key] : {std::pair(Level::kSmt, &CoreOf), std::pair(Level::kMc, &LlcOf),
                                     std::pair(Level::kCpu, &NodeOf)}) {
      AddLocalLevel(level, key);
    }
    if (!has_numa_levels) return;
    if (HasLevelPerDistance(out.switches_.domain_constants)) {
      AddDistanceLevels();
    } else {
      AddNodeLevels();
    }
  }

  std::vector<Domain> DomainsOf(CpuNumber cpu) {
    std::vector<Domain> domains;
    std::size_t below_size = 1;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const std::vector<CpuNumber>& span = levels_[i].SpanOf(At(cpu));
      const DomainParameters parameters = ParametersOf(out_.switches_, PlaceOf(i, span.size()));
      if (span.size() == below_size) {
        // The spans match, so the wish to spread passes down to the level that stays.
        if (!domains.empty() && parameters.prefers_siblings) {
          domains.back().parameters.prefers_siblings = true;
        }
        continue;
      }
      const bool has_child = !domains.empty();
      const bool child_shares = has_child && domains.back().parameters.shares_llc;
      Domain& domain = domains.emplace_back();
      domain.parameters = parameters;
      domain.interval_ms = parameters.min_interval_ms;
      domain.span = span;
      domain.set = CpuSet::Of(machine_.cpu_count(), span);
      AddGroups(domain, cpu, i, child_shares);
      below_size = span.size();
    }
    return domains;
  }

 private:
  const Cpu& At(CpuNumber cpu) const { return cpus_[static_cast<std::size_t>(cpu)]; }

  void AddLocalLevel(Level level, std::int32_t (*key)(const Cpu&)) {
    MachineLevel& added = levels_.emplace_back(MachineLevel{.level = level, .key = key});
    for (CpuNumber cpu = out_.online_.First(); cpu != kNoCpu;
         cpu = out_.online_.NextFrom(cpu + 1)) {
      added.spans[key(At(cpu))].push_back(cpu);
    }
  }

  std::vector<std::int32_t> OnlineNodes() const {
    std::vector<std::int32_t> nodes;
    for (const auto& [node, cpus] : levels_.back().spans) nodes.push_back(node);
    return nodes;
  }

  // A level on which each node sees those that `sees(from, to)` allows.
  template <class Sees>
  void AddNodeLevel(Level level, std::int32_t distance, const Sees& sees) {
    const MachineLevel node_level = levels_[kNodeLevel];
    MachineLevel added{.level = level, .node_distance = distance, .key = &NodeOf};
    for (const auto& [from, own_cpus] : node_level.spans) {
      std::vector<CpuNumber>& span = added.spans[from];
      for (const auto& [to, cpus] : node_level.spans) {
        if (sees(from, to)) span.insert(span.end(), cpus.begin(), cpus.end());
      }
      std::sort(span.begin(), span.end());
    }
    levels_.push_back(std::move(added));
  }

  void AddDistanceLevels() {
    const std::vector<std::int32_t> nodes = OnlineNodes();
    std::vector<std::int32_t> distances;
    for (const std::int32_t from : nodes) {
      for (const std::int32_t to : nodes) {
        if (from != to) distances.push_back(machine_.NodeDistance(from, to));
      }
    }
    std::sort(distances.begin(), distances.end());
    distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
    for (const std::int32_t distance : distances) {
      AddNodeLevel(Level::kNuma, distance, [&](std::int32_t from, std::int32_t to) {
        return from == to || machine_.NodeDistance(from, to) <= distance;
      });
    }
  }

  void AddNodeLevels() {
    const std::vector<std::int32_t> nodes = OnlineNodes();
    std::map<std::int32_t, std::vector<std::int32_t>> nearest;
    for (const std::int32_t from : nodes) {
      std::vector<std::int32_t>& near = nearest[from] = nodes;
      std::stable_sort(near.begin(), near.end(), [&](std::int32_t a, std::int32_t b) {
        return (a == from ? 0 : machine_.NodeDistance(from, a)) <
               (b == from ? 0 : machine_.NodeDistance(from, b));
      });
      near.resize(std::min(near.size(), kMaxNodesPerDomain));
    }
    AddNodeLevel(Level::kNuma, 20, [&](std::int32_t from, std::int32_t to) {
      const std::vector<std::int32_t>& near = nearest[from];
      return std::find(near.begin(), near.end(), to) != near.end();
    });
    AddNodeLevel(Level::kAllNodes, 20, [](std::int32_t, std::int32_t) { return true; });
  }

  LevelPlace PlaceOf(std::size_t level, std::size_t size) const {
    const auto has_less = [](const Cpu& cpu) { return cpu.capacity != 1024; };
    return {.level = levels_[level].level,
            .cpu_count = static_cast<std::int64_t>(size),
            .machine_cpu_count = machine_.cpu_count(),
            .node_distance = levels_[level].node_distance,
            .has_equal_capacities = std::none_of(cpus_.begin(), cpus_.end(), has_less)};
  }

  // Groups of the levels of nodes before 3.5 are the nodes themselves.
  std::size_t GroupLevelOf(std::size_t level) const {
    return levels_[level].level == Level::kAllNodes ? kNodeLevel : level - 1;
  }

  std::vector<CpuNumber> GroupSpan(std::size_t level, CpuNumber member) const {
    if (level == 0) return {member};
    return levels_[GroupLevelOf(level)].SpanOf(At(member));
  }

  std::int64_t GroupPower(const std::vector<CpuNumber>& cpus, bool child_shares) const {
    if (out_.switches_.group_capacity == GroupCapacity::kOneWhereShared && child_shares) {
      return kFullPower;
    }
    std::int64_t power = 0;
    for (const CpuNumber cpu : cpus) power += out_.PowerOf(cpu);
    return power;
  }

  // From 4.13 on only CPUs that see exactly these CPUs one level down balance for a group.
  CpuSet BalancersOf(std::size_t level, const std::vector<CpuNumber>& cpus) const {
    const bool is_own_view = out_.switches_.numa_groups == NumaGroups::kOwnCpu;
    CpuSet balancers(machine_.cpu_count());
    for (const CpuNumber cpu : cpus) {
      if (!is_own_view || GroupSpan(level, cpu) == cpus) balancers.Add(cpu);
    }
    return balancers;
  }

  // Shared by all the CPUs that see it: found by the view that it was built from.
  Group* GroupOf(std::size_t level, CpuNumber member, bool child_shares) {
    const std::int32_t view = level == 0 ? member : levels_[GroupLevelOf(level)].key(At(member));
    Group*& group = groups_[{level, view}];
    if (group == nullptr) {
      group = &out_.groups_.emplace_back();
      group->cpus = GroupSpan(level, member);
      group->set = CpuSet::Of(machine_.cpu_count(), group->cpus);
      group->balancers = BalancersOf(level, group->cpus);
      group->power = GroupPower(group->cpus, child_shares);
    }
    return group;
  }

  // Where a walk over the span of a domain of `cpu` starts that collects its groups. Groups that do
  // not overlap come out the same from everywhere.
  std::size_t WalkOffset(const Domain& domain, CpuNumber cpu) const {
    const auto own = std::find(domain.span.begin(), domain.span.end(), cpu);
    switch (out_.switches_.numa_groups) {
      case NumaGroups::kFirstCpu:
        return 0;
      case NumaGroups::kOwnCpu:
        return static_cast<std::size_t>(own - domain.span.begin());
    }
    return 0;
  }

  void AddGroups(Domain& domain, CpuNumber cpu, std::size_t level, bool child_shares) {
    const std::size_t offset = WalkOffset(domain, cpu);
    CpuSet grouped(machine_.cpu_count());
    for (std::size_t i = 0; i < domain.span.size(); ++i) {
      const CpuNumber member = domain.span[(offset + i) % domain.span.size()];
      if (grouped.Contains(member)) continue;
      Group* const group = GroupOf(level, member, child_shares);
      for (const CpuNumber together : group->cpus) grouped.Add(together);
      domain.groups.push_back(group);
    }
    // The local group is the first with this CPU in it; one of which this CPU is the first wins.
    const auto holds = [cpu](const Group* group) { return group->set.Contains(cpu); };
    const auto begins = [cpu](const Group* group) { return group->cpus.front() == cpu; };
    auto local = std::find_if(domain.groups.begin(), domain.groups.end(), holds);
    const auto led = std::find_if(domain.groups.begin(), domain.groups.end(), begins);
    const bool is_first_view = out_.switches_.numa_groups == NumaGroups::kFirstCpu;
    if (is_first_view && led != domain.groups.end()) local = led;
    std::rotate(domain.groups.begin(), local, domain.groups.end());
  }

  static constexpr std::size_t kNodeLevel = 2;

  const Machine& machine_;
  const std::vector<Cpu>& cpus_;
  Domains& out_;
  std::vector<MachineLevel> levels_;
  std::map<std::pair<std::size_t, std::int32_t>, Group*> groups_;
};

namespace {

void KeepCounters(const std::vector<Domain>& before, std::vector<Domain>& after) {
  for (Domain& domain : after) {
    const auto is_same = [&](const Domain& old) {
      return old.parameters.level == domain.parameters.level && old.span == domain.span;
    };
    const auto old = std::find_if(before.begin(), before.end(), is_same);
    if (old == before.end()) continue;
    domain.passes = old->passes;
    domain.active_count = old->active_count;
    domain.active_failed = old->active_failed;
    domain.active_pushed = old->active_pushed;
    domain.wakeups_remote = old->wakeups_remote;
    domain.wakeups_moved_affine = old->wakeups_moved_affine;
  }
}

}  // namespace

namespace {

int LlcLevelOf(const std::vector<Domain>& domains) {
  int level = -1;
  for (std::size_t i = 0; i < domains.size(); ++i) {
    if (domains[i].parameters.shares_llc) level = static_cast<int>(i);
  }
  return level;
}

}  // namespace

Domains::Domains(const Machine& machine, const Switches& switches)
    : machine_(machine),
      switches_(switches),
      online_(machine.AllCpus()),
      domains_(machine.topology_cpus().size()),
      llc_levels_(machine.topology_cpus().size(), -1) {
  std::map<std::int32_t, std::int64_t> threads;
  for (const Cpu& cpu : machine.topology_cpus()) ++threads[cpu.core];
  // Kernels that know group types take every thread for a whole CPU.
  const bool counts_threads = switches.group_capacity != GroupCapacity::kOneWhereShared &&
                              switches.classification < Classification::kGroupTypes;
  for (const Cpu& cpu : machine.topology_cpus()) {
    const std::int64_t thread_count = threads[cpu.core];
    const std::int64_t power =
        counts_threads && thread_count > 1 ? kSmtCorePower / thread_count : kFullPower;
    has_unequal_capacities_ = has_unequal_capacities_ || cpu.capacity != kFullPower;
    full_power_.push_back(std::max<std::int64_t>(1, power * cpu.capacity / kFullPower));
  }
  power_ = full_power_;
  Rebuild(online_);
}

void Domains::Rebuild(const CpuSet& online) {
  had_removal_ = had_removal_ || online.Count() < machine_.cpu_count();
  online_ = online;
  groups_.clear();
  const bool loses_numa = had_removal_ && switches_.hotplug_domains == HotplugDomains::kWithoutNuma;
  Builder builder(*this, !loses_numa);
  for (CpuNumber cpu = 0; cpu < machine_.cpu_count(); ++cpu) {
    std::vector<Domain> rebuilt;
    if (online_.Contains(cpu)) rebuilt = builder.DomainsOf(cpu);
    std::vector<Domain>& domains = Of(cpu);
    KeepCounters(domains, rebuilt);
    domains = std::move(rebuilt);
    llc_levels_[static_cast<std::size_t>(cpu)] = LlcLevelOf(domains);
    for (Domain& domain : domains) domain.own_probes_ns = machine_.ProbesCost(cpu, domain.span);
  }
}

Domain* Domains::LowestWith(CpuNumber cpu, CpuNumber other) {
  std::vector<Domain>& domains = Of(cpu);
  const auto holds = [other](const Domain& domain) { return domain.set.Contains(other); };
  const auto found = std::find_if(domains.begin(), domains.end(), holds);
  return found == domains.end() ? nullptr : &*found;
}

}  // namespace schedlab::sim::fair
