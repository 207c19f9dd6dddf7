#include "client/bisect_document.h"

#include <nlohmann/json.hpp>

#include "client/number_format.h"

namespace schedlab::client {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormatVersion = 1;

std::string Document(Json body) {
  Json document = {{"format_version", kFormatVersion}};
  document.update(body);
  return document.dump(2) + "\n";
}

Json Of(const RevisionRef& revision);
Json Of(const BisectionCulprit& culprit);
Json Of(const CommitProbability& one);
Json Of(const CommitRuns& runs);
Json Of(const CampaignJob& job);
Json Of(const Campaign& campaign);

template <class T>
Json List(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(Of(value));
  return list;
}

Json Of(const RevisionRef& revision) {
  return {{"revision", revision.id}, {"subject", revision.subject}};
}

Json Of(const BisectionCulprit& culprit) {
  return {{"revision", culprit.revision.id},
          {"subject", culprit.revision.subject},
          {"probability", culprit.probability},
          {"is_confirmed", culprit.is_confirmed},
          {"is_merge", culprit.is_merge},
          {"step", culprit.step},
          {"step_low", culprit.step_interval.low},
          {"step_high", culprit.step_interval.high},
          {"share", culprit.share},
          {"candidates", List(culprit.candidates)},
          {"smallest_set", List(culprit.smallest_set)}};
}

Json Of(const CommitProbability& one) {
  return {{"revision", one.revision.id},
          {"subject", one.revision.subject},
          {"probability", one.probability}};
}

Json Of(const CommitRuns& runs) {
  return {{"revision", runs.revision.id},
          {"subject", runs.revision.subject},
          {"count", runs.count},
          {"mean", runs.count > 0 ? Json(runs.mean) : Json(nullptr)},
          {"failed_count", runs.failed_count},
          {"is_skipped", runs.is_skipped},
          {"failure", runs.failure.empty() ? Json(nullptr) : Json(runs.failure)}};
}

Json Of(const BisectionAnswer& answer) {
  return {{"outcome", answer.outcome ? Json(ToString(*answer.outcome)) : Json(nullptr)},
          {"reason", answer.reason.empty() ? Json(nullptr) : Json(answer.reason)},
          {"culprits", List(answer.culprits)},
          {"smallest_set", List(answer.smallest_set)},
          {"descends_into_merge", answer.descends_into_merge},
          {"likeliest", List(answer.likeliest)},
          {"difference", answer.difference},
          {"difference_sd", answer.difference_sd},
          {"runs", List(answer.runs)}};
}

Json AnswerOf(const Campaign& campaign) {
  return campaign.answer ? Of(std::get<BisectionAnswer>(*campaign.answer)) : Json(nullptr);
}

Json Of(const CampaignJob& job) { return {{"round", job.round}, {"job", job.job.value}}; }

Json Of(const JobSpec& probe) {
  return {{"policy", probe.policies.front().policy},
          {"switches", probe.policies.front().switches},
          {"topology", probe.topologies.front()},
          {"workload", probe.workloads.front().workload},
          {"parameters", probe.workloads.front().parameters},
          {"duration_ns", probe.workloads.front().duration_ns},
          {"executor", ToString(probe.executor)}};
}

Json Of(const Campaign& campaign) {
  const auto& [question, range] = std::get<BisectionCampaign>(campaign.question);
  return {{"id", campaign.id.value},
          {"project", campaign.project},
          {"state", ToString(campaign.state)},
          {"failure", campaign.failure.empty() ? Json(nullptr) : Json(campaign.failure)},
          {"probe", Of(question.probe)},
          {"metric", question.metric},
          {"unit", range.unit},
          {"metric_direction", ToString(range.metric_direction)},
          {"direction", ToString(question.direction)},
          {"minimum_effect", range.minimum_effect},
          {"good", Of(range.good)},
          {"bad", Of(range.bad)},
          {"commit_count", range.commit_count},
          {"skipped", question.skipped},
          {"worker_count", question.worker_count},
          {"round", campaign.round},
          {"run_budget", campaign.run_budget},
          {"run_count", campaign.run_count},
          {"jobs", List(campaign.jobs)},
          {"create_time", FormatTime(campaign.created_at)},
          {"finish_time",
           campaign.finished_at ? Json(FormatTime(*campaign.finished_at)) : Json(nullptr)},
          {"answer", AnswerOf(campaign)}};
}

}  // namespace

std::string BisectionDocument(const Campaign& bisection) { return Document(Of(bisection)); }

std::string BisectionListDocument(const std::vector<Campaign>& bisections) {
  return Document({{"bisections", List(bisections)}});
}

}  // namespace schedlab::client
