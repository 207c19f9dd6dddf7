#include "tests/support/null_project.h"

#include <fmt/format.h>

#include <utility>

namespace schedlab::testing {
namespace {

constexpr std::uint64_t kSeedsApart = 1'000'003;  // more than there are series

Series SeriesOf(int index) {
  Series series;
  series.id = {index + 1};
  series.key = {.project = "null",
                .policy = "policy",
                .variant = "",
                .topology = fmt::format("machine-{}", index),
                .workload = "load",
                .scenario_digest = fmt::format("digest-{}", index),
                .executor = Executor::kSim,
                .engine_version = "1",
                .metric = "work_per_sec"};
  series.unit = "1/s";
  series.direction = Direction::kHigherIsBetter;
  series.role = MetricRole::kHeadline;
  return series;
}

RevisionRef RevisionAt(std::size_t ordinal) {
  return {.id = fmt::format("r{}", ordinal),
          .ordinal = static_cast<std::int64_t>(ordinal),
          .subject = "",
          .date = ""};
}

}  // namespace

std::vector<server::SeriesPoints> MakeProject(const NullProject& project, std::uint64_t seed) {
  const SeriesSpec spec{.point_count = project.revision_count,
                        .runs_per_point = project.runs_per_point,
                        .noise = project.noise,
                        .kind = project.kind};
  std::vector<server::SeriesPoints> made;
  for (int i = 0; i < project.series_count; ++i) {
    server::SeriesPoints one{.series = SeriesOf(i), .points = {}};
    const auto points = MakeSeries(spec, seed * kSeedsApart + static_cast<std::uint64_t>(i));
    for (std::size_t at = 0; at < points.size(); ++at) {
      one.points.push_back({.revision = RevisionAt(at), .samples = points[at].samples});
    }
    one.series.point_count = static_cast<std::int64_t>(points.size());
    made.push_back(std::move(one));
  }
  return made;
}

}  // namespace schedlab::testing
