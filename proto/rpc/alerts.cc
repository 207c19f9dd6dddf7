#include "proto/rpc/alerts.h"

#include "core/limits.h"
#include "proto/rpc/field_reader.h"
#include "proto/rpc/results.h"
#include "proto/rpc/time.h"

namespace schedlab::rpc {
namespace {

std::optional<RevisionRef> RevisionUnlessEmpty(std::string id, std::string subject) {
  if (id.empty()) return std::nullopt;
  return RevisionOf(std::move(id), std::move(subject));
}

v1::CounterChange Encode(const CounterChange& counter) {
  v1::CounterChange wire;
  wire.set_metric(counter.metric);
  wire.set_unit(counter.unit);
  wire.set_before(counter.before);
  wire.set_after(counter.after);
  if (counter.relative_change) wire.set_relative_change(*counter.relative_change);
  wire.set_effect_sd(counter.effect_sd);
  return wire;
}

Result<CounterChange> Decode(const v1::CounterChange& wire) {
  FieldReader read;
  CounterChange counter{.metric = read.Name("metric", wire.metric()),
                        .unit = read.OptionalName("unit", wire.unit()),
                        .before = read.Finite("before", wire.before()),
                        .after = read.Finite("after", wire.after()),
                        .relative_change = {},
                        .effect_sd = read.Finite("effect_sd", wire.effect_sd())};
  if (wire.has_relative_change()) {
    counter.relative_change = read.Finite("relative_change", wire.relative_change());
  }
  return read.Finish(std::move(counter));
}

v1::ExampleRun Encode(const ExampleRun& run) {
  v1::ExampleRun wire;
  wire.set_job_id(run.job.value);
  wire.set_seed(run.seed);
  return wire;
}

Result<ExampleRun> Decode(const v1::ExampleRun& wire) {
  FieldReader read;
  return read.Finish(ExampleRun{.job = read.Key<JobId>("job_id", wire.job_id()),
                                .seed = read.Count("seed", wire.seed())});
}

v1::AlertCell Encode(const AlertCell& cell) {
  v1::AlertCell wire;
  *wire.mutable_series() = rpc::Encode(cell.series);
  *wire.mutable_change() = rpc::Encode(cell.change);
  if (cell.recovered) wire.set_recovered_revision(cell.recovered->id);
  if (cell.recovered_relative_change) {
    wire.set_recovered_relative_change(*cell.recovered_relative_change);
  }
  for (const CounterChange& counter : cell.counters) *wire.add_counters() = Encode(counter);
  if (cell.previous_run) *wire.mutable_previous_run() = Encode(*cell.previous_run);
  if (cell.revision_run) *wire.mutable_revision_run() = Encode(*cell.revision_run);
  return wire;
}

Result<AlertCell> Decode(const v1::AlertCell& wire) {
  const auto decode = [](const v1::CounterChange& counter) { return Decode(counter); };
  FieldReader read;
  AlertCell cell{.series = read.Message("series", rpc::Decode(wire.series())),
                 .change = read.Message("change", rpc::Decode(wire.change())),
                 .recovered = RevisionUnlessEmpty(
                     read.OptionalName("recovered_revision", wire.recovered_revision()), {}),
                 .recovered_relative_change = {},
                 .counters = read.Messages("counters", wire.counters(), kMaxMetricsPerRun, decode),
                 .previous_run = {},
                 .revision_run = {}};
  if (wire.has_previous_run()) {
    cell.previous_run = read.Message("previous_run", Decode(wire.previous_run()));
  }
  if (wire.has_revision_run()) {
    cell.revision_run = read.Message("revision_run", Decode(wire.revision_run()));
  }
  if (wire.has_recovered_relative_change()) {
    cell.recovered_relative_change =
        read.Finite("recovered_relative_change", wire.recovered_relative_change());
  }
  return read.Finish(std::move(cell));
}

v1::UnchangedCell Encode(const UnchangedCell& cell) {
  v1::UnchangedCell wire;
  *wire.mutable_series() = rpc::Encode(cell.series);
  wire.set_relative_change(cell.relative_change);
  *wire.mutable_before() = rpc::Encode(cell.before);
  *wire.mutable_after() = rpc::Encode(cell.after);
  return wire;
}

Result<UnchangedCell> Decode(const v1::UnchangedCell& wire) {
  FieldReader read;
  return read.Finish(
      UnchangedCell{.series = read.Message("series", rpc::Decode(wire.series())),
                    .relative_change = read.Finite("relative_change", wire.relative_change()),
                    .before = read.Message("before", rpc::Decode(wire.before())),
                    .after = read.Message("after", rpc::Decode(wire.after()))});
}

}  // namespace

constexpr auto kDecode = [](const auto& wire) { return Decode(wire); };

v1::AlertState Encode(AlertState state) {
  switch (state) {
    case AlertState::kOpen:
      return v1::ALERT_STATE_OPEN;
    case AlertState::kAcknowledged:
      return v1::ALERT_STATE_ACKNOWLEDGED;
    case AlertState::kResolved:
      return v1::ALERT_STATE_RESOLVED;
    case AlertState::kDismissed:
      return v1::ALERT_STATE_DISMISSED;
  }
  return v1::ALERT_STATE_UNSPECIFIED;
}

Result<AlertState> Decode(v1::AlertState wire) {
  switch (wire) {
    case v1::ALERT_STATE_OPEN:
      return AlertState::kOpen;
    case v1::ALERT_STATE_ACKNOWLEDGED:
      return AlertState::kAcknowledged;
    case v1::ALERT_STATE_RESOLVED:
      return AlertState::kResolved;
    case v1::ALERT_STATE_DISMISSED:
      return AlertState::kDismissed;
    default:
      return RefuseEnum(wire);
  }
}

v1::Alert Encode(const Alert& alert) {
  v1::Alert wire;
  wire.set_id(alert.id.value);
  wire.set_project(alert.project);
  wire.set_policy(alert.policy);
  wire.set_state(Encode(alert.state));
  wire.set_revision(alert.revision.id);
  wire.set_subject(alert.revision.subject);
  wire.set_previous_revision(alert.previous.id);
  wire.set_interval_first(alert.interval_first.id);
  wire.set_interval_last(alert.interval_last.id);
  if (alert.recovered) {
    wire.set_recovered_revision(alert.recovered->id);
    wire.set_recovered_subject(alert.recovered->subject);
  }
  for (const AlertCell& cell : alert.cells) *wire.add_cells() = Encode(cell);
  for (const UnchangedCell& cell : alert.unchanged) *wire.add_unchanged() = Encode(cell);
  *wire.mutable_create_time() = Encode(alert.created_at);
  return wire;
}

Result<Alert> Decode(const v1::Alert& wire) {
  FieldReader read("alert");
  return read.Finish(Alert{
      .id = read.Key<AlertId>("id", wire.id()),
      .project = read.Name("project", wire.project()),
      .policy = read.Name("policy", wire.policy()),
      .state = read.Value("state", Decode(wire.state())),
      .revision =
          RevisionOf(read.Name("revision", wire.revision()), read.Text("subject", wire.subject())),
      .previous = RevisionOf(read.OptionalName("previous_revision", wire.previous_revision())),
      .interval_first = RevisionOf(read.OptionalName("interval_first", wire.interval_first())),
      .interval_last = RevisionOf(read.OptionalName("interval_last", wire.interval_last())),
      .recovered =
          RevisionUnlessEmpty(read.OptionalName("recovered_revision", wire.recovered_revision()),
                              read.Text("recovered_subject", wire.recovered_subject())),
      .cells = read.Messages("cells", wire.cells(), kMaxCellsPerAlert, kDecode),
      .unchanged = read.Messages("unchanged", wire.unchanged(), kMaxCellsPerAlert, kDecode),
      .created_at = read.Value("create_time", Decode(wire.create_time()))});
}

}  // namespace schedlab::rpc
