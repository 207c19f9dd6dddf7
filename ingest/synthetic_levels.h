#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace schedlab::ingest {

enum class SyntheticType : std::uint8_t {
  kUntyped,
  kGroup,
  kPackage,
  kDie,
  kNode,
  kL1,
  kL2,
  kL3,
  kOtherCache,  // instruction caches, and levels 4 and 5
  kCore,
  kCpu
};

// The type that a text names: a prefix of at least two letters of its word in hwloc, in any case,
// or a cache ("l3", "L2Cache", "l1i"). kInvalidArgument names it.
Result<SyntheticType> ParseSyntheticType(std::string_view text);

// A level of a synthetic string: so many objects in each object of the level before it.
struct SyntheticLevel {
  SyntheticType type = SyntheticType::kUntyped;
  std::string word;  // as written, without attributes
  std::int64_t count = 1;
  std::string indexes;  // the attribute; empty where there is none
};

// Memory that stands in brackets, attached to each object of the level before it.
struct AttachedNode {
  std::size_t level_count = 0;  // levels that stand before it; 0 = the machine
  std::string indexes;
};

struct SyntheticMachine {
  std::vector<SyntheticLevel> levels;  // outermost first, all typed; the last is kCpu
  std::vector<AttachedNode> attached;
};

// Reads the whole string and gives levels without a type the one that hwloc gives them.
// kInvalidArgument: see TopologyFromHwlocSynthetic().
Result<SyntheticMachine> ParseSyntheticMachine(std::string_view text);

}  // namespace schedlab::ingest
