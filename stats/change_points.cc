#include "stats/change_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>

#include "core/check.h"
#include "stats/effect.h"
#include "stats/false_discovery.h"
#include "stats/run_series.h"
#include "stats/segmentation.h"
#include "stats/series_noise.h"
#include "stats/split_test.h"

namespace schedlab::stats {
namespace {

// A change must last so many points, except at the newest one.
constexpr std::size_t kShortestSegment = 2;

// Below the usual 3 or 4: a candidate is cheap to refuse later, but is not found again.
constexpr double kPenaltyPerLogPoint = 2;

// The newest point alone is believed with no fewer runs.
constexpr std::size_t kFewestRunsAtEnd = 3;

// The rounds of estimating the noise, removing what it does not carry and moving what remains to
// its best place. Few series need more than three.
constexpr int kMostRounds = 8;

Status CheckRequest(std::span<const SeriesPoint> series, const DetectorOptions& options) {
  if (static_cast<std::int64_t>(series.size()) > kMostSeriesPoints) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the series has {} points, more than {}: leave out the oldest",
                            series.size(), kMostSeriesPoints));
  }
  if (!(options.minimum_effect >= 0 && std::isfinite(options.minimum_effect))) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the minimum effect {} is not a number >= 0", options.minimum_effect));
  }
  for (const double chance : {options.significance, options.location_confidence}) {
    if (!(chance > 0 && chance < 1)) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("the significance or confidence {} is not in (0, 1)", chance));
    }
  }
  return {};
}

// The mean of the runs without the quarter at each end, and without one at each end of 3: steadier
// than the median, and one wild run does not move it.
double CenterOf(std::span<const double> runs) {
  std::vector<double> sorted(runs.begin(), runs.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t trimmed = runs.size() < 3 ? 0 : std::max<std::size_t>(1, runs.size() / 4);
  double sum = 0;
  for (std::size_t i = trimmed; i < sorted.size() - trimmed; ++i) sum += sorted[i];
  return sum / static_cast<double>(sorted.size() - 2 * trimmed);
}

std::vector<double> CentersOf(const RunSeries& series) {
  std::vector<double> centers;
  for (std::size_t point = 0; point < series.point_count(); ++point) {
    centers.push_back(CenterOf(series.values(point)));
  }
  return centers;
}

// A division of a series while it is being reduced to the changes that the runs carry.
class Reduction {
 public:
  Reduction(const RunSeries& series, const DetectorOptions& options)
      : series_(series), options_(options) {}

  std::vector<ChangePoint> Run() {
    Propose();
    for (int round = 1;; ++round) {
      noise_ = EstimateNoise(series_, Divisions(), least_inflation_);
      const std::size_t count_before = candidates_.size();
      RemoveUnfounded();
      if (round == kMostRounds) break;
      const bool has_moved = MoveToBestSplits();
      if (candidates_.size() == count_before && !has_moved) break;
    }
    ConsiderNewestPoint();
    std::vector<ChangePoint> result;
    for (std::size_t i = 0; i < candidates_.size(); ++i) result.push_back(Describe(i));
    return result;
  }

  // Looks at a place as if it had been proposed. To be called after Run(), once. Requires: `at` is
  // a point and not the first.
  PlaceTest TestPlace(std::size_t at) {
    auto place = std::lower_bound(candidates_.begin(), candidates_.end(), at,
                                  [](const Candidate& one, std::size_t to) { return one.at < to; });
    if (place == candidates_.end() || place->at != at) {
      place = candidates_.insert(place, {.at = at, .p_value = 1, .change = {}});
      noise_ = EstimateNoise(series_, Divisions(), least_inflation_);
    }
    const auto i = static_cast<std::size_t>(place - candidates_.begin());
    Test(i);
    const Candidate& candidate = candidates_[i];
    PlaceTest test;
    test.before = *Summarize(series_.samples(SegmentBefore(i)));
    test.after = *Summarize(series_.samples(SegmentAfter(i)));
    // Test() leaves out the size of what is not sure.
    const RunSeries::Change change = series_.ChangeBetween(SegmentBefore(i), SegmentAfter(i));
    test.relative_change = change.relative;
    test.effect_in_sd = EffectInSd(change.shift, noise_.run_stddev);
    test.p_value = candidate.p_value;
    test.p_value_of_all = Corrected(ViewForTest(i).PValueOfAllPoints(at));
    const bool has_room = BothSegments(i).size() >= 2 * kShortestSegment;
    test.best_index =
        series_.index_of(has_room ? ViewForLocation(i).BestSplit(kShortestSegment) : at);
    test.is_newest = at + 1 == series_.point_count();
    test.run_count = static_cast<std::int64_t>(series_.values(at).size());
    test.run_count_asked = static_cast<std::int64_t>(RunsAskedOfNewest());
    test.is_beyond_earlier = IsBeyondEarlier(SegmentBefore(i).begin, at);
    return test;
  }

 private:
  struct Candidate {
    std::size_t at = 0;  // the first point of the new segment
    double p_value = 1;
    RunSeries::Change change;
  };

  void Propose() {
    const std::vector<double> centers = CentersOf(series_);
    const double noise = std::max(NoiseFromDifferences(centers), series_.resolution());
    const double penalty =
        kPenaltyPerLogPoint * std::log(static_cast<double>(centers.size())) * noise * noise;
    const std::vector<double> calm = WithoutSpikes(centers, noise);
    std::vector<std::size_t> divisions = Divide(calm, penalty, kShortestSegment);
    // Autocorrelated noise makes levels of its own, but differences show it all the same.
    least_inflation_ = InflationOf(AutocorrelationFromDifferences(centers, divisions));
    if (least_inflation_ > 1) {
      divisions = Divide(calm, penalty * least_inflation_, kShortestSegment);
    }
    for (const std::size_t at : divisions) {
      candidates_.push_back({.at = at, .p_value = 1, .change = {}});
    }
  }

  std::vector<std::size_t> Divisions() const {
    std::vector<std::size_t> divisions;
    for (const Candidate& candidate : candidates_) divisions.push_back(candidate.at);
    return divisions;
  }

  PointRange SegmentBefore(std::size_t i) const {
    return {.begin = i == 0 ? 0 : candidates_[i - 1].at, .end = candidates_[i].at};
  }

  PointRange SegmentAfter(std::size_t i) const {
    return {.begin = candidates_[i].at,
            .end = i + 1 == candidates_.size() ? series_.point_count() : candidates_[i + 1].at};
  }

  PointRange BothSegments(std::size_t i) const {
    return {.begin = SegmentBefore(i).begin, .end = SegmentAfter(i).end};
  }

  // In the measure of the noisier of the two segments.
  SeriesNoise NoiseAround(std::size_t i) const {
    SeriesNoise noise = noise_;
    for (const PointRange segment : {SegmentBefore(i), SegmentAfter(i)}) {
      noise.run_stddev =
          std::max(noise.run_stddev, SegmentStddev(series_, segment, noise_.run_stddev));
    }
    return noise;
  }

  // From the level that both segments would share without a change, so that few wild runs, capped,
  // cannot make a level of their own.
  LocalView ViewForTest(std::size_t i) const {
    const PointRange points = BothSegments(i);
    return {series_, points, Median(series_.values(points)), NoiseAround(i)};
  }

  // From the middle between the levels, where a point's side is decided.
  LocalView ViewForLocation(std::size_t i) const {
    const double before = Median(series_.values(SegmentBefore(i)));
    const double after = Median(series_.values(SegmentAfter(i)));
    return {series_, BothSegments(i), before + (after - before) / 2, NoiseAround(i)};
  }

  // Bonferroni over the places where the change might have been.
  double Corrected(double p_value) const {
    return std::min(1.0, p_value * static_cast<double>(series_.point_count() - 1));
  }

  void Test(std::size_t i) {
    candidates_[i].p_value = Corrected(ViewForTest(i).PValueOfSplit(candidates_[i].at));
    candidates_[i].change = {};
    // The size of a change that is not sure is never asked for, and takes longer than its test.
    if (IsUnsure(candidates_[i])) return;
    candidates_[i].change = series_.ChangeBetween(SegmentBefore(i), SegmentAfter(i));
  }

  // Benjamini and Hochberg's step-up rule over all places: with the weakest removed first, the
  // weakest of k must reach k times the level of a single one. Where nothing has changed the chance
  // to report anything stays the significance.
  bool IsUnsure(const Candidate& candidate) const {
    return candidate.p_value > static_cast<double>(candidates_.size()) * options_.significance;
  }

  bool IsUnfounded(const Candidate& candidate) const {
    return IsUnsure(candidate) || std::abs(candidate.change.relative) < options_.minimum_effect ||
           candidate.change.shift == 0;
  }

  void Remove(std::size_t i) {
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(i));
    if (i > 0) Test(i - 1);
    if (i < candidates_.size()) Test(i);
  }

  // The least founded candidate first, since its neighbours' segments grow by its removal.
  void RemoveUnfounded() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) Test(i);
    const auto is_less_founded = [&](const Candidate& a, const Candidate& b) {
      return std::tuple(IsUnfounded(a), a.p_value, -std::abs(a.change.shift)) <
             std::tuple(IsUnfounded(b), b.p_value, -std::abs(b.change.shift));
    };
    while (!candidates_.empty()) {
      const auto worst = std::max_element(candidates_.begin(), candidates_.end(), is_less_founded);
      if (!IsUnfounded(*worst)) return;
      Remove(static_cast<std::size_t>(worst - candidates_.begin()));
    }
  }

  bool MoveToBestSplits() {
    bool has_moved = false;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const std::size_t best = ViewForLocation(i).BestSplit(kShortestSegment);
      has_moved = has_moved || best != candidates_[i].at;
      candidates_[i].at = best;
    }
    return has_moved;
  }

  // As many as revisions have typically.
  std::size_t RunsAskedOfNewest() const {
    std::vector<std::size_t> run_counts;
    for (std::size_t point = 0; point < series_.point_count(); ++point) {
      run_counts.push_back(series_.values(point).size());
    }
    const auto middle = run_counts.begin() + static_cast<std::ptrdiff_t>(run_counts.size() / 2);
    std::nth_element(run_counts.begin(), middle, run_counts.end());
    return std::max(*middle, kFewestRunsAtEnd);
  }

  // Whether all runs of a point lie beyond all of those before it, down to `begin`.
  bool IsBeyondEarlier(std::size_t begin, std::size_t point) const {
    const std::span<const double> newest = series_.values(point);
    const std::span<const double> earlier = series_.values({.begin = begin, .end = point});
    const auto [least_earlier, most_earlier] = std::minmax_element(earlier.begin(), earlier.end());
    const auto [least_newest, most_newest] = std::minmax_element(newest.begin(), newest.end());
    return *least_newest > *most_earlier || *most_newest < *least_earlier;
  }

  bool NewestRunsAllDisagree(PointRange segment) const {
    return series_.values(segment.end - 1).size() >= RunsAskedOfNewest() &&
           IsBeyondEarlier(segment.begin, segment.end - 1);
  }

  void ConsiderNewestPoint() {
    const std::size_t begin = candidates_.empty() ? 0 : candidates_.back().at;
    const PointRange segment{.begin = begin, .end = series_.point_count()};
    if (segment.size() <= kShortestSegment || !NewestRunsAllDisagree(segment)) return;
    const SeriesNoise noise_without = noise_;
    candidates_.push_back({.at = segment.end - 1, .p_value = 1, .change = {}});
    noise_ = EstimateNoise(series_, Divisions(), least_inflation_);
    Test(candidates_.size() - 1);
    if (!IsUnfounded(candidates_.back())) return;
    candidates_.pop_back();
    noise_ = noise_without;
  }

  ChangePoint Describe(std::size_t i) const {
    const Candidate& candidate = candidates_[i];
    const PointRange before = SegmentBefore(i);
    const PointRange after = SegmentAfter(i);
    const PointRange located =
        ViewForLocation(i).LocateSplit(candidate.at, options_.location_confidence);
    ChangePoint point;
    point.index = series_.index_of(candidate.at);
    // Points between two that were measured, but were not themselves, may be the first one too.
    point.interval = {.first = series_.index_of(located.begin - 1) + 1,
                      .last = series_.index_of(located.end)};
    point.relative_change = candidate.change.relative;
    point.before = *Summarize(series_.samples(before));
    point.after = *Summarize(series_.samples(after));
    point.effect_in_sd = EffectInSd(candidate.change.shift, noise_.run_stddev);
    point.p_value = candidate.p_value;
    return point;
  }

  const RunSeries& series_;
  const DetectorOptions& options_;
  double least_inflation_ = 1;
  SeriesNoise noise_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Result<std::vector<ChangePoint>> DetectChangePoints(std::span<const SeriesPoint> series,
                                                    const DetectorOptions& options) {
  if (const Status status = CheckRequest(series, options); !status) return Fail(status.error());
  const Result<RunSeries> runs = RunSeries::Make(series);
  if (!runs) return Fail(runs.error());
  if (runs->point_count() < 2) return std::vector<ChangePoint>{};
  return Reduction(*runs, options).Run();
}

Result<PlaceExplanation> ExplainPlace(std::span<const SeriesPoint> series,
                                      const DetectorOptions& options, std::int64_t index) {
  if (const Status status = CheckRequest(series, options); !status) return Fail(status.error());
  if (index < 0 || index >= static_cast<std::int64_t>(series.size())) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the index {} is not in the series of {}", index, series.size()));
  }
  const Result<RunSeries> runs = RunSeries::Make(series);
  if (!runs) return Fail(runs.error());
  PlaceExplanation explanation;
  if (runs->point_count() < 2) return explanation;
  Reduction reduction(*runs, options);
  explanation.change_points = reduction.Run();
  for (std::size_t point = 1; point < runs->point_count(); ++point) {
    if (runs->index_of(point) == index) explanation.test = reduction.TestPlace(point);
  }
  return explanation;
}

std::vector<std::vector<double>> AdjustPValues(std::span<const std::vector<ChangePoint>> series) {
  std::vector<double> p_values;
  for (const std::vector<ChangePoint>& change_points : series) {
    for (const ChangePoint& change_point : change_points) p_values.push_back(change_point.p_value);
    if (change_points.empty()) p_values.push_back(1);
  }
  const std::vector<double> adjusted = AdjustForFalseDiscovery(p_values);

  std::vector<std::vector<double>> answer;
  auto next = adjusted.begin();
  for (const std::vector<ChangePoint>& change_points : series) {
    const auto count = static_cast<std::ptrdiff_t>(change_points.size());
    answer.emplace_back(next, next + count);
    next += std::max<std::ptrdiff_t>(count, 1);
  }
  return answer;
}

std::vector<std::vector<ChangePoint>> KeepDiscoveries(
    std::span<const std::vector<ChangePoint>> series, double false_discovery_rate) {
  SCHEDLAB_CHECK(false_discovery_rate > 0 && false_discovery_rate < 1);
  const std::vector<std::vector<double>> adjusted = AdjustPValues(series);
  std::vector<std::vector<ChangePoint>> kept(series.size());
  for (std::size_t i = 0; i < series.size(); ++i) {
    for (std::size_t j = 0; j < series[i].size(); ++j) {
      if (adjusted[i][j] <= false_discovery_rate) kept[i].push_back(series[i][j]);
    }
  }
  return kept;
}

std::string_view ToString(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kRegression:
      return "regression";
    case ChangeKind::kImprovement:
      return "improvement";
  }
  return "improvement";
}

ChangeKind ClassifyChange(Direction direction, double relative_change) {
  const double gain = direction == Direction::kHigherIsBetter ? relative_change : -relative_change;
  return gain < 0 ? ChangeKind::kRegression : ChangeKind::kImprovement;
}

}  // namespace schedlab::stats
