#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/metric.h"
#include "core/result.h"
#include "stats/summary.h"

namespace schedlab::stats {

// The runs of one revision. Empty if it could not be measured: such a point is never the index of a
// change point, but may lie in its interval.
struct SeriesPoint {
  std::vector<double> samples;
  // How many times as much as other points' a run tells, as an inverse variance: that of a mean of
  // twice as many runs has 2. > 0.
  double weight = 1;
};

struct DetectorOptions {
  double minimum_effect = 0.01;  // relative: a smaller change is not reported
  // The chance to report anything in a series without a change. Of what is reported in one with
  // changes, at most this share is wrong, on average (Benjamini and Hochberg).
  double significance = 0.012;
  double location_confidence = 0.9;
};

// The longest series that is accepted.
inline constexpr std::int64_t kMostSeriesPoints = 20'000;

// Indices of the series, both ends included.
struct IndexInterval {
  std::int64_t first = 0;
  std::int64_t last = 0;

  friend bool operator==(const IndexInterval&, const IndexInterval&) = default;
};

struct ChangePoint {
  std::int64_t index = 0;      // the first point of the new segment
  IndexInterval interval;      // holds the true index with at least the location confidence
  double relative_change = 0;  // after / before - 1, by Hodges and Lehmann over the runs
  Summary before;              // over the runs of the segment that ends here
  Summary after;               // over the runs of the segment that begins here
  double effect_in_sd = 0;     // by robust standard deviations of one run; see EffectInSd()
  // Of "no change here", corrected for the choice of the place and, unless it is the newest
  // revision, without the revision that speaks loudest for it. With k change points in the series
  // it may be k times the significance.
  double p_value = 1;
};

// The change points of a series in revision order, by index. Works on logarithms if all samples are
// positive. A single run or a single revision apart from its neighbours is no change point; the
// newest revision alone is one if it has at least 3 runs, and as many as revisions have typically,
// and all lie beyond every earlier run of its segment.
// kInvalidArgument for a value that is not finite, options out of range or too long a series.
Result<std::vector<ChangePoint>> DetectChangePoints(std::span<const SeriesPoint> series,
                                                    const DetectorOptions& options);

// One place of a series as the detector sees it, whether it chose it or not: against the changes
// that it did find on both sides.
struct PlaceTest {
  Summary before;
  Summary after;
  double relative_change = 0;
  double effect_in_sd = 0;
  double p_value = 1;                // as that of a ChangePoint
  double p_value_of_all = 1;         // with the revision that speaks loudest, too
  std::int64_t best_index = 0;       // the best place between the same neighbours
  bool is_newest = false;            // the new segment would be the newest revision alone
  std::int64_t run_count = 0;        // of the revision
  std::int64_t run_count_asked = 0;  // of the newest revision alone
  bool is_beyond_earlier = false;    // every run lies beyond all runs of the segment before
};

struct PlaceExplanation {
  std::vector<ChangePoint> change_points;  // as from DetectChangePoints()
  std::optional<PlaceTest> test;           // absent where `index` or all before was not measured
};

// kInvalidArgument as for DetectChangePoints(), or for an index outside of the series.
Result<PlaceExplanation> ExplainPlace(std::span<const SeriesPoint> series,
                                      const DetectorOptions& options, std::int64_t index);

// The smallest false-discovery rate at which each change point of many series survives
// Benjamini-Hochberg over all of them; a series without change points counts as one hypothesis that
// was not rejected. The result has one list for each series.
std::vector<std::vector<double>> AdjustPValues(std::span<const std::vector<ChangePoint>> series);

// Keeps the change points of many series that survive at `false_discovery_rate`. The result has one
// list for each series. Requires: false_discovery_rate in (0, 1).
std::vector<std::vector<ChangePoint>> KeepDiscoveries(
    std::span<const std::vector<ChangePoint>> series, double false_discovery_rate);

enum class ChangeKind { kRegression, kImprovement };

// "regression" or "improvement".
std::string_view ToString(ChangeKind kind);

// A change point read with its metric's direction. No change at all is no regression.
ChangeKind ClassifyChange(Direction direction, double relative_change);

}  // namespace schedlab::stats
