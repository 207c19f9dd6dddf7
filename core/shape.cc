#include "core/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/check.h"
#include "core/limits.h"

namespace schedlab {
namespace {

struct Word {
  std::string_view text;
  MachineLevel level;
  int depth;  // words of a shape stand in this order; equal ones in either
};
constexpr std::array<Word, 6> kWords = {{{"numa", MachineLevel::kNode, 0},
                                         {"package", MachineLevel::kPackage, 0},
                                         {"l3", MachineLevel::kLlc, 1},
                                         {"cluster", MachineLevel::kCluster, 2},
                                         {"core", MachineLevel::kCore, 3},
                                         {"pu", MachineLevel::kThread, 4}}};

bool Has(const std::vector<LevelCount>& levels, MachineLevel level) {
  return std::any_of(levels.begin(), levels.end(),
                     [level](const LevelCount& one) { return one.level == level; });
}

// Puts one `level` in front of the first of `inner` that there is.
void InsertMissing(std::vector<LevelCount>& levels, MachineLevel level,
                   std::initializer_list<MachineLevel> inner) {
  if (Has(levels, level)) return;
  const auto at = std::find_if(levels.begin(), levels.end(), [inner](const LevelCount& one) {
    return std::find(inner.begin(), inner.end(), one.level) != inner.end();
  });
  levels.insert(at, {level, 1});
}

void Complete(std::vector<LevelCount>& levels) {
  using enum MachineLevel;
  InsertMissing(levels, kThread, {});
  InsertMissing(levels, kCore, {kThread});
  InsertMissing(levels, kLlc, {kCluster, kCore, kThread});
  InsertMissing(levels, kPackage, {kLlc, kCluster, kCore, kThread});
  if (!Has(levels, kNode)) levels.insert(levels.begin(), {kNode, 1});
}

// CPUs below one object of each level, in the order of `levels`.
std::vector<std::int64_t> CpusBelow(const std::vector<LevelCount>& levels) {
  std::vector<std::int64_t> below(levels.size(), 1);
  for (std::size_t i = levels.size() - 1; i > 0; --i) below[i - 1] = below[i] * levels[i].count;
  return below;
}

void SetIndex(Cpu& cpu, MachineLevel level, std::int32_t index) {
  switch (level) {
    case MachineLevel::kNode:
      cpu.node = index;
      return;
    case MachineLevel::kPackage:
      cpu.package = index;
      return;
    case MachineLevel::kLlc:
      cpu.llc = index;
      return;
    case MachineLevel::kCluster:
      cpu.cluster = index;
      return;
    case MachineLevel::kCore:
      cpu.core = index;
      return;
    case MachineLevel::kThread:
      return;  // counts within its core, which ExpandLevels() knows
  }
}

Result<std::int64_t> CountCpus(const std::vector<LevelCount>& levels) {
  std::int64_t cpu_count = 1;
  for (const LevelCount& level : levels) {
    if (level.count < 1) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("a count of {}", level.count));
    }
    if (level.count > kMaxCpus || cpu_count * level.count > kMaxCpus) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("more than {} CPUs", kMaxCpus));
    }
    cpu_count *= level.count;
  }
  return cpu_count;
}

const Word* FindWord(std::string_view text) {
  const auto* found = std::find_if(kWords.begin(), kWords.end(),
                                   [text](const Word& word) { return word.text == text; });
  return found == kWords.end() ? nullptr : found;
}

Result<LevelCount> ParseLevel(std::string_view item, const Word*& last,
                              const std::vector<LevelCount>& earlier) {
  const std::size_t colon = item.find(':');
  const Word* word = FindWord(item.substr(0, colon));
  if (word == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("shape: unknown word '{}'; the words are numa, package, l3, cluster, "
                            "core and pu",
                            item.substr(0, colon)));
  }
  if ((last != nullptr && word->depth < last->depth) || Has(earlier, word->level)) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("shape: '{}' must stand once, and outer levels before inner ones", word->text));
  }
  last = word;
  const std::string_view digits =
      colon == std::string_view::npos ? std::string_view() : item.substr(colon + 1);
  std::int32_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc() || end != digits.data() + digits.size() || count < 1 ||
      count > kMaxCpus) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("shape: '{}' must be a word, a colon and a count from 1 to {}", item,
                            kMaxCpus));
  }
  return LevelCount{word->level, count};
}

// How many values an index has that counts from 0.
std::int32_t CountOf(std::span<const Cpu> cpus, std::int32_t Cpu::*index) {
  std::int32_t count = 0;
  for (const Cpu& cpu : cpus) count = std::max(count, cpu.*index + 1);
  return count;
}

std::string CandidateShape(std::span<const Cpu> cpus) {
  const std::int32_t nodes = CountOf(cpus, &Cpu::node);
  const std::int32_t packages = CountOf(cpus, &Cpu::package);
  const std::int32_t llcs = CountOf(cpus, &Cpu::llc);
  const std::int32_t clusters = CountOf(cpus, &Cpu::cluster);
  const std::int32_t cores = CountOf(cpus, &Cpu::core);
  SCHEDLAB_CHECK(nodes > 0 && packages > 0 && llcs > 0 && clusters > 0);
  std::string shape = packages >= nodes
                          ? fmt::format("numa:{} package:{}", nodes, packages / nodes)
                          : fmt::format("package:{} numa:{}", packages, nodes / packages);
  shape += fmt::format(" l3:{}", llcs / std::max(nodes, packages));
  if (clusters == cores)
    return shape + fmt::format(" core:{} pu:{}", cores / llcs,
                               cpus.size() / static_cast<std::size_t>(cores));
  return shape + fmt::format(" cluster:{} core:{} pu:{}", clusters / llcs, cores / clusters,
                             cpus.size() / static_cast<std::size_t>(cores));
}

}  // namespace

Result<std::vector<Cpu>> ExpandLevels(std::vector<LevelCount> levels) {
  Complete(levels);
  const Result<std::int64_t> cpu_count = CountCpus(levels);
  if (!cpu_count) return Fail(cpu_count.error());
  const std::vector<std::int64_t> below = CpusBelow(levels);
  const bool has_clusters = Has(levels, MachineLevel::kCluster);
  std::int64_t per_core = 1;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].level == MachineLevel::kCore) per_core = below[i];
  }
  std::vector<Cpu> cpus;
  for (std::int64_t number = 0; number < *cpu_count; ++number) {
    Cpu cpu{.thread = static_cast<std::int32_t>(number % per_core)};
    for (std::size_t i = 0; i < levels.size(); ++i) {
      SetIndex(cpu, levels[i].level, static_cast<std::int32_t>(number / below[i]));
    }
    if (!has_clusters) cpu.cluster = cpu.core;
    cpus.push_back(cpu);
  }
  return cpus;
}

Result<std::vector<Cpu>> CpusFromShape(std::string_view shape) {
  std::vector<LevelCount> levels;
  const Word* last = nullptr;
  std::size_t at = 0;
  while ((at = shape.find_first_not_of(' ', at)) != std::string_view::npos) {
    const std::size_t end = std::min(shape.find(' ', at), shape.size());
    const Result<LevelCount> level = ParseLevel(shape.substr(at, end - at), last, levels);
    if (!level) return Fail(level.error());
    levels.push_back(*level);
    at = end;
  }
  Result<std::vector<Cpu>> cpus = ExpandLevels(std::move(levels));
  if (!cpus) {
    return Fail(cpus.error().code, fmt::format("shape: '{}' has {}", shape, cpus.error().message));
  }
  return cpus;
}

std::optional<std::string> ShapeOf(std::span<const Cpu> cpus) {
  if (cpus.empty()) return std::nullopt;
  std::string shape = CandidateShape(cpus);
  const Result<std::vector<Cpu>> expanded = CpusFromShape(shape);
  if (!expanded || !std::equal(expanded->begin(), expanded->end(), cpus.begin(), cpus.end())) {
    return std::nullopt;
  }
  return shape;
}

}  // namespace schedlab
