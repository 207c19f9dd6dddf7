#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "stats/summary.h"

namespace schedlab::stats {

struct CounterSamples {
  std::string name;
  // Whether the values are numbers of events: as such they vary by the root of their mean at least,
  // however equal a few runs happen to be.
  bool is_count = false;
  std::vector<double> baseline;
  std::vector<double> candidate;
};

// How far one counter moved with a change: what explains it, never a judgement of its own.
struct CounterMove {
  std::string name;
  Summary baseline;
  Summary candidate;
  std::optional<double> relative_change =
      std::nullopt;  // candidate / baseline - 1; absent from a baseline of 0
  // By robust standard deviations; see EffectInSd().
  double effect_in_sd = 0;
  double adjusted_p = 1;  // two-sided, adjusted over all the counters
};

// The counters that moved beyond their noise (false-discovery rate 5 %), the furthest first; equal
// effects by the logarithm of the ratio, then by the difference, then by name. A counter with an
// empty side is left out. kInvalidArgument, with the counter's name, for a value that is not
// finite.
Result<std::vector<CounterMove>> RankCounters(std::span<const CounterSamples> counters);

}  // namespace schedlab::stats
