#include "client/json_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "client/number_format.h"
#include "core/spec_json.h"

namespace schedlab::client {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormatVersion = 1;

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json OrNull(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string Document(Json body) {
  Json document = Json::object();
  document["format_version"] = kFormatVersion;
  document.update(body);
  return document.dump(2) + "\n";
}

template <class T, class Convert>
Json List(const std::vector<T>& values, Convert convert) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(convert(value));
  return list;
}

Json Of(const RunCounts& counts) {
  return {{"queued", counts.queued},
          {"leased", counts.leased},
          {"succeeded", counts.succeeded},
          {"failed", counts.failed},
          {"cancelled", counts.cancelled}};
}

Json Of(const Job& job) {
  return {{"id", job.id.value},
          {"project", job.spec.project},
          {"suite", job.spec.suite},
          {"state", ToString(job.state)},
          {"run_counts", Of(job.run_counts)},
          {"cached_run_count", job.cached_run_count},
          {"create_time", FormatTime(job.created_at)},
          {"finish_time", job.finished_at ? Json(FormatTime(*job.finished_at)) : Json(nullptr)},
          {"is_analyzed", job.is_analyzed},
          {"first_failure", OrNull(job.first_failure)},
          {"analysis_failure", OrNull(job.analysis_failure)},
          {"spec", Json::parse(ToJson(job.spec))}};
}

Json Of(const Run& run) {
  Json json = {{"id", run.id.value},
               {"policy", run.policy},
               {"revision", run.revision},
               {"variant", run.variant},
               {"topology", run.topology},
               {"workload", run.workload},
               {"repetition", run.repetition},
               {"seed", run.seed},
               {"state", ToString(run.state)},
               {"attempt", run.attempt},
               {"failure", OrNull(run.failure)}};
  if (run.result) {
    json["result"] = {{"digest", fmt::format("{:016x}", run.result->digest)},
                      {"events", run.result->event_count},
                      {"simulated_ns", run.result->simulated_ns},
                      {"metrics", run.result->metrics}};
  } else {
    json["result"] = nullptr;
  }
  return json;
}

Json Of(const Series& series) {
  return {{"id", series.id.value},
          {"project", series.key.project},
          {"policy", series.key.policy},
          {"variant", series.key.variant},
          {"topology", series.key.topology},
          {"workload", series.key.workload},
          {"metric", series.key.metric},
          {"unit", series.unit},
          {"direction", ToString(series.direction)},
          {"role", ToString(series.role)},
          {"minimum_effect", series.minimum_effect},
          {"executor", ToString(series.key.executor)},
          {"engine_version", series.key.engine_version},
          {"scenario_digest", series.key.scenario_digest}};
}

Json Of(const SampleSummary& summary) {
  return {{"count", summary.count},           {"mean", summary.mean},
          {"stddev", OrNull(summary.stddev)}, {"median", summary.median},
          {"minimum", summary.minimum},       {"maximum", summary.maximum}};
}

Json Of(const StoredChangePoint& change) {
  return {{"revision", change.revision.id},
          {"previous_revision", change.previous.id},
          {"interval_first", change.interval_first.id},
          {"interval_last", change.interval_last.id},
          {"relative_change", change.relative_change},
          {"effect_sd", change.effect_sd},
          {"p_value", change.p_value},
          {"is_regression", change.is_regression},
          {"before", Of(change.before)},
          {"after", Of(change.after)}};
}

Json Of(const Yardstick& yardstick) {
  return {{"policy", yardstick.policy}, {"summary", Of(yardstick.summary)}};
}

Json Of(const ComparisonRow& row) {
  Json interval = nullptr;
  if (row.interval) interval = {{"low", row.interval->low}, {"high", row.interval->high}};
  return {{"series", Of(row.series)},
          {"baseline", Of(row.baseline)},
          {"candidate", Of(row.candidate)},
          {"baseline_samples", row.baseline_samples},
          {"candidate_samples", row.candidate_samples},
          {"relative_change", OrNull(row.relative_change)},
          {"interval", interval},
          {"p_value", OrNull(row.p_value)},
          {"verdict", OrNull(ToString(row.verdict))},
          {"more_runs_needed", row.more_runs_needed},
          {"yardsticks", List(row.yardsticks, [](const auto& one) { return Of(one); })}};
}

Json Of(const UnmeasuredCell& cell) {
  return {{"policy", cell.policy},     {"variant", cell.variant}, {"topology", cell.topology},
          {"workload", cell.workload}, {"metric", cell.metric},   {"has_failed", cell.has_failed},
          {"reason", cell.reason}};
}

Json Of(const GateAnswer& answer) {
  return {{"end", ToString(answer.end)},
          {"rows", List(answer.rows, [](const auto& row) { return Of(row); })},
          {"unmeasured", List(answer.unmeasured, [](const auto& cell) { return Of(cell); })},
          {"counters", List(answer.counters, [](const auto& row) { return Of(row); })}};
}

Json OfGate(const Campaign& campaign) {
  const GateCampaign& gate = std::get<GateCampaign>(campaign.question);
  Json jobs = Json::array();
  for (const CampaignJob& job : campaign.jobs) {
    jobs.push_back({{"round", job.round}, {"job", job.job.value}});
  }
  return {{"id", campaign.id.value},
          {"project", campaign.project},
          {"suite", gate.question.suite.suite},
          {"state", ToString(campaign.state)},
          {"failure", OrNull(campaign.failure)},
          {"candidate_revision", gate.sides.candidate.id},
          {"candidate_subject", gate.sides.candidate.subject},
          {"baseline_revision", gate.sides.baseline.id},
          {"baseline_subject", gate.sides.baseline.subject},
          {"baseline_rule", ToString(gate.sides.rule_taken)},
          {"commits_back", gate.sides.commits_back},
          {"false_discovery_rate", gate.question.false_discovery_rate},
          {"round", campaign.round},
          {"run_budget", campaign.run_budget},
          {"run_count", campaign.run_count},
          {"round_runs", Of(campaign.round_runs)},
          {"jobs", jobs},
          {"create_time", FormatTime(campaign.created_at)},
          {"finish_time",
           campaign.finished_at ? Json(FormatTime(*campaign.finished_at)) : Json(nullptr)},
          {"answer", campaign.answer ? Of(std::get<GateAnswer>(*campaign.answer)) : Json(nullptr)}};
}

Json Of(const CounterChange& counter) {
  return {{"metric", counter.metric},       {"unit", counter.unit},
          {"before", counter.before},       {"after", counter.after},
          {"effect_sd", counter.effect_sd}, {"relative_change", OrNull(counter.relative_change)}};
}

Json Of(const std::optional<ExampleRun>& run) {
  if (!run) return nullptr;
  return {{"job", run->job.value}, {"seed", run->seed}};
}

Json Of(const AlertCell& cell) {
  return {{"series", Of(cell.series)},
          {"change", Of(cell.change)},
          {"recovered_revision", cell.recovered ? Json(cell.recovered->id) : Json(nullptr)},
          {"recovered_relative_change", OrNull(cell.recovered_relative_change)},
          {"counters", List(cell.counters, [](const auto& counter) { return Of(counter); })},
          {"previous_run", Of(cell.previous_run)},
          {"revision_run", Of(cell.revision_run)}};
}

Json Of(const CellBeside& cell) {
  return {{"series", Of(cell.series)},
          {"relative_change", cell.relative_change},
          {"before", Of(cell.before)},
          {"after", Of(cell.after)}};
}

Json Of(const AlertEvent& event) {
  return {{"time", FormatTime(event.at)},
          {"from", event.from ? Json(ToString(*event.from)) : Json(nullptr)},
          {"to", ToString(event.to)},
          {"who", event.who},
          {"why", event.why}};
}

Json Of(const NotRunCell& cell) {
  return {{"series", Of(cell.series)}, {"last_revision", cell.last.id}};
}

Json Of(const Alert& alert) {
  return {{"id", alert.id.value},
          {"project", alert.project},
          {"policy", alert.policy},
          {"state", ToString(alert.state)},
          {"revision", alert.revision.id},
          {"subject", alert.revision.subject},
          {"previous_revision", alert.previous.id},
          {"interval_first", alert.interval_first.id},
          {"interval_last", alert.interval_last.id},
          {"recovered_revision", alert.recovered ? Json(alert.recovered->id) : Json(nullptr)},
          {"cells", List(alert.cells, [](const auto& cell) { return Of(cell); })},
          {"unchanged", List(alert.unchanged, [](const auto& cell) { return Of(cell); })},
          {"undecided", List(alert.undecided, [](const auto& cell) { return Of(cell); })},
          {"not_run", List(alert.not_run, [](const auto& cell) { return Of(cell); })},
          {"history", List(alert.history, [](const auto& event) { return Of(event); })},
          {"merged_into", alert.merged_into ? Json(alert.merged_into->value) : Json(nullptr)},
          {"bisection", alert.backfill ? Json(alert.backfill->value) : Json(nullptr)},
          {"create_time", FormatTime(alert.created_at)}};
}

Json Of(const AlertPrecision& precision) {
  return {{"project", precision.project},
          {"open", precision.open_count},
          {"acknowledged", precision.acknowledged_count},
          {"resolved", precision.resolved_count},
          {"recovered", precision.recovered_count},
          {"dismissed", precision.dismissed_count},
          {"withdrawn", precision.withdrawn_count},
          {"confirmed_share", OrNull(precision.Share())}};
}

Json Of(const ChangeStep& step) {
  return {{"before", Of(step.before)},
          {"after", Of(step.after)},
          {"relative_change", step.relative_change},
          {"effect_sd", step.effect_sd},
          {"p_value", step.p_value}};
}

Json Of(const ChangeCheck& check) {
  return {{"name", check.name},
          {"value", check.value},
          {"limit", check.limit},
          {"is_passed", check.is_passed}};
}

Json OfExplained(const Point& point) {
  return {{"revision", point.revision.id},
          {"subject", point.revision.subject},
          {"samples", point.samples}};
}

Json Of(const ChangeExplanation& explanation) {
  return {
      {"series", Of(explanation.series)},
      {"revision", explanation.revision.id},
      {"subject", explanation.revision.subject},
      {"reason", ToString(explanation.reason)},
      {"likelier_revision", explanation.likelier ? Json(explanation.likelier->id) : Json(nullptr)},
      {"step", explanation.step ? Of(*explanation.step) : Json(nullptr)},
      {"checks", List(explanation.checks, [](const auto& check) { return Of(check); })},
      {"change", explanation.change ? Of(*explanation.change) : Json(nullptr)},
      {"series_count", explanation.series_count},
      {"alerts", List(explanation.alerts, [](const auto& alert) { return Of(alert); })},
      {"points", List(explanation.points, [](const auto& point) { return OfExplained(point); })}};
}

Json Of(const Worker& worker) {
  return {{"name", worker.identity.name},
          {"state", ToString(worker.state)},
          {"engine_version", worker.identity.engine_version},
          {"build_version", worker.identity.build_version},
          {"slot_count", worker.identity.slot_count},
          {"leased_count", worker.leased_count},
          {"last_seen_time", FormatTime(worker.last_seen_at)}};
}

Json Of(const SeriesHistory& history) {
  Json points = Json::array();
  for (std::size_t i = 0; i < history.points.size(); ++i) {
    const Point& point = history.points[i];
    points.push_back({{"revision", point.revision.id},
                      {"ordinal", point.revision.ordinal},
                      {"subject", point.revision.subject},
                      {"date", point.revision.date},
                      {"samples", point.samples},
                      {"summary", Of(history.summaries[i])}});
  }
  return {{"series", Of(history.series)},
          {"points", points},
          {"change_points", List(history.change_points, [](const auto& c) { return Of(c); })}};
}

Json Of(const WorkloadDefinition& workload) {
  Json parameters = Json::array();
  for (const WorkloadParameter& parameter : workload.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"default_value", parameter.default_value},
                          {"minimum", parameter.minimum},
                          {"maximum", parameter.maximum},
                          {"meaning", parameter.meaning}});
  }
  return {{"name", workload.name},
          {"description", workload.description},
          {"duration_ns", workload.duration_ns},
          {"headline", workload.headline},
          {"document_format", workload.document_format},
          {"parameters", parameters}};
}

Json Of(const PolicyDefinition& policy) {
  Json switches = Json::array();
  for (const SwitchDefinition& one : policy.switches) {
    switches.push_back({{"name", one.name},
                        {"values", one.values},
                        {"default_value", one.default_value},
                        {"meaning", one.meaning}});
  }
  Json revisions = Json::array();
  for (const Revision& revision : policy.revisions) {
    revisions.push_back({{"id", revision.id},
                         {"aliases", revision.aliases},
                         {"ordinal", revision.ordinal},
                         {"date", revision.date},
                         {"subject", revision.subject},
                         {"evidence", revision.evidence},
                         {"changes", revision.changes}});
  }
  return {{"name", policy.name},       {"implementation", policy.implementation},
          {"project", policy.project}, {"description", policy.description},
          {"switches", switches},      {"revisions", revisions}};
}

Json Of(const MetricSpec& metric) {
  return {{"name", metric.name},
          {"unit", metric.unit},
          {"direction", ToString(metric.direction)},
          {"role", ToString(metric.role)},
          {"meaning", metric.meaning},
          {"minimum_effect", metric.minimum_effect}};
}

Json Of(const NoiseReport& report) {
  return {{"series", Of(report.series)},
          {"run_count", report.run_count},
          {"revision_count", report.revision_count},
          {"segment_count", report.segment_count},
          {"within_sd", OrNull(report.within_sd)},
          {"within_robust_sd", OrNull(report.within_robust_sd)},
          {"between_robust_sd", OrNull(report.between_robust_sd)},
          {"scale", report.is_logarithmic ? "logarithm" : "multiples of the median"},
          {"plans",
           List(report.plans,
                [](const NoisePlan& plan) {
                  return Json{{"effect", plan.effect}, {"runs_a_side", OrNull(plan.runs_a_side)}};
                })},
          {"revisions", List(report.revisions, [](const RevisionNoise& one) {
             return Json{{"revision", one.revision.id},
                         {"summary", Of(one.summary)},
                         {"robust_sd", OrNull(one.robust_sd)}};
           })}};
}

Json Of(const RevisionComparison& comparison) {
  return {{"baseline_revision", comparison.baseline.id},
          {"baseline_subject", comparison.baseline.subject},
          {"candidate_revision", comparison.candidate.id},
          {"candidate_subject", comparison.candidate.subject},
          {"false_discovery_rate", comparison.false_discovery_rate},
          {"rows", List(comparison.rows, [](const auto& row) { return Of(row); })}};
}

Json VerdictsOf(const ComparisonSet& set, const ComparisonGroup& group) {
  Json verdicts = Json::array();
  for (std::size_t candidate = 0; candidate < set.candidates.size(); ++candidate) {
    for (std::size_t baseline = 0; baseline < set.baselines.size(); ++baseline) {
      const VerdictCounts counts = CountVerdicts(group.series, baseline, candidate);
      verdicts.push_back({{"baseline_revision", set.baselines[baseline].revision.id},
                          {"candidate_revision", set.candidates[candidate].revision.id},
                          {"worse", counts.worse},
                          {"better", counts.better},
                          {"no_change", counts.no_change},
                          {"undecided", counts.undecided},
                          {"ratio_count", counts.ratio_count},
                          {"geometric_mean_ratio", OrNull(counts.geometric_mean)}});
    }
  }
  return verdicts;
}

template <class T>
std::string ListDocument(const char* name, const std::vector<T>& values) {
  Json body = Json::object();
  body[name] = List(values, [](const T& value) { return Of(value); });
  return Document(body);
}

}  // namespace

std::string JobDocument(const Job& job, const std::vector<Run>& runs) {
  Json body = Of(job);
  body["runs"] = List(runs, [](const Run& run) { return Of(run); });
  return Document(body);
}

std::string JobListDocument(const std::vector<Job>& jobs) { return ListDocument("jobs", jobs); }

std::string GateDocument(const Campaign& gate) { return Document(OfGate(gate)); }

std::string GateListDocument(const std::vector<Campaign>& gates) {
  Json body = Json::object();
  body["gates"] = List(gates, [](const auto& gate) { return OfGate(gate); });
  return Document(body);
}

std::string ComparisonDocument(const RevisionComparison& comparison) {
  return Document(Of(comparison));
}

std::string ComparisonSetDocument(const ComparisonSet& set, Grouping grouping) {
  Json body = set.pairs.empty() ? Json::object() : Of(set.pairs.front().comparison);
  body["sign_rule"] = "relative_change is raw: candidate / baseline - 1; see direction";
  body["spread"] = "stddev of runs, n - 1";
  body["groups"] = List(GroupsOf(set, grouping), [&set](const ComparisonGroup& group) {
    return Json{{"name", OrNull(group.name)}, {"verdicts", VerdictsOf(set, group)}};
  });
  Json more = Json::array();
  for (std::size_t i = 1; i < set.pairs.size(); ++i) more.push_back(Of(set.pairs[i].comparison));
  body["more_comparisons"] = more;
  return Document(body);
}

std::string HistoryDocument(const std::vector<SeriesHistory>& histories) {
  return ListDocument("histories", histories);
}

std::string CoverageDocument(const Coverage& coverage) {
  return Document({{"revision", coverage.revision.id},
                   {"subject", coverage.revision.subject},
                   {"neighbours", coverage.neighbours},
                   {"cells", List(coverage.cells, [](const CoverageCell& cell) {
                      return Json{{"series", Of(cell.series)},
                                  {"sample_count", cell.sample_count},
                                  {"neighbour_count", cell.neighbour_count},
                                  {"is_missing", cell.sample_count == 0}};
                    })}});
}

std::string NoiseDocument(const std::vector<NoiseReport>& reports) {
  return ListDocument("noise", reports);
}

std::string MetricDocument(const MetricSpec& metric, const std::vector<std::string>& judged_in) {
  Json body = Of(metric);
  body["judged_in"] = judged_in;
  return Document(body);
}

std::string AlertDocument(const Alert& alert) { return Document(Of(alert)); }

std::string AlertListDocument(const std::vector<Alert>& alerts) {
  return ListDocument("alerts", alerts);
}

std::string AlertPrecisionDocument(const std::vector<AlertPrecision>& projects) {
  return ListDocument("projects", projects);
}

std::string ExplanationDocument(const ChangeExplanation& explanation) {
  return Document(Of(explanation));
}

std::string WorkerListDocument(const std::vector<Worker>& workers) {
  return ListDocument("workers", workers);
}

std::string TopologiesDocument(const std::vector<Topology>& topologies) {
  Json body = Json::object();
  body["topologies"] = List(topologies, [](const auto& t) { return Json::parse(ToJson(t)); });
  return Document(body);
}

std::string WorkloadsDocument(const std::vector<WorkloadDefinition>& workloads) {
  return ListDocument("workloads", workloads);
}

std::string PoliciesDocument(const std::vector<PolicyDefinition>& policies) {
  return ListDocument("policies", policies);
}

std::string MetricsDocument(const std::vector<MetricSpec>& metrics) {
  return ListDocument("metrics", metrics);
}

std::string SuitesDocument(const std::map<std::string, std::string>& suites) {
  Json body = Json::object();
  body["suites"] = suites;
  return Document(body);
}

}  // namespace schedlab::client
