#include "core/campaign_json.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "core/bisection_json.h"
#include "core/executor.h"
#include "core/json_parts.h"
#include "core/spec_json.h"

namespace schedlab {
namespace {

constexpr int kVersion = 1;
constexpr std::string_view kGate = "gate";
constexpr std::string_view kBisection = "bisection";

constexpr std::array kRules = {BaselineRule::kMergeBase, BaselineRule::kParent,
                               BaselineRule::kNewestMeasured, BaselineRule::kExplicit};
constexpr std::array kEnds = {GateEnd::kOpen, GateEnd::kDecided, GateEnd::kLooksUsed,
                              GateEnd::kBudgetSpent};
constexpr std::array kVerdicts = {Verdict::kNone, Verdict::kWorse, Verdict::kBetter,
                                  Verdict::kNoChange, Verdict::kUndecided};
constexpr std::array kDirections = {Direction::kHigherIsBetter, Direction::kLowerIsBetter};
constexpr std::array kRoles = {MetricRole::kHeadline, MetricRole::kCounter};

Json QuestionJson(const GateQuestion& question) {
  return {{"suite", Json::parse(ToJson(question.suite))},
          {"candidate", question.candidate},
          {"baseline_rule", ToString(question.baseline_rule)},
          {"baseline", question.baseline},
          {"false_discovery_rate", question.false_discovery_rate}};
}

Result<GateQuestion> QuestionFrom(const Json& json) {
  Result<JobSpec> suite = JobSpecFromJson(json.at("suite").dump());
  if (!suite) return Fail(suite.error());
  return GateQuestion{.suite = std::move(*suite),
                      .candidate = json.at("candidate"),
                      .baseline_rule = WordIn(json.at("baseline_rule"), kRules),
                      .baseline = json.at("baseline"),
                      .false_discovery_rate = json.at("false_discovery_rate")};
}

Json SidesJson(const GateSides& sides) {
  return {{"baseline", RevisionJson(sides.baseline)},
          {"candidate", RevisionJson(sides.candidate)},
          {"rule_taken", ToString(sides.rule_taken)},
          {"commits_back", sides.commits_back}};
}

GateSides SidesFrom(const Json& json) {
  return {.baseline = RevisionFrom(json.at("baseline")),
          .candidate = RevisionFrom(json.at("candidate")),
          .rule_taken = WordIn(json.at("rule_taken"), kRules),
          .commits_back = json.at("commits_back")};
}

Json SeriesJson(const Series& series) {
  const SeriesKey& key = series.key;
  return {{"id", series.id.value},
          {"project", key.project},
          {"policy", key.policy},
          {"variant", key.variant},
          {"topology", key.topology},
          {"workload", key.workload},
          {"scenario_digest", key.scenario_digest},
          {"executor", ToString(key.executor)},
          {"engine_version", key.engine_version},
          {"metric", key.metric},
          {"unit", series.unit},
          {"direction", ToString(series.direction)},
          {"role", ToString(series.role)},
          {"minimum_effect", series.minimum_effect},
          {"point_count", series.point_count}};
}

Series SeriesFrom(const Json& json) {
  return {.id = {json.at("id").get<std::int64_t>()},
          .key = {.project = json.at("project"),
                  .policy = json.at("policy"),
                  .variant = json.at("variant"),
                  .topology = json.at("topology"),
                  .workload = json.at("workload"),
                  .scenario_digest = json.at("scenario_digest"),
                  .executor = WordIn(json.at("executor"), std::array{Executor::kSim}),
                  .engine_version = json.at("engine_version"),
                  .metric = json.at("metric")},
          .unit = json.at("unit"),
          .direction = WordIn(json.at("direction"), kDirections),
          .role = WordIn(json.at("role"), kRoles),
          .minimum_effect = json.at("minimum_effect"),
          .point_count = json.at("point_count")};
}

Json SummaryJson(const SampleSummary& summary) {
  return {{"count", summary.count},           {"mean", summary.mean},
          {"stddev", OrNull(summary.stddev)}, {"median", summary.median},
          {"minimum", summary.minimum},       {"maximum", summary.maximum}};
}

SampleSummary SummaryFrom(const Json& json) {
  return {.count = json.at("count"),
          .mean = json.at("mean"),
          .stddev = OptionalFrom(json.at("stddev")),
          .median = json.at("median"),
          .minimum = json.at("minimum"),
          .maximum = json.at("maximum")};
}

// An end that is infinite is null: JSON has no infinities.
Json IntervalJson(const std::optional<ChangeInterval>& interval) {
  if (!interval) return nullptr;
  return {{"low", interval->low}, {"high", interval->high}};
}

std::optional<ChangeInterval> IntervalFrom(const Json& json) {
  if (json.is_null()) return std::nullopt;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return ChangeInterval{.low = OptionalFrom(json.at("low")).value_or(-kInfinity),
                        .high = OptionalFrom(json.at("high")).value_or(kInfinity)};
}

Json RowJson(const ComparisonRow& row) {
  return {{"series", SeriesJson(row.series)},
          {"baseline_samples", row.baseline_samples},
          {"candidate_samples", row.candidate_samples},
          {"baseline", SummaryJson(row.baseline)},
          {"candidate", SummaryJson(row.candidate)},
          {"relative_change", OrNull(row.relative_change)},
          {"interval", IntervalJson(row.interval)},
          {"p_value", OrNull(row.p_value)},
          {"verdict", ToString(row.verdict)},
          {"more_runs_needed", row.more_runs_needed}};
}

ComparisonRow RowFrom(const Json& json) {
  return {.series = SeriesFrom(json.at("series")),
          .baseline_samples = json.at("baseline_samples"),
          .candidate_samples = json.at("candidate_samples"),
          .baseline = SummaryFrom(json.at("baseline")),
          .candidate = SummaryFrom(json.at("candidate")),
          .relative_change = OptionalFrom(json.at("relative_change")),
          .interval = IntervalFrom(json.at("interval")),
          .p_value = OptionalFrom(json.at("p_value")),
          .verdict = WordIn(json.at("verdict"), kVerdicts),
          .more_runs_needed = json.at("more_runs_needed")};
}

Json UnmeasuredJson(const UnmeasuredCell& cell) {
  return {{"policy", cell.policy},     {"variant", cell.variant}, {"topology", cell.topology},
          {"workload", cell.workload}, {"metric", cell.metric},   {"has_failed", cell.has_failed},
          {"reason", cell.reason}};
}

UnmeasuredCell UnmeasuredFrom(const Json& json) {
  return {.policy = json.at("policy"),
          .variant = json.at("variant"),
          .topology = json.at("topology"),
          .workload = json.at("workload"),
          .metric = json.at("metric"),
          .has_failed = json.at("has_failed"),
          .reason = json.at("reason")};
}

Json AnswerJson(const GateAnswer& answer) {
  Json rows = Json::array();
  for (const ComparisonRow& row : answer.rows) rows.push_back(RowJson(row));
  Json unmeasured = Json::array();
  for (const UnmeasuredCell& cell : answer.unmeasured) unmeasured.push_back(UnmeasuredJson(cell));
  return {{"end", ToString(answer.end)},
          {"rows", std::move(rows)},
          {"unmeasured", std::move(unmeasured)}};
}

GateAnswer AnswerFrom(const Json& json) {
  GateAnswer answer;
  answer.end = WordIn(json.at("end"), kEnds);
  for (const Json& row : json.at("rows")) answer.rows.push_back(RowFrom(row));
  for (const Json& cell : json.at("unmeasured")) answer.unmeasured.push_back(UnmeasuredFrom(cell));
  return answer;
}

std::string Enveloped(std::string_view kind, Json body) {
  body["version"] = kVersion;
  body["kind"] = kind;
  return Dump(body);
}

struct QuestionWriter {
  std::string operator()(const GateCampaign& gate) const {
    return Enveloped(kGate,
                     {{"question", QuestionJson(gate.question)}, {"sides", SidesJson(gate.sides)}});
  }
  std::string operator()(const BisectionCampaign& bisection) const {
    return Enveloped(kBisection, BisectionJson(bisection));
  }
};

struct AnswerWriter {
  std::string operator()(const GateAnswer& answer) const {
    return Enveloped(kGate, {{"answer", AnswerJson(answer)}});
  }
  std::string operator()(const BisectionAnswer& answer) const {
    return Enveloped(kBisection, {{"answer", BisectionAnswerJson(answer)}});
  }
};

// The only foreign exceptions here are the JSON library's.
template <class T, class Convert>
Result<T> Parsed(std::string_view text, std::string_view what, Convert convert) {
  try {
    const Json json = Json::parse(text);
    const Json& kind = json.at("kind");
    if (json.at("version") != kVersion || (kind != kGate && kind != kBisection)) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("this program does not know {}s of kind {}, version {}", what,
                              kind.dump(), json.at("version").dump()));
    }
    return convert(json);
  } catch (const Json::exception& e) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("not the JSON of a campaign's {}: {}", what, e.what()));
  }
}

}  // namespace

std::string ToJson(const GateQuestion& question) { return Dump(QuestionJson(question)); }

std::string ToJson(const BisectionQuestion& question) {
  return Dump(BisectionQuestionJson(question));
}

std::string ToJson(const CampaignQuestion& question) {
  return std::visit(QuestionWriter(), question);
}

std::string ToJson(const CampaignAnswer& answer) { return std::visit(AnswerWriter(), answer); }

Result<CampaignQuestion> CampaignQuestionFromJson(std::string_view text) {
  return Parsed<CampaignQuestion>(
      text, "question", [](const Json& json) -> Result<CampaignQuestion> {
        if (json.at("kind") == kBisection) return BisectionFrom(json);
        Result<GateQuestion> question = QuestionFrom(json.at("question"));
        if (!question) return Fail(question.error());
        return GateCampaign{.question = std::move(*question), .sides = SidesFrom(json.at("sides"))};
      });
}

Result<CampaignAnswer> CampaignAnswerFromJson(std::string_view text) {
  return Parsed<CampaignAnswer>(text, "answer", [](const Json& json) -> Result<CampaignAnswer> {
    if (json.at("kind") == kBisection) return BisectionAnswerFrom(json.at("answer"));
    return AnswerFrom(json.at("answer"));
  });
}

}  // namespace schedlab
