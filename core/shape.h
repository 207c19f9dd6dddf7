#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/topology.h"

namespace schedlab {

enum class MachineLevel : std::uint8_t { kNode, kPackage, kLlc, kCluster, kCore, kThread };

// So many objects of a level in each object of the level that stands before it.
struct LevelCount {
  MachineLevel level = MachineLevel::kThread;
  std::int64_t count = 1;
};

// The CPUs of a regular machine, numbered in order of its tree. Levels stand outermost first, each
// at most once. A missing one counts 1: a node or package outermost, an LLC outside of clusters and
// cores, a core around its threads; without clusters every core is its own. Fails with
// kInvalidArgument on a count below 1, or on more than kMaxCpus CPUs.
Result<std::vector<Cpu>> ExpandLevels(std::vector<LevelCount> levels);

// The shape that CpusFromShape() turns into `cpus`, if there is one.
std::optional<std::string> ShapeOf(std::span<const Cpu> cpus);

}  // namespace schedlab
