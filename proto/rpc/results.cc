#include "proto/rpc/results.h"

#include "core/limits.h"
#include "proto/rpc/field_reader.h"
#include "proto/rpc/specs.h"

namespace schedlab::rpc {
v1::Direction Encode(Direction direction) {
  switch (direction) {
    case Direction::kHigherIsBetter:
      return v1::DIRECTION_HIGHER_IS_BETTER;
    case Direction::kLowerIsBetter:
      return v1::DIRECTION_LOWER_IS_BETTER;
  }
  return v1::DIRECTION_UNSPECIFIED;
}

Result<Direction> Decode(v1::Direction wire) {
  switch (wire) {
    case v1::DIRECTION_HIGHER_IS_BETTER:
      return Direction::kHigherIsBetter;
    case v1::DIRECTION_LOWER_IS_BETTER:
      return Direction::kLowerIsBetter;
    default:
      return RefuseEnum(wire);
  }
}

v1::SeriesKey Encode(const SeriesKey& key) {
  v1::SeriesKey wire;
  wire.set_project(key.project);
  wire.set_policy(key.policy);
  wire.set_variant(key.variant);
  wire.set_topology(key.topology);
  wire.set_workload(key.workload);
  wire.set_scenario_digest(key.scenario_digest);
  wire.set_executor(Encode(key.executor));
  wire.set_engine_version(key.engine_version);
  wire.set_metric(key.metric);
  return wire;
}

Result<SeriesKey> Decode(const v1::SeriesKey& wire) {
  FieldReader read;
  return read.Finish(
      SeriesKey{.project = read.Name("project", wire.project()),
                .policy = read.Name("policy", wire.policy()),
                .variant = read.Text("variant", wire.variant()),
                .topology = read.Name("topology", wire.topology()),
                .workload = read.Name("workload", wire.workload()),
                .scenario_digest = read.Name("scenario_digest", wire.scenario_digest()),
                .executor = read.Value("executor", Decode(wire.executor())),
                .engine_version = read.Name("engine_version", wire.engine_version()),
                .metric = read.Name("metric", wire.metric())});
}

RevisionRef RevisionOf(std::string id, std::string subject) {
  return {.id = std::move(id), .ordinal = 0, .subject = std::move(subject), .date = {}};
}

v1::Series Encode(const Series& series) {
  v1::Series wire;
  wire.set_id(series.id.value);
  *wire.mutable_key() = Encode(series.key);
  wire.set_unit(series.unit);
  wire.set_direction(Encode(series.direction));
  wire.set_is_headline(series.role == MetricRole::kHeadline);
  wire.set_point_count(series.point_count);
  wire.set_minimum_effect(series.minimum_effect);
  return wire;
}

Result<Series> Decode(const v1::Series& wire) {
  FieldReader read;
  return read.Finish(
      Series{.id = read.Key<SeriesId>("id", wire.id()),
             .key = read.Message("key", Decode(wire.key())),
             .unit = read.OptionalName("unit", wire.unit()),
             .direction = read.Value("direction", Decode(wire.direction())),
             .role = wire.is_headline() ? MetricRole::kHeadline : MetricRole::kCounter,
             .minimum_effect = read.Finite("minimum_effect", wire.minimum_effect()),
             .point_count = read.Count("point_count", wire.point_count())});
}

v1::Summary Encode(const SampleSummary& summary) {
  v1::Summary wire;
  wire.set_count(summary.count);
  wire.set_mean(summary.mean);
  if (summary.stddev) wire.set_stddev(*summary.stddev);
  wire.set_median(summary.median);
  wire.set_minimum(summary.minimum);
  wire.set_maximum(summary.maximum);
  return wire;
}

Result<SampleSummary> Decode(const v1::Summary& wire) {
  FieldReader read;
  SampleSummary summary{.count = read.Count("count", wire.count()),
                        .mean = read.Finite("mean", wire.mean()),
                        .stddev = {},
                        .median = read.Finite("median", wire.median()),
                        .minimum = read.Finite("minimum", wire.minimum()),
                        .maximum = read.Finite("maximum", wire.maximum())};
  if (wire.has_stddev()) summary.stddev = read.Finite("stddev", wire.stddev());
  return read.Finish(summary);
}

v1::Point Encode(const Point& point, const SampleSummary& summary) {
  v1::Point wire;
  wire.set_revision(point.revision.id);
  wire.set_ordinal(point.revision.ordinal);
  wire.set_subject(point.revision.subject);
  wire.set_date(point.revision.date);
  wire.mutable_samples()->Add(point.samples.begin(), point.samples.end());
  *wire.mutable_summary() = Encode(summary);
  return wire;
}

Result<Point> Decode(const v1::Point& wire) {
  FieldReader read;
  return read.Finish(Point{
      .revision = {.id = read.OptionalName("revision", wire.revision()),
                   .ordinal = read.Count("ordinal", wire.ordinal()),
                   .subject = read.Text("subject", wire.subject()),
                   .date = read.OptionalName("date", wire.date())},
      .samples = read.Samples("samples", wire.samples()),
  });
}

v1::ChangePoint Encode(const StoredChangePoint& change) {
  v1::ChangePoint wire;
  wire.set_revision(change.revision.id);
  wire.set_previous_revision(change.previous.id);
  wire.set_interval_first(change.interval_first.id);
  wire.set_interval_last(change.interval_last.id);
  wire.set_relative_change(change.relative_change);
  wire.set_effect_sd(change.effect_sd);
  wire.set_p_value(change.p_value);
  wire.set_is_regression(change.is_regression);
  *wire.mutable_before() = Encode(change.before);
  *wire.mutable_after() = Encode(change.after);
  return wire;
}

Result<StoredChangePoint> Decode(const v1::ChangePoint& wire) {
  FieldReader read;
  return read.Finish(StoredChangePoint{
      .revision = RevisionOf(read.Name("revision", wire.revision())),
      .previous = RevisionOf(read.OptionalName("previous_revision", wire.previous_revision())),
      .interval_first = RevisionOf(read.OptionalName("interval_first", wire.interval_first())),
      .interval_last = RevisionOf(read.OptionalName("interval_last", wire.interval_last())),
      .relative_change = read.Finite("relative_change", wire.relative_change()),
      .effect_sd = read.Finite("effect_sd", wire.effect_sd()),
      .p_value = read.Finite("p_value", wire.p_value()),
      .is_regression = wire.is_regression(),
      .before = read.Message("before", Decode(wire.before())),
      .after = read.Message("after", Decode(wire.after()))});
}

v1::CoverageCell Encode(const CoverageCell& cell) {
  v1::CoverageCell wire;
  *wire.mutable_series() = Encode(cell.series);
  wire.set_sample_count(cell.sample_count);
  wire.set_neighbour_count(cell.neighbour_count);
  return wire;
}

Result<CoverageCell> Decode(const v1::CoverageCell& wire) {
  FieldReader read;
  return read.Finish(CoverageCell{
      .series = read.Message("series", Decode(wire.series())),
      .sample_count = read.Count("sample_count", wire.sample_count()),
      .neighbour_count =
          read.Number32("neighbour_count", wire.neighbour_count(), 0, 2 * kMaxCoverageNeighbours)});
}

v1::GetCoverageResponse Encode(const Coverage& coverage) {
  v1::GetCoverageResponse wire;
  wire.set_revision(coverage.revision.id);
  wire.set_subject(coverage.revision.subject);
  for (const std::string& neighbour : coverage.neighbours) wire.add_neighbours(neighbour);
  for (const CoverageCell& cell : coverage.cells) *wire.add_cells() = Encode(cell);
  return wire;
}

Result<Coverage> Decode(const v1::GetCoverageResponse& wire) {
  FieldReader read("coverage");
  constexpr auto kDecode = [](const auto& cell) { return Decode(cell); };
  return read.Finish(Coverage{
      .revision =
          RevisionOf(read.Name("revision", wire.revision()), read.Text("subject", wire.subject())),
      .neighbours = {wire.neighbours().begin(), wire.neighbours().end()},
      .cells = read.Messages("cells", wire.cells(), kMaxCoverageCells, kDecode)});
}

}  // namespace schedlab::rpc
