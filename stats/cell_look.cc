#include "stats/cell_look.h"

#include <algorithm>
#include <utility>

#include "stats/bound_tests.h"
#include "stats/hodges_lehmann.h"

namespace schedlab::stats {
namespace {

TwoSamples ViewOf(const ComparisonInput& cell) {
  return {.baseline = cell.baseline, .candidate = cell.candidate};
}

RunCounts CountsOf(const ComparisonInput& cell) {
  return {.baseline = static_cast<std::int64_t>(cell.baseline.size()),
          .candidate = static_cast<std::int64_t>(cell.candidate.size())};
}

std::optional<NoiseHistory> HistoryOn(Scale scale, const ComparisonInput& cell) {
  return scale == Scale::kLogarithmic ? cell.history : std::nullopt;
}

OutlyingRuns FindOutlying(const ComparisonInput& cell) {
  const ScaledSamples scaled = ScaleSamples(ViewOf(cell));
  const std::optional<NoiseHistory> history = HistoryOn(scaled.scale, cell);
  return cell.is_paired ? FindOutlyingPairs(scaled.View(), history)
                        : FindOutlyingRuns(scaled.View(), history);
}

RunCounts Fewer(const RunCounts& a, const RunCounts& b) {
  return {.baseline = std::min(a.baseline, b.baseline),
          .candidate = std::min(a.candidate, b.candidate)};
}

RunCounts MissingOf(const RunCounts& wanted, const RunCounts& present) {
  return {.baseline = std::max<std::int64_t>(0, wanted.baseline - present.baseline),
          .candidate = std::max<std::int64_t>(0, wanted.candidate - present.candidate)};
}

std::int64_t WithRepeats(std::int64_t planned, std::size_t outlying_count) {
  const std::int64_t most_repeats = (planned + 3) / 4;
  return planned + std::min(static_cast<std::int64_t>(outlying_count), most_repeats);
}

Result<MeanDifference> DifferenceOf(const ScaledSamples& scaled, const ComparisonInput& cell,
                                    const std::optional<NoiseHistory>& history) {
  return cell.is_paired ? MeanOfDifferences(scaled.View(), history)
                        : DifferenceOfMeans(scaled.View(), history);
}

double EstimateOf(const ScaledSamples& scaled, const ComparisonInput& cell) {
  return cell.is_paired ? HodgesLehmannOfPairs(scaled.View(), cell.confidence_level)->estimate
                        : HodgesLehmannShift(scaled.View());
}

double PChanged(const ScaledSamples& scaled, const ComparisonInput& cell,
                const MeanDifference& difference, const LookTest& change) {
  // Without noise the change is what it is, and one on the bound is not beyond it.
  if (!(difference.standard_error > 0)) {
    return change.p_worse == 1 && change.p_better == 1 ? 0 : 1;
  }
  const Interval bounds = BoundsOf(scaled.scale, cell.minimum_effect);
  const double estimate = EstimateOf(scaled, cell);
  if (!(estimate >= bounds.low && estimate <= bounds.high)) return 1;
  const GuardedTest test{.scaled = scaled,
                         .difference = difference,
                         .is_paired = cell.is_paired,
                         .level = (1 - cell.confidence_level) / 2};
  const double p_high = test.PValue(bounds.high, Alternative::kLess);
  if (p_high > test.level) return p_high;
  return std::max(p_high, test.PValue(bounds.low, Alternative::kGreater));
}

}  // namespace

LookRuns AllRuns(const ComparisonInput& cell) {
  return {.used = CountsOf(cell), .missing = {}, .outlying = FindOutlying(cell)};
}

LookRuns RunsForLook(const ComparisonInput& cell, std::int64_t planned) {
  const RunCounts present = CountsOf(cell);
  if (present.baseline == 0 || present.candidate == 0) {
    return {.used = {}, .missing = MissingOf({planned, planned}, present), .outlying = {}};
  }
  RunCounts wanted{.baseline = planned, .candidate = planned};
  // Further runs can move the median and make others outlying, and never end more than a quarter
  // above the plan.
  while (true) {
    const RunCounts used = Fewer(wanted, present);
    OutlyingRuns outlying = FindOutlying(Truncate(cell, used));
    const RunCounts next{
        .baseline = std::max(wanted.baseline, WithRepeats(planned, outlying.baseline.size())),
        .candidate = std::max(wanted.candidate, WithRepeats(planned, outlying.candidate.size()))};
    if (next == wanted || Fewer(next, present) != next) {
      return {.used = used, .missing = MissingOf(next, present), .outlying = std::move(outlying)};
    }
    wanted = next;
  }
}

ComparisonInput Truncate(const ComparisonInput& cell, const RunCounts& counts) {
  ComparisonInput first = cell;
  first.baseline.resize(static_cast<std::size_t>(counts.baseline));
  first.candidate.resize(static_cast<std::size_t>(counts.candidate));
  return first;
}

std::optional<HistoryCheck> CheckHistory(const ComparisonInput& cell) {
  const ScaledSamples scaled = ScaleSamples(ViewOf(cell));
  const std::optional<NoiseHistory> history = HistoryOn(scaled.scale, cell);
  if (!history) return std::nullopt;
  const VarianceEstimate runs =
      cell.is_paired ? VarianceOfDifferences(scaled.View()) : PooledVariance(scaled.View());
  if (!(runs.degrees_of_freedom > 0)) return std::nullopt;
  return HistoryCheck{.runs = runs, .history = *history};
}

LookTest TestLook(const ComparisonInput& cell, double level) {
  const ScaledSamples scaled = ScaleSamples(ViewOf(cell));
  const Result<MeanDifference> difference =
      DifferenceOf(scaled, cell, HistoryOn(scaled.scale, cell));
  // The sides are sound, so what is missing is the noise.
  if (!difference) return {};
  const GuardedTest test{
      .scaled = scaled, .difference = *difference, .is_paired = cell.is_paired, .level = level};
  const Interval bounds = BoundsOf(scaled.scale, cell.minimum_effect);
  const double p_up = test.PValue(bounds.high, Alternative::kGreater);
  const double p_down = test.PValue(bounds.low, Alternative::kLess);
  const bool is_up_worse = cell.direction == Direction::kLowerIsBetter;
  LookTest look{.p_worse = is_up_worse ? p_up : p_down, .p_better = is_up_worse ? p_down : p_up};
  look.p_changed = PChanged(scaled, cell, *difference, look);
  return look;
}

}  // namespace schedlab::stats
