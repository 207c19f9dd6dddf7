#include "stats/drift.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "stats/run_series.h"
#include "stats/summary.h"

namespace schedlab::stats {
namespace {

// "Strong" in the scale of Kass and Raftery (1995): a step is not called a drift for less.
constexpr double kStrongEvidence = 6;

// Ends of a drift that are tried in the segment on each side.
constexpr std::size_t kEndsPerSide = 16;

// Sums over the measured points of a series, so that any line is fitted in constant time.
struct Sums {
  double count = 0;
  double x = 0;
  double xx = 0;
  double y = 0;
  double yy = 0;
  double xy = 0;

  void Add(double at, double value) {
    count += 1;
    x += at;
    xx += at * at;
    y += value;
    yy += value * value;
    xy += at * value;
  }
  // As if all its points were at one place.
  Sums At(double at) const {
    return {.count = count, .x = count * at, .xx = count * at * at, .y = y, .yy = yy, .xy = y * at};
  }
  Sums Plus(const Sums& other, double sign) const {
    return {.count = count + sign * other.count,
            .x = x + sign * other.x,
            .xx = xx + sign * other.xx,
            .y = y + sign * other.y,
            .yy = yy + sign * other.yy,
            .xy = xy + sign * other.xy};
  }
  double SpreadAboutMean() const { return count > 0 ? std::max(0.0, yy - y * y / count) : 0; }
  double Slope() const {
    const double spread = xx - x * x / count;
    return spread > 0 ? (xy - x * y / count) / spread : 0;
  }
  double SpreadAboutLine() const {
    return std::max(0.0, SpreadAboutMean() - Slope() * (xy - x * y / count));
  }
};

// Places are counted in measured points.
class DriftSearch {
 public:
  DriftSearch(const RunSeries& series, std::span<const ChangePoint> change_points)
      : series_(series), change_points_(change_points) {
    std::size_t point = 0;
    for (const ChangePoint& change : change_points) {
      while (series.index_of(point) < change.index) ++point;
      places_.push_back(point);
    }
    places_.insert(places_.begin(), 0);
    places_.push_back(series.point_count());
    const std::span<const double> all =
        series.values(PointRange{.begin = 0, .end = series.point_count()});
    const double center = Median(all);
    sums_.emplace_back();
    for (point = 0; point < series.point_count(); ++point) {
      double value = 0;
      for (const double run : series.values(point)) value += run - center;
      sums_.push_back(sums_.back());
      sums_.back().Add(static_cast<double>(point),
                       value / static_cast<double>(series.values(point).size()));
    }
  }

  SeriesAnalysis Run() const {
    SeriesAnalysis analysis;
    for (std::size_t first = 0; first < change_points_.size();) {
      const std::size_t end = EndOfDirection(first);
      std::size_t next = end;
      Drift drift;
      // The longest drift that begins here.
      while (next > first && (drift = BestDrift(first, next)).evidence < kStrongEvidence) --next;
      if (next > first) {
        analysis.drifts.push_back(drift);
        first = next;
      } else {
        analysis.change_points.push_back(change_points_[first++]);
      }
    }
    return analysis;
  }

 private:
  bool IsRise(std::size_t i) const { return change_points_[i].relative_change > 0; }

  std::size_t EndOfDirection(std::size_t first) const {
    std::size_t end = first + 1;
    while (end < change_points_.size() && IsRise(end) == IsRise(first)) ++end;
    return end;
  }

  Sums Between(std::size_t begin, std::size_t end) const {
    return sums_[end].Plus(sums_[begin], -1);
  }

  // What the steps [first, end) leave, with the segments on both sides.
  double SpreadOfSteps(std::size_t first, std::size_t end) const {
    double spread = 0;
    for (std::size_t i = first; i <= end; ++i) {
      spread += Between(places_[i], places_[i + 1]).SpreadAboutMean();
    }
    return spread;
  }

  // A level up to `from`, a line, and a level from `to` on.
  Sums Straightened(std::size_t begin, std::size_t from, std::size_t to, std::size_t end) const {
    return Between(begin, from)
        .At(static_cast<double>(from))
        .Plus(Between(from, to), 1)
        .Plus(Between(to, end).At(static_cast<double>(to)), 1);
  }

  // Change points [first, end) as one drift.
  Drift BestDrift(std::size_t first, std::size_t end) const {
    const std::size_t begin = places_[first];
    const std::size_t last_begin = places_[end];
    const std::size_t stop = places_[end + 1];
    const std::size_t first_step =
        std::max<std::size_t>(1, (places_[first + 1] - begin) / kEndsPerSide);
    const std::size_t last_step = std::max<std::size_t>(1, (stop - last_begin) / kEndsPerSide);
    double least = std::numeric_limits<double>::infinity();
    std::size_t best_from = begin;
    std::size_t best_to = stop - 1;
    for (std::size_t from = begin; from < places_[first + 1]; from += first_step) {
      for (std::size_t to = stop - 1; to >= last_begin && to > from;
           to -= std::min(to, last_step)) {
        const double spread = Straightened(begin, from, to, stop).SpreadAboutLine();
        if (spread < least) {
          least = spread;
          best_from = from;
          best_to = to;
        }
        if (to == 0) break;
      }
    }
    return Describe({.begin = begin, .end = stop}, {.begin = best_from, .end = best_to},
                    {.steps = SpreadOfSteps(first, end), .drift = least}, end - first);
  }

  struct Spreads {
    double steps = 0;
    double drift = 0;
  };

  Drift Describe(PointRange seen, PointRange moving, const Spreads& spreads,
                 std::size_t step_count) const {
    // Levels, places and the ends of the drift; the noise is common.
    const double step_parameters = 2 * static_cast<double>(step_count) + 1;
    constexpr double kDriftParameters = 4;
    const auto count = static_cast<double>(seen.size());
    const double floor = series_.resolution() * series_.resolution() * count;
    Drift drift;
    drift.evidence =
        count * std::log(std::max(spreads.steps, floor) / std::max(spreads.drift, floor)) +
        (step_parameters - kDriftParameters) * std::log(count);
    drift.range = {.first = series_.index_of(moving.begin), .last = series_.index_of(moving.end)};
    const double slope = Straightened(seen.begin, moving.begin, moving.end, seen.end).Slope();
    drift.relative_change =
        series_.RelativeOf(slope * static_cast<double>(moving.end - moving.begin), seen);
    drift.relative_per_point =
        drift.relative_change / static_cast<double>(drift.range.last - drift.range.first);
    return drift;
  }

  const RunSeries& series_;
  std::span<const ChangePoint> change_points_;
  std::vector<std::size_t> places_;  // of the segments' begins, and the end
  std::vector<Sums> sums_;           // of the points before
};

}  // namespace

Result<SeriesAnalysis> AnalyzeSeries(std::span<const SeriesPoint> series,
                                     const DetectorOptions& options) {
  const Result<std::vector<ChangePoint>> change_points = DetectChangePoints(series, options);
  if (!change_points) return Fail(change_points.error());
  if (change_points->empty()) return SeriesAnalysis{};
  const Result<RunSeries> runs = RunSeries::Make(series);
  if (!runs) return Fail(runs.error());
  return DriftSearch(*runs, *change_points).Run();
}

}  // namespace schedlab::stats
