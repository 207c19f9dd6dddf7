#include "server/explain_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "server/find_changes.h"
#include "server/summaries.h"
#include "stats/change_points.h"

namespace schedlab::server {
namespace {

bool Holds(const stats::ChangePoint& change, std::int64_t index) {
  return change.index == index || (change.interval.first <= index && index <= change.interval.last);
}

// A change point of a series, and the smallest false-discovery rate at which it survives.
struct Found {
  stats::ChangePoint change;
  double adjusted_p = 1;

  bool is_kept() const { return adjusted_p <= kFalseDiscoveryRate; }
};

// The change at the place, else one whose interval holds it; one that is kept first.
std::optional<Found> FindAround(const std::vector<stats::ChangePoint>& changes,
                                const std::vector<double>& adjusted, std::int64_t index) {
  std::optional<Found> found;
  const auto rank = [index](const Found& one) {
    return std::pair(one.is_kept(), one.change.index == index);
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Found one{.change = changes[i], .adjusted_p = adjusted[i]};
    if (Holds(one.change, index) && (!found || rank(one) > rank(*found))) found = one;
  }
  return found;
}

// Why a place was not chosen that was looked at.
ChangeReason ReasonAgainst(const stats::PlaceTest& test, std::int64_t index,
                           const stats::DetectorOptions& options) {
  if (test.is_newest && test.run_count < test.run_count_asked) return ChangeReason::kTooFewRuns;
  if (std::abs(test.relative_change) < options.minimum_effect) return ChangeReason::kSmallEffect;
  if (test.is_newest && !test.is_beyond_earlier) return ChangeReason::kRunsOverlap;
  if (test.p_value <= options.significance && test.best_index != index) {
    return ChangeReason::kAnotherRevision;
  }
  return test.p_value_of_all <= options.significance ? ChangeReason::kOneRevision
                                                     : ChangeReason::kNotSignificant;
}

ChangeReason ReasonOf(const Found& found, std::int64_t index, Direction direction) {
  if (!found.is_kept()) return ChangeReason::kFalseDiscoveryRate;
  if (found.change.index != index) return ChangeReason::kAnotherRevision;
  const auto kind = stats::ClassifyChange(direction, found.change.relative_change);
  return kind == stats::ChangeKind::kRegression ? ChangeReason::kRegression
                                                : ChangeReason::kImprovement;
}

void AddTest(const stats::PlaceTest& test, const stats::DetectorOptions& options,
             ChangeExplanation& explanation) {
  explanation.step = ChangeStep{.before = ToSampleSummary(test.before),
                                .after = ToSampleSummary(test.after),
                                .relative_change = test.relative_change,
                                .effect_sd = test.effect_in_sd,
                                .p_value = test.p_value};
  if (test.is_newest) {
    explanation.checks.push_back({.name = "runs_of_the_newest_revision",
                                  .value = static_cast<double>(test.run_count),
                                  .limit = static_cast<double>(test.run_count_asked),
                                  .is_passed = test.run_count >= test.run_count_asked});
  }
  const double size = std::abs(test.relative_change);
  explanation.checks.push_back({.name = "minimum_effect",
                                .value = size,
                                .limit = options.minimum_effect,
                                .is_passed = size >= options.minimum_effect});
  explanation.checks.push_back({.name = "p_value_of_all_revisions",
                                .value = test.p_value_of_all,
                                .limit = options.significance,
                                .is_passed = test.p_value_of_all <= options.significance});
  explanation.checks.push_back({.name = "p_value_without_the_loudest_revision",
                                .value = test.p_value,
                                .limit = options.significance,
                                .is_passed = test.p_value <= options.significance});
}

std::vector<Point> PointsAround(const std::vector<Point>& points, std::size_t index) {
  const std::size_t begin = index - std::min(index, kExplainedPointsPerSide);
  const std::size_t end = std::min(points.size(), index + kExplainedPointsPerSide + 1);
  return {points.begin() + static_cast<std::ptrdiff_t>(begin),
          points.begin() + static_cast<std::ptrdiff_t>(end)};
}

// The first point that is not before the revision.
std::size_t PlaceOf(const std::vector<Point>& points, const RevisionRef& revision) {
  const auto place = std::find_if(points.begin(), points.end(), [&revision](const Point& point) {
    return point.revision.ordinal >= revision.ordinal;
  });
  return static_cast<std::size_t>(place - points.begin());
}

bool IsMeasured(const std::vector<Point>& points, std::size_t place, const RevisionRef& revision) {
  return place < points.size() && points[place].revision.id == revision.id &&
         !points[place].samples.empty();
}

// `place` is the revision's in the points of the series.
Status Decide(std::span<const SeriesPoints> series, const SeriesPoints& asked, std::size_t place,
              ChangeExplanation& explanation) {
  const auto index = static_cast<std::int64_t>(place);
  const stats::DetectorOptions options = DetectorOptionsOf(asked.series);
  const auto explained = stats::ExplainPlace(DetectorPointsOf(asked), options, index);
  if (!explained) return Fail(explained.error());
  if (explained->test) {
    AddTest(*explained->test, options, explanation);
    explanation.reason = ReasonAgainst(*explained->test, index, options);
    explanation.likelier =
        asked.points.at(static_cast<std::size_t>(explained->test->best_index)).revision;
  } else if (IsMeasured(asked.points, place, explanation.revision)) {
    explanation.reason = ChangeReason::kNothingBefore;
  }
  const auto adjusted = stats::AdjustPValues(Detect(series).found);
  const auto found = FindAround(explained->change_points,
                                adjusted[static_cast<std::size_t>(&asked - series.data())], index);
  if (found) {
    explanation.reason = ReasonOf(*found, index, asked.series.direction);
    explanation.change = ToStored(asked, found->change);
    explanation.likelier = explanation.change->revision;
    explanation.checks.push_back({.name = "false_discovery_rate",
                                  .value = found->adjusted_p,
                                  .limit = kFalseDiscoveryRate,
                                  .is_passed = found->is_kept()});
  }
  if (explanation.reason != ChangeReason::kAnotherRevision) explanation.likelier.reset();
  return {};
}

}  // namespace

Result<ChangeExplanation> ExplainChange(std::span<const SeriesPoints> series, SeriesId id,
                                        const RevisionRef& revision) {
  const auto asked = std::find_if(series.begin(), series.end(),
                                  [id](const SeriesPoints& one) { return one.series.id == id; });
  if (asked == series.end()) {
    return Fail(ErrorCode::kNotFound, fmt::format("series {} is not judged", id.value));
  }
  const std::size_t place = PlaceOf(asked->points, revision);
  ChangeExplanation explanation;
  explanation.series = asked->series;
  explanation.revision = revision;
  explanation.reason = ChangeReason::kNotMeasured;
  explanation.points = PointsAround(asked->points, place);
  explanation.series_count = static_cast<std::int64_t>(series.size());
  if (place < asked->points.size() && asked->points[place].revision.id == revision.id) {
    if (Status decided = Decide(series, *asked, place, explanation); !decided) {
      return Fail(decided.error());
    }
  }
  return explanation;
}

}  // namespace schedlab::server
