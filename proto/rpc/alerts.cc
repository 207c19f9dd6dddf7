#include "proto/rpc/alerts.h"

#include <algorithm>
#include <iterator>

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

v1::UnchangedCell Encode(const CellBeside& cell) {
  v1::UnchangedCell wire;
  *wire.mutable_series() = rpc::Encode(cell.series);
  wire.set_relative_change(cell.relative_change);
  *wire.mutable_before() = rpc::Encode(cell.before);
  *wire.mutable_after() = rpc::Encode(cell.after);
  return wire;
}

Result<CellBeside> Decode(const v1::UnchangedCell& wire) {
  FieldReader read;
  return read.Finish(
      CellBeside{.series = read.Message("series", rpc::Decode(wire.series())),
                 .relative_change = read.Finite("relative_change", wire.relative_change()),
                 .before = read.Message("before", rpc::Decode(wire.before())),
                 .after = read.Message("after", rpc::Decode(wire.after()))});
}

v1::NotRunCell Encode(const NotRunCell& cell) {
  v1::NotRunCell wire;
  *wire.mutable_series() = rpc::Encode(cell.series);
  wire.set_last_revision(cell.last.id);
  return wire;
}

Result<NotRunCell> Decode(const v1::NotRunCell& wire) {
  FieldReader read;
  return read.Finish(
      NotRunCell{.series = read.Message("series", rpc::Decode(wire.series())),
                 .last = RevisionOf(read.OptionalName("last_revision", wire.last_revision()))});
}

v1::AlertEvent Encode(const AlertEvent& event) {
  v1::AlertEvent wire;
  *wire.mutable_time() = rpc::Encode(event.at);
  if (event.from) wire.set_from(rpc::Encode(*event.from));
  wire.set_to(rpc::Encode(event.to));
  wire.set_who(event.who);
  wire.set_why(event.why);
  return wire;
}

Result<AlertEvent> Decode(const v1::AlertEvent& wire) {
  FieldReader read;
  AlertEvent event{.at = read.Value("time", rpc::Decode(wire.time())),
                   .from = std::nullopt,
                   .to = read.Value("to", rpc::Decode(wire.to())),
                   .who = read.Name("who", wire.who()),
                   .why = read.Text("why", wire.why())};
  if (wire.from() != v1::ALERT_STATE_UNSPECIFIED) {
    event.from = read.Value("from", rpc::Decode(wire.from()));
  }
  return read.Finish(std::move(event));
}

v1::ChangeCheck Encode(const ChangeCheck& check) {
  v1::ChangeCheck wire;
  wire.set_name(check.name);
  wire.set_value(check.value);
  wire.set_limit(check.limit);
  wire.set_is_passed(check.is_passed);
  return wire;
}

Result<ChangeCheck> Decode(const v1::ChangeCheck& wire) {
  FieldReader read;
  return read.Finish(ChangeCheck{.name = read.Name("name", wire.name()),
                                 .value = read.Finite("value", wire.value()),
                                 .limit = read.Finite("limit", wire.limit()),
                                 .is_passed = wire.is_passed()});
}

void EncodeStep(const ChangeStep& step, v1::ExplainChangeResponse& wire) {
  *wire.mutable_before() = rpc::Encode(step.before);
  *wire.mutable_after() = rpc::Encode(step.after);
  wire.set_relative_change(step.relative_change);
  wire.set_effect_sd(step.effect_sd);
  wire.set_p_value(step.p_value);
}

ChangeStep DecodeStep(const v1::ExplainChangeResponse& wire, FieldReader& read) {
  return {.before = read.Message("before", rpc::Decode(wire.before())),
          .after = read.Message("after", rpc::Decode(wire.after())),
          .relative_change = read.Finite("relative_change", wire.relative_change()),
          .effect_sd = read.Finite("effect_sd", wire.effect_sd()),
          .p_value = read.Finite("p_value", wire.p_value())};
}

// The order of both enums is the same.
constexpr ChangeReason kReasons[] = {
    ChangeReason::kRegression,     ChangeReason::kImprovement,       ChangeReason::kAnotherRevision,
    ChangeReason::kNotMeasured,    ChangeReason::kNothingBefore,     ChangeReason::kSmallEffect,
    ChangeReason::kNotSignificant, ChangeReason::kOneRevision,       ChangeReason::kTooFewRuns,
    ChangeReason::kRunsOverlap,    ChangeReason::kFalseDiscoveryRate};

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
  for (const CellBeside& cell : alert.unchanged) *wire.add_unchanged() = Encode(cell);
  *wire.mutable_create_time() = Encode(alert.created_at);
  for (const CellBeside& cell : alert.undecided) *wire.add_undecided() = Encode(cell);
  for (const NotRunCell& cell : alert.not_run) *wire.add_not_run() = Encode(cell);
  for (const AlertEvent& event : alert.history) *wire.add_history() = Encode(event);
  if (alert.merged_into) wire.set_merged_into_id(alert.merged_into->value);
  if (alert.backfill) wire.set_backfill_campaign_id(alert.backfill->value);
  return wire;
}

Result<Alert> Decode(const v1::Alert& wire) {
  FieldReader read("alert");
  std::optional<AlertId> merged_into;
  if (wire.merged_into_id() != 0) {
    merged_into = read.Key<AlertId>("merged_into_id", wire.merged_into_id());
  }
  std::optional<CampaignId> backfill;
  if (wire.backfill_campaign_id() != 0) {
    backfill = read.Key<CampaignId>("backfill_campaign_id", wire.backfill_campaign_id());
  }
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
      .merged_into = merged_into,
      .backfill = backfill,
      .cells = read.Messages("cells", wire.cells(), kMaxCellsPerAlert, kDecode),
      .unchanged = read.Messages("unchanged", wire.unchanged(), kMaxCellsPerAlert, kDecode),
      .undecided = read.Messages("undecided", wire.undecided(), kMaxCellsPerAlert, kDecode),
      .not_run = read.Messages("not_run", wire.not_run(), kMaxCellsPerAlert, kDecode),
      .history = read.Messages("history", wire.history(), kMaxEventsPerAlert, kDecode),
      .created_at = read.Value("create_time", Decode(wire.create_time()))});
}

v1::ChangeAlertStateRequest Encode(const AlertStateChange& change) {
  v1::ChangeAlertStateRequest wire;
  wire.set_request_id(change.request_id);
  wire.set_alert_id(change.alert.value);
  wire.set_state(Encode(change.to));
  wire.set_who(change.who);
  wire.set_why(change.why);
  return wire;
}

Result<AlertStateChange> Decode(const v1::ChangeAlertStateRequest& wire) {
  FieldReader read;
  AlertStateChange change{.request_id = read.Name("request_id", wire.request_id()),
                          .alert = read.Key<AlertId>("alert_id", wire.alert_id()),
                          .to = read.Value("state", Decode(wire.state())),
                          .who = read.Name("who", wire.who()),
                          .why = read.Text("why", wire.why())};
  if (wire.who() == kBySchedlab) read.Refuse("who", "must be a person or a program of your own");
  if (wire.why().empty()) read.Refuse("why", "must not be empty");
  return read.Finish(std::move(change));
}

v1::AlertPrecision Encode(const AlertPrecision& precision) {
  v1::AlertPrecision wire;
  wire.set_project(precision.project);
  wire.set_open_count(precision.open_count);
  wire.set_acknowledged_count(precision.acknowledged_count);
  wire.set_resolved_count(precision.resolved_count);
  wire.set_recovered_count(precision.recovered_count);
  wire.set_dismissed_count(precision.dismissed_count);
  wire.set_withdrawn_count(precision.withdrawn_count);
  return wire;
}

Result<AlertPrecision> Decode(const v1::AlertPrecision& wire) {
  FieldReader read;
  return read.Finish(AlertPrecision{
      .project = read.Name("project", wire.project()),
      .open_count = read.Count("open_count", wire.open_count()),
      .acknowledged_count = read.Count("acknowledged_count", wire.acknowledged_count()),
      .resolved_count = read.Count("resolved_count", wire.resolved_count()),
      .recovered_count = read.Count("recovered_count", wire.recovered_count()),
      .dismissed_count = read.Count("dismissed_count", wire.dismissed_count()),
      .withdrawn_count = read.Count("withdrawn_count", wire.withdrawn_count())});
}

v1::ChangeReason Encode(ChangeReason reason) {
  const auto place = std::find(std::begin(kReasons), std::end(kReasons), reason);
  return static_cast<v1::ChangeReason>(place - std::begin(kReasons) + 1);
}

Result<ChangeReason> Decode(v1::ChangeReason wire) {
  const auto index = static_cast<std::size_t>(wire) - 1;
  if (index >= std::size(kReasons)) return RefuseEnum(wire);
  return kReasons[index];
}

v1::ExplainChangeResponse Encode(const ChangeExplanation& explanation) {
  v1::ExplainChangeResponse wire;
  *wire.mutable_series() = Encode(explanation.series);
  wire.set_revision(explanation.revision.id);
  wire.set_subject(explanation.revision.subject);
  wire.set_reason(Encode(explanation.reason));
  for (const Point& point : explanation.points) {
    *wire.add_points() = Encode(point, SampleSummary());
    wire.mutable_points()->rbegin()->clear_summary();
  }
  if (explanation.step) EncodeStep(*explanation.step, wire);
  for (const ChangeCheck& check : explanation.checks) *wire.add_checks() = Encode(check);
  if (explanation.change) *wire.mutable_change() = Encode(*explanation.change);
  if (explanation.likelier) wire.set_likelier_revision(explanation.likelier->id);
  wire.set_series_count(explanation.series_count);
  for (const Alert& alert : explanation.alerts) *wire.add_alerts() = Encode(alert);
  return wire;
}

Result<ChangeExplanation> Decode(const v1::ExplainChangeResponse& wire) {
  FieldReader read;
  ChangeExplanation explanation{
      .series = read.Message("series", Decode(wire.series())),
      .revision =
          RevisionOf(read.Name("revision", wire.revision()), read.Text("subject", wire.subject())),
      .reason = read.Value("reason", Decode(wire.reason())),
      .points = read.Messages("points", wire.points(), kMaxPageSize, kDecode),
      .step = std::nullopt,
      .checks = read.Messages("checks", wire.checks(), kMaxSettings, kDecode),
      .change = std::nullopt,
      .likelier =
          RevisionUnlessEmpty(read.OptionalName("likelier_revision", wire.likelier_revision()), {}),
      .series_count = read.Count("series_count", wire.series_count()),
      .alerts = read.Messages("alerts", wire.alerts(), kMaxPageSize, kDecode)};
  if (wire.has_before()) explanation.step = DecodeStep(wire, read);
  if (wire.has_change()) explanation.change = read.Message("change", Decode(wire.change()));
  return read.Finish(std::move(explanation));
}

}  // namespace schedlab::rpc
