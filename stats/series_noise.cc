#include "stats/series_noise.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "stats/summary.h"

namespace schedlab::stats {
namespace {

constexpr double kLargestAutocorrelation = 0.8;

// What the runs of a point are capped about: where they are enough, what they agree on.
double CenterOf(std::span<const double> runs, double level) {
  return runs.size() < kFewestRunsToAgree ? level : Median(runs);
}

double MeanOf(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double SquaresAbout(std::span<const double> values, double center) {
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  return squares;
}

// The runs of a segment as distances from its median, as large as they would be with a weight of 1.
std::vector<double> ResidualsOf(const RunSeries& series, PointRange segment) {
  const double median = Median(series.values(segment));
  std::vector<double> residuals;
  for (std::size_t point = segment.begin; point < segment.end; ++point) {
    const double scale = std::sqrt(series.weight(point));
    for (const double value : series.values(point)) residuals.push_back((value - median) * scale);
  }
  return residuals;
}

double RunStddev(const RunSeries& series, std::span<const PointRange> segments) {
  std::vector<double> residuals;
  for (const PointRange& segment : segments) {
    const std::vector<double> of_segment = ResidualsOf(series, segment);
    residuals.insert(residuals.end(), of_segment.begin(), of_segment.end());
  }
  const auto run_count = static_cast<double>(residuals.size());
  double stddev = RobustStddev(residuals, 0);
  // More than half of the runs equal their segment's median.
  if (!(stddev > 0)) stddev = std::sqrt(SquaresAbout(residuals, 0) / run_count);
  // Each segment's median has used up one run.
  const double free = std::max(1.0, run_count - static_cast<double>(segments.size()));
  return std::max(stddev * std::sqrt(run_count / free), series.resolution());
}

// Sums over the segments of what the capped runs vary by.
struct Variation {
  double run_squares = 0;  // of the runs about the mean of their point
  double run_degrees = 0;
  double point_squares = 0;  // of the points' means about that of their segment
  double point_degrees = 0;
  double calm_squares = 0;  // as point_squares, of means within the cap of a run
  double neighbor_products = 0;
  double inverse_run_counts = 0;
};

void AddSegment(const RunSeries& series, PointRange segment, double series_stddev,
                Variation& sums) {
  const double run_stddev = SegmentStddev(series, segment, series_stddev);
  const double median = Median(series.values(segment));
  std::vector<double> means;
  for (std::size_t point = segment.begin; point < segment.end; ++point) {
    const std::span<const double> values = series.values(point);
    const double center = CenterOf(values, median);
    const double scale = std::sqrt(series.weight(point));
    std::vector<double> runs;
    for (const double value : values) {
      const double distance = scale * (value - center) / run_stddev;
      runs.push_back(std::clamp(distance, -kMostSdPerRun, kMostSdPerRun));
    }
    means.push_back(CappedMean(series, point, median, run_stddev));
    sums.run_squares += SquaresAbout(runs, MeanOf(runs));
    sums.run_degrees += static_cast<double>(runs.size() - 1);
    sums.inverse_run_counts += 1 / RunCountOf(series, point);
  }
  const double mean = MeanOf(means);
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double distance = means[i] - mean;
    sums.point_squares += series.weight(segment.begin + i) * distance * distance;
  }
  sums.point_degrees += static_cast<double>(means.size() - 1);
  // What lies far off is a bad revision or a step that was missed, and no autocorrelation.
  for (double& value : means) value = std::clamp(value, -kMostSdPerRun, kMostSdPerRun);
  const double calm_mean = MeanOf(means);
  sums.calm_squares += SquaresAbout(means, calm_mean);
  for (std::size_t i = 1; i < means.size(); ++i) {
    sums.neighbor_products += (means[i] - calm_mean) * (means[i - 1] - calm_mean);
  }
}

// How far runs lie from what they should equal.
struct OwnResiduals {
  std::vector<double> residuals;
  std::size_t center_count = 0;  // estimates that the residuals are taken from
};

// From the medians of their points where those have several runs, so that one bad revision is no
// noise; else from the segment's.
OwnResiduals OwnResidualsOf(const RunSeries& series, PointRange segment) {
  OwnResiduals own;
  for (std::size_t point = segment.begin; point < segment.end; ++point) {
    if (series.values(point).size() < 2) continue;
    const std::vector<double> of_point = ResidualsOf(series, {point, point + 1});
    own.residuals.insert(own.residuals.end(), of_point.begin(), of_point.end());
    ++own.center_count;
  }
  if (own.center_count == 0) own = {.residuals = ResidualsOf(series, segment), .center_count = 1};
  return own;
}

}  // namespace

double SeriesNoise::VarianceOfPoint(double run_count) const {
  return std::max(variance_of_points + variance_of_runs / run_count, 1 / run_count);
}

double RunCountOf(const RunSeries& series, std::size_t point) {
  return static_cast<double>(series.values(point).size()) * series.weight(point);
}

double SegmentStddev(const RunSeries& series, PointRange segment, double run_stddev) {
  constexpr double kMarkedlyMore = 2;
  constexpr double kFewestDegrees = 4;
  const OwnResiduals own = OwnResidualsOf(series, segment);
  const auto run_count = static_cast<double>(own.residuals.size());
  const double degrees = run_count - static_cast<double>(own.center_count);
  if (degrees < kFewestDegrees) return run_stddev;
  const double stddev = RobustStddev(own.residuals, 0) * std::sqrt(run_count / degrees);
  return stddev > kMarkedlyMore * run_stddev ? stddev : run_stddev;
}

double CappedMean(const RunSeries& series, std::size_t point, double level, double run_stddev) {
  const std::span<const double> runs = series.values(point);
  const double center = CenterOf(runs, level);
  const double cap = kMostSdPerRun / std::sqrt(series.weight(point));
  double sum = 0;
  for (const double run : runs) sum += std::clamp((run - center) / run_stddev, -cap, cap);
  const double offset =
      std::clamp((center - level) / run_stddev, -kMostSdPerPoint, kMostSdPerPoint);
  return offset + sum / static_cast<double>(runs.size());
}

double InflationOf(double autocorrelation) {
  const double bounded = std::clamp(autocorrelation, 0.0, kLargestAutocorrelation);
  return (1 + bounded) / (1 - bounded);
}

std::vector<PointRange> SegmentsOf(const RunSeries& series,
                                   std::span<const std::size_t> divisions) {
  std::vector<PointRange> segments;
  std::size_t begin = 0;
  for (const std::size_t division : divisions) {
    segments.push_back({.begin = begin, .end = division});
    begin = division;
  }
  segments.push_back({.begin = begin, .end = series.point_count()});
  return segments;
}

SeriesNoise EstimateNoise(const RunSeries& series, std::span<const std::size_t> divisions,
                          double least_inflation) {
  SCHEDLAB_CHECK(series.point_count() > 0);
  const std::vector<PointRange> segments = SegmentsOf(series, divisions);
  SeriesNoise noise;
  noise.run_stddev = RunStddev(series, segments);
  Variation sums;
  for (const PointRange& segment : segments) {
    AddSegment(series, segment, noise.run_stddev, sums);
  }

  const auto point_count = static_cast<double>(series.point_count());
  const double point_variance = sums.point_squares / std::max(1.0, sums.point_degrees);
  noise.variance_of_runs =
      sums.run_degrees > 0 ? sums.run_squares / sums.run_degrees : point_variance;
  noise.variance_of_points = std::max(
      0.0, point_variance - noise.variance_of_runs * sums.inverse_run_counts / point_count);
  noise.degrees_of_freedom = std::max(1.0, sums.point_degrees);
  // The product sum is biased by about -1 / n of the squares for each segment's mean.
  const double autocorrelation = sums.calm_squares > 0
                                     ? sums.neighbor_products / sums.calm_squares +
                                           static_cast<double>(segments.size()) / point_count
                                     : 0;
  // Of few points it is no evidence: a step that was missed looks like it too.
  const double allowance = 2 / point_count;
  noise.inflation = std::max(least_inflation, InflationOf(autocorrelation - allowance));
  return noise;
}

}  // namespace schedlab::stats
