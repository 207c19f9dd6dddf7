#include "ingest/hwloc_synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/limits.h"
#include "core/shape.h"
#include "ingest/synthetic_indexes.h"
#include "ingest/synthetic_levels.h"

namespace schedlab::ingest {
namespace {

bool HasType(const std::vector<SyntheticLevel>& levels, SyntheticType type) {
  return std::any_of(levels.begin(), levels.end(),
                     [type](const SyntheticLevel& level) { return level.type == type; });
}

// What a level is to the simulator; nothing for one that only multiplies. Caches inside of a core
// belong to it.
std::optional<MachineLevel> LevelOf(const std::vector<SyntheticLevel>& levels, std::size_t i) {
  const auto end = levels.begin() + static_cast<std::ptrdiff_t>(i);
  const bool is_in_core = std::any_of(levels.begin(), end, [](const SyntheticLevel& level) {
    return level.type == SyntheticType::kCore;
  });
  switch (levels[i].type) {
    case SyntheticType::kPackage:
      return MachineLevel::kPackage;
    case SyntheticType::kNode:
      return MachineLevel::kNode;
    case SyntheticType::kL3:
      if (is_in_core) return std::nullopt;
      return MachineLevel::kLlc;
    case SyntheticType::kL2:
      if (is_in_core) return std::nullopt;
      return HasType(levels, SyntheticType::kL3) ? MachineLevel::kCluster : MachineLevel::kLlc;
    case SyntheticType::kCore:
      return MachineLevel::kCore;
    case SyntheticType::kCpu:
      return MachineLevel::kThread;
    case SyntheticType::kUntyped:
    case SyntheticType::kGroup:
    case SyntheticType::kDie:
    case SyntheticType::kL1:
    case SyntheticType::kOtherCache:
      return std::nullopt;
  }
  return std::nullopt;
}

// Collects levels for ExpandLevels(): one that means nothing multiplies the next one that does.
class LevelList {
 public:
  void Multiply(std::int64_t count) {
    pending_ = std::min<std::int64_t>(pending_ * count, kMaxCpus + 1);
  }
  void Add(MachineLevel level) {
    if (Has(level)) return;
    levels_.push_back({level, pending_});
    pending_ = 1;
  }
  bool Has(MachineLevel level) const {
    return std::any_of(levels_.begin(), levels_.end(),
                       [level](const LevelCount& one) { return one.level == level; });
  }
  std::vector<LevelCount> Take() { return std::move(levels_); }

 private:
  std::vector<LevelCount> levels_;
  std::int64_t pending_ = 1;
};

// Levels that a machine has though the text leaves them out.
void AddInner(MachineLevel level, LevelList& list) {
  const bool is_innermost = level == MachineLevel::kCore || level == MachineLevel::kThread;
  if (is_innermost && !list.Has(MachineLevel::kLlc)) {
    list.Add(MachineLevel::kLlc);  // takes the count: a cache for each core
  }
  if (level == MachineLevel::kThread && !list.Has(MachineLevel::kCore)) {
    list.Add(MachineLevel::kCore);  // takes the count: a core for each CPU
  }
}

// The innermost memory is that of the CPUs.
std::optional<std::size_t> InnermostNode(const SyntheticMachine& machine) {
  std::optional<std::size_t> innermost;
  for (const AttachedNode& node : machine.attached) {
    innermost = std::max(innermost.value_or(0), node.level_count);
  }
  return innermost;
}

std::vector<LevelCount> MachineLevels(const SyntheticMachine& machine) {
  const std::optional<std::size_t> node_after = InnermostNode(machine);
  LevelList list;
  for (std::size_t i = 0; i < machine.levels.size(); ++i) {
    if (node_after == i) list.Add(MachineLevel::kNode);
    list.Multiply(machine.levels[i].count);
    const std::optional<MachineLevel> level = LevelOf(machine.levels, i);
    if (!level) continue;
    AddInner(*level, list);
    list.Add(*level);
  }
  if (node_after == machine.levels.size()) list.Add(MachineLevel::kNode);
  return list.Take();
}

std::vector<SyntheticLevel> OuterLevels(const SyntheticMachine& machine, std::size_t count) {
  return {machine.levels.begin(), machine.levels.begin() + static_cast<std::ptrdiff_t>(count)};
}

// The numbers of nodes; empty where they are numbered in the order of the tree. Of several memories
// at one place, the first is that of the CPUs.
Result<std::vector<std::int32_t>> AttachedNodeNumbers(const SyntheticMachine& machine) {
  const std::optional<std::size_t> innermost = InnermostNode(machine);
  std::vector<std::int32_t> node_numbers;
  bool is_first = true;
  for (const AttachedNode& node : machine.attached) {
    const bool is_used = is_first && innermost == node.level_count;
    if (is_used) is_first = false;
    if (node.indexes.empty()) continue;
    std::vector<SyntheticLevel> levels = OuterLevels(machine, node.level_count);
    levels.push_back({SyntheticType::kNode, "numa", 1, ""});
    Result<std::vector<std::int32_t>> numbers = ExpandIndexes(node.indexes, levels);
    if (!numbers) return numbers;
    if (is_used) node_numbers = std::move(*numbers);
  }
  return node_numbers;
}

// Checks the indexes of all levels, though only those of CPUs and nodes mean anything here.
Status ApplyIndexes(const SyntheticMachine& machine, std::vector<DescribedCpu>& cpus) {
  Result<std::vector<std::int32_t>> node_numbers = AttachedNodeNumbers(machine);
  if (!node_numbers) return Fail(node_numbers.error());
  for (std::size_t i = 0; i < machine.levels.size(); ++i) {
    const SyntheticLevel& level = machine.levels[i];
    if (level.indexes.empty()) continue;
    const Result<std::vector<std::int32_t>> numbers =
        ExpandIndexes(level.indexes, OuterLevels(machine, i + 1));
    if (!numbers) return Fail(numbers.error());
    if (level.type == SyntheticType::kNode) node_numbers = *numbers;
    if (level.type != SyntheticType::kCpu) continue;
    for (std::size_t cpu = 0; cpu < cpus.size(); ++cpu) cpus[cpu].os_index = (*numbers)[cpu];
  }
  if (node_numbers->empty()) return {};
  for (DescribedCpu& cpu : cpus) cpu.node = (*node_numbers)[static_cast<std::size_t>(cpu.node)];
  return {};
}

std::vector<DescribedCpu> Describe(const std::vector<Cpu>& cpus, bool has_packages) {
  std::vector<DescribedCpu> described;
  for (const Cpu& cpu : cpus) {
    described.push_back({.os_index = static_cast<std::int32_t>(described.size()),
                         .node = cpu.node,
                         .package = has_packages ? cpu.package + 1 : 0,
                         .llc = cpu.llc,
                         .cluster = cpu.cluster,
                         .core = cpu.core});
  }
  return described;
}

}  // namespace

Result<ImportedTopology> TopologyFromHwlocSynthetic(std::string_view text,
                                                    const ImportOptions& options) {
  const Result<SyntheticMachine> machine = ParseSyntheticMachine(text);
  if (!machine) return Fail(machine.error());
  const Result<std::vector<Cpu>> cpus = ExpandLevels(MachineLevels(*machine));
  if (!cpus) {
    return Fail(cpus.error().code, "hwloc synthetic string: has " + cpus.error().message);
  }
  DescribedMachine described;
  described.description =
      fmt::format("{} CPUs, imported from an hwloc synthetic string", cpus->size());
  described.cpus = Describe(*cpus, HasType(machine->levels, SyntheticType::kPackage));
  if (Status s = ApplyIndexes(*machine, described.cpus); !s) return Fail(s.error());
  if (machine->attached.size() > 1) {
    described.notes.push_back(fmt::format(
        "left out: {} NUMA nodes a level that are no CPU's nearest", machine->attached.size() - 1));
  }
  return Assemble(std::move(described), options);
}

}  // namespace schedlab::ingest
