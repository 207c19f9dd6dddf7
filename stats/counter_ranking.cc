#include "stats/counter_ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "stats/comparison.h"
#include "stats/effect.h"
#include "stats/false_discovery.h"

namespace schedlab::stats {
namespace {

constexpr double kFalseDiscoveryRate = 0.05;

double PooledMean(const Comparison& comparison) {
  const auto total = [](const Summary& side) {
    return static_cast<double>(side.count) * side.mean;
  };
  return (total(comparison.baseline) + total(comparison.candidate)) /
         static_cast<double>(comparison.baseline.count + comparison.candidate.count);
}

// The runs' distance from their side's median, both sides together: a change adds nothing to it.
double RobustNoise(const CounterSamples& counter, const Comparison& comparison) {
  std::vector<double> residuals;
  for (const double value : counter.baseline) {
    residuals.push_back(value - comparison.baseline.median);
  }
  for (const double value : counter.candidate) {
    residuals.push_back(value - comparison.candidate.median);
  }
  const double noise = RobustStddev(residuals, 0);
  if (!counter.is_count) return noise;
  // The standard deviation of a Poisson count: from 3 events to none is no infinite effect.
  return std::max(noise, std::sqrt(std::max(PooledMean(comparison), 0.0)));
}

CounterMove MakeMove(const CounterSamples& counter, const Comparison& comparison) {
  CounterMove move;
  move.name = counter.name;
  move.baseline = comparison.baseline;
  move.candidate = comparison.candidate;
  if (comparison.baseline.median != 0) move.relative_change = comparison.relative_change;
  move.effect_in_sd = EffectInSd(comparison.candidate.median - comparison.baseline.median,
                                 RobustNoise(counter, comparison));
  return move;
}

// The size of a relative change in which doubling and halving are equal, and a change from 0 is
// larger than any other.
double SizeOf(const std::optional<double>& relative_change) {
  if (!relative_change) return HUGE_VAL;
  return std::abs(*relative_change > -1 ? std::log1p(*relative_change) : HUGE_VAL);
}

bool MovedFurther(const CounterMove& a, const CounterMove& b) {
  const auto key = [](const CounterMove& move) {
    return std::tuple(-std::abs(move.effect_in_sd), -SizeOf(move.relative_change),
                      -std::abs(move.candidate.mean - move.baseline.mean));
  };
  return std::tuple(key(a), std::string_view(a.name)) <
         std::tuple(key(b), std::string_view(b.name));
}

}  // namespace

Result<std::vector<CounterMove>> RankCounters(std::span<const CounterSamples> counters) {
  std::vector<CounterMove> moves;
  std::vector<double> p_values;
  for (const CounterSamples& counter : counters) {
    if (counter.baseline.empty() || counter.candidate.empty()) continue;
    const Result<Comparison> comparison =
        Compare({.baseline = counter.baseline, .candidate = counter.candidate});
    if (!comparison) {
      return Fail(comparison.error().code,
                  fmt::format("counter {}: {}", counter.name, comparison.error().message));
    }
    moves.push_back(MakeMove(counter, *comparison));
    p_values.push_back(std::min(1.0, 2 * std::min(comparison->p_worse, comparison->p_better)));
  }
  p_values = AdjustForFalseDiscovery(p_values);
  for (std::size_t i = 0; i < moves.size(); ++i) moves[i].adjusted_p = p_values[i];
  std::erase_if(moves, [](const CounterMove& move) {
    return move.adjusted_p > kFalseDiscoveryRate || move.effect_in_sd == 0;
  });
  std::sort(moves.begin(), moves.end(), MovedFurther);
  return moves;
}

}  // namespace schedlab::stats
