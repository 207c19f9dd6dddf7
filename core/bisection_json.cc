#include "core/bisection_json.h"

#include <utility>

#include "core/spec_json.h"

namespace schedlab {
namespace {

constexpr std::array kStages = {BisectionStage::kHistory, BisectionStage::kReproduce,
                                BisectionStage::kSearch, BisectionStage::kConfirm,
                                BisectionStage::kSurvey};
constexpr std::array kOutcomes = {BisectionOutcome::kCulprit,       BisectionOutcome::kSkippedRange,
                                  BisectionOutcome::kSeveral,       BisectionOutcome::kGradual,
                                  BisectionOutcome::kNotReproduced, BisectionOutcome::kUndecided};
constexpr std::array kChangeDirections = {ChangeDirection::kIncrease, ChangeDirection::kDecrease,
                                          ChangeDirection::kEither};
constexpr std::array kMetricDirections = {Direction::kHigherIsBetter, Direction::kLowerIsBetter};

template <class T, class Convert>
Json ListJson(const std::vector<T>& values, Convert convert) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(convert(value));
  return list;
}

template <class Convert>
auto ListFrom(const Json& json, Convert convert) {
  std::vector<decltype(convert(json))> values;
  for (const Json& value : json) values.push_back(convert(value));
  return values;
}

Json RangeJson(const BisectionRange& range) {
  return {{"good", RevisionJson(range.good)},
          {"bad", RevisionJson(range.bad)},
          {"commit_count", range.commit_count},
          {"unit", range.unit},
          {"metric_direction", ToString(range.metric_direction)},
          {"minimum_effect", range.minimum_effect}};
}

BisectionRange RangeFrom(const Json& json) {
  return {.good = RevisionFrom(json.at("good")),
          .bad = RevisionFrom(json.at("bad")),
          .commit_count = json.at("commit_count"),
          .unit = json.at("unit"),
          .metric_direction = WordIn(json.at("metric_direction"), kMetricDirections),
          .minimum_effect = json.at("minimum_effect")};
}

Json CulpritJson(const BisectionCulprit& culprit) {
  return {{"revision", RevisionJson(culprit.revision)},
          {"candidates", ListJson(culprit.candidates, RevisionJson)},
          {"smallest_set", ListJson(culprit.smallest_set, RevisionJson)},
          {"probability", culprit.probability},
          {"is_confirmed", culprit.is_confirmed},
          {"is_merge", culprit.is_merge},
          {"step", culprit.step},
          {"step_low", culprit.step_interval.low},
          {"step_high", culprit.step_interval.high},
          {"share", culprit.share}};
}

BisectionCulprit CulpritFrom(const Json& json) {
  return {.revision = RevisionFrom(json.at("revision")),
          .candidates = ListFrom(json.at("candidates"), RevisionFrom),
          .smallest_set = ListFrom(json.at("smallest_set"), RevisionFrom),
          .probability = json.at("probability"),
          .is_confirmed = json.at("is_confirmed"),
          .is_merge = json.at("is_merge"),
          .step = json.at("step"),
          .step_interval = {.low = json.at("step_low"), .high = json.at("step_high")},
          .share = json.at("share")};
}

Json ProbabilityJson(const CommitProbability& one) {
  return {{"revision", RevisionJson(one.revision)}, {"probability", one.probability}};
}

CommitProbability ProbabilityFrom(const Json& json) {
  return {.revision = RevisionFrom(json.at("revision")), .probability = json.at("probability")};
}

Json RunsJson(const CommitRuns& runs) {
  return {{"revision", RevisionJson(runs.revision)},
          {"count", runs.count},
          {"mean", runs.mean},
          {"failed_count", runs.failed_count},
          {"is_skipped", runs.is_skipped},
          {"failure", runs.failure}};
}

CommitRuns RunsFrom(const Json& json) {
  return {.revision = RevisionFrom(json.at("revision")),
          .count = json.at("count"),
          .mean = json.at("mean"),
          .failed_count = json.at("failed_count"),
          .is_skipped = json.at("is_skipped"),
          .failure = json.at("failure")};
}

Json ProbeJson(const PlannedProbe& probe) {
  return {{"commit", probe.commit},
          {"repetition", probe.repetition},
          {"stage", ToString(probe.purpose.stage)},
          {"first", probe.purpose.first},
          {"last", probe.purpose.last},
          {"claim", probe.purpose.claim},
          {"attempt", probe.purpose.attempt}};
}

PlannedProbe ProbeFrom(const Json& json) {
  return {.commit = json.at("commit"),
          .repetition = json.at("repetition"),
          .purpose = {.stage = WordIn(json.at("stage"), kStages),
                      .first = json.at("first"),
                      .last = json.at("last"),
                      .claim = json.at("claim"),
                      .attempt = json.at("attempt")}};
}

Result<BisectionQuestion> QuestionFrom(const Json& json) {
  Result<JobSpec> probe = JobSpecFromJson(json.at("probe").dump());
  if (!probe) return Fail(probe.error());
  return BisectionQuestion{.probe = std::move(*probe),
                           .metric = json.at("metric"),
                           .good = json.at("good"),
                           .bad = json.at("bad"),
                           .worker_count = json.at("worker_count"),
                           .direction = WordIn(json.at("direction"), kChangeDirections),
                           .minimum_effect = json.at("minimum_effect"),
                           .skipped = json.at("skipped")};
}

}  // namespace

Json BisectionQuestionJson(const BisectionQuestion& question) {
  return {{"probe", Json::parse(ToJson(question.probe))},
          {"metric", question.metric},
          {"good", question.good},
          {"bad", question.bad},
          {"worker_count", question.worker_count},
          {"direction", ToString(question.direction)},
          {"minimum_effect", question.minimum_effect},
          {"skipped", question.skipped}};
}

Json BisectionJson(const BisectionCampaign& bisection) {
  return {{"question", BisectionQuestionJson(bisection.question)},
          {"range", RangeJson(bisection.range)}};
}

Result<BisectionCampaign> BisectionFrom(const Json& json) {
  Result<BisectionQuestion> question = QuestionFrom(json.at("question"));
  if (!question) return Fail(question.error());
  return BisectionCampaign{.question = std::move(*question), .range = RangeFrom(json.at("range"))};
}

Json BisectionAnswerJson(const BisectionAnswer& answer) {
  return {{"outcome", answer.outcome ? Json(ToString(*answer.outcome)) : Json(nullptr)},
          {"reason", answer.reason},
          {"descends_into_merge", answer.descends_into_merge},
          {"culprits", ListJson(answer.culprits, CulpritJson)},
          {"smallest_set", ListJson(answer.smallest_set, RevisionJson)},
          {"likeliest", ListJson(answer.likeliest, ProbabilityJson)},
          {"difference", answer.difference},
          {"difference_sd", answer.difference_sd},
          {"runs", ListJson(answer.runs, RunsJson)},
          {"probes", ListJson(answer.probes, ProbeJson)}};
}

BisectionAnswer BisectionAnswerFrom(const Json& json) {
  BisectionAnswer answer{.reason = json.at("reason"),
                         .descends_into_merge = json.at("descends_into_merge"),
                         .culprits = ListFrom(json.at("culprits"), CulpritFrom),
                         .smallest_set = ListFrom(json.at("smallest_set"), RevisionFrom),
                         .likeliest = ListFrom(json.at("likeliest"), ProbabilityFrom),
                         .difference = json.at("difference"),
                         .difference_sd = json.at("difference_sd"),
                         .runs = ListFrom(json.at("runs"), RunsFrom),
                         .probes = ListFrom(json.at("probes"), ProbeFrom)};
  const Json& outcome = json.at("outcome");
  if (!outcome.is_null()) answer.outcome = WordIn(outcome, kOutcomes);
  return answer;
}

}  // namespace schedlab
