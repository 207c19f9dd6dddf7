#include "server/campaigns/bisection_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/limits.h"
#include "server/campaigns/bisection_evidence.h"
#include "server/campaigns/bisection_range.h"
#include "server/campaigns/bisection_rounds.h"
#include "stats/bisection.h"

namespace schedlab::server {
namespace {

constexpr std::size_t kLikeliestShown = 3;

// From the scale of judgement to relative changes; what is too large for a number is the largest.
struct Relative {
  bool is_logarithmic = true;

  double operator()(double change) const {
    constexpr double kLargest = std::numeric_limits<double>::max();
    return std::clamp(is_logarithmic ? std::expm1(change) : change, -kLargest, kLargest);
  }
};

// All that is known at one step.
struct Standing {
  const BisectionCampaign& bisection;
  BisectionCommits commits;
  BisectionRuns runs;
};

Result<Standing> StandingOf(const Catalog& catalog, const BisectionCampaign& bisection,
                            const std::vector<PlannedProbe>& probes,
                            const CampaignEvidence& evidence) {
  Result<BisectionCommits> commits = CommitsOf(catalog, bisection);
  if (!commits) return Fail(commits.error());
  Result<BisectionRuns> runs =
      ReadRuns(catalog, bisection.question, commits->revisions, probes, evidence.runs);
  if (!runs) return Fail(runs.error());
  Standing standing{bisection, std::move(*commits), std::move(*runs)};
  for (const auto& [commit, failed] : standing.runs.failed) {
    if (!failed.is_given_up()) continue;
    standing.commits.commits[static_cast<std::size_t>(commit)].is_skipped = true;
  }
  return standing;
}

// Without both ends there is no question. "" where they can be run.
std::string WhyEndsCannotBeRun(const Standing& standing) {
  const auto last = static_cast<std::int64_t>(standing.commits.commits.size()) - 1;
  for (const std::int64_t end : {std::int64_t{0}, last}) {
    const auto failed = standing.runs.failed.find(end);
    if (failed == standing.runs.failed.end() || !failed->second.is_given_up()) continue;
    return fmt::format("{} runs of the {} end failed, so that another one is needed; the first: {}",
                       failed->second.count, end == 0 ? "good" : "bad",
                       failed->second.first_failure);
  }
  return "";
}

stats::BisectionState StateOf(const Standing& standing, std::int64_t runs_left) {
  const BisectionQuestion& question = standing.bisection.question;
  const auto measured = static_cast<std::int64_t>(standing.runs.measured.size());
  return {.commits = standing.commits.commits,
          .runs = standing.runs.measured,
          .options = {
              .worker_count = question.worker_count,
              .run_budget = std::clamp<std::int64_t>(measured + runs_left, 1, kMaxBisectionRuns),
              .minimum_effect = standing.bisection.range.minimum_effect,
              .direction = question.direction}};
}

std::vector<CommitRuns> RunsByCommit(const Standing& standing) {
  std::map<std::int64_t, CommitRuns> by_commit;
  for (std::size_t i = 0; i < standing.commits.commits.size(); ++i) {
    if (standing.commits.commits[i].is_skipped) by_commit[static_cast<std::int64_t>(i)] = {};
  }
  for (const stats::BisectionRun& run : standing.runs.measured) {
    CommitRuns& runs = by_commit[run.commit];
    ++runs.count;
    runs.mean += (run.value - runs.mean) / static_cast<double>(runs.count);
  }
  for (const auto& [commit, failed] : standing.runs.failed) {
    if (failed.count == 0) continue;
    by_commit[commit].failed_count = failed.count;
    by_commit[commit].failure = failed.first_failure;
  }
  std::vector<CommitRuns> all;
  for (auto& [commit, runs] : by_commit) {
    const auto index = static_cast<std::size_t>(commit);
    runs.revision = standing.commits.revisions[index];
    runs.is_skipped = standing.commits.commits[index].is_skipped;
    all.push_back(std::move(runs));
  }
  return all;
}

std::vector<RevisionRef> Named(const std::vector<std::int64_t>& commits,
                               const std::vector<RevisionRef>& revisions) {
  std::vector<RevisionRef> named;
  for (const std::int64_t commit : commits) {
    named.push_back(revisions[static_cast<std::size_t>(commit)]);
  }
  return named;
}

BisectionCulprit CulpritOf(const stats::Culprit& culprit, const std::vector<RevisionRef>& revisions,
                           Relative relative) {
  return {.revision = revisions[static_cast<std::size_t>(culprit.commit)],
          .candidates = Named(culprit.candidates, revisions),
          .smallest_set = Named(culprit.smallest_set, revisions),
          .probability = culprit.probability,
          .is_confirmed = culprit.is_confirmed,
          .is_merge = culprit.is_merge,
          .step = relative(culprit.step),
          .step_interval = {.low = relative(culprit.step_interval.low),
                            .high = relative(culprit.step_interval.high)},
          .share = culprit.share};
}

std::vector<CommitProbability> LikeliestOf(const std::vector<double>& probabilities,
                                           const std::vector<RevisionRef>& revisions) {
  std::vector<CommitProbability> likeliest;
  for (std::size_t i = 1; i < probabilities.size(); ++i) {
    likeliest.push_back({.revision = revisions[i], .probability = probabilities[i]});
  }
  std::stable_sort(likeliest.begin(), likeliest.end(),
                   [](const CommitProbability& a, const CommitProbability& b) {
                     return a.probability > b.probability;
                   });
  if (likeliest.size() > kLikeliestShown) likeliest.resize(kLikeliestShown);
  return likeliest;
}

BisectionAnswer AnswerOf(const Standing& standing, const stats::BisectionStep& step) {
  const std::vector<RevisionRef>& revisions = standing.commits.revisions;
  const Relative relative{step.is_logarithmic};
  BisectionAnswer answer{.likeliest = LikeliestOf(step.probabilities, revisions),
                         .difference = relative(step.difference),
                         .difference_sd = step.difference_sd,
                         .runs = RunsByCommit(standing)};
  for (const KnownProbe& known : standing.runs.probes) answer.probes.push_back(known.probe);
  if (!step.answer) return answer;
  answer.outcome = step.answer->outcome;
  answer.reason = step.answer->reason;
  answer.descends_into_merge = step.answer->descends_into_merge;
  answer.smallest_set = Named(step.answer->smallest_set, revisions);
  for (const stats::Culprit& culprit : step.answer->culprits) {
    answer.culprits.push_back(CulpritOf(culprit, revisions, relative));
  }
  return answer;
}

// An end for which the engine has no words.
CampaignStep Undecided(const Standing& standing, std::string reason) {
  BisectionAnswer answer = AnswerOf(standing, {});
  answer.outcome = BisectionOutcome::kUndecided;
  answer.reason = std::move(reason);
  return {.jobs = {}, .answer = std::move(answer)};
}

// With as many runs as there are, the engine answers.
Result<CampaignStep> EndOfBudget(const Standing& standing) {
  constexpr const char* kReason = "the budget ended before both ends were measured";
  if (standing.runs.measured.empty()) return Undecided(standing, kReason);
  const Result<stats::BisectionStep> step = stats::NextBisectionStep(StateOf(standing, 0));
  if (!step) return Fail(step.error());
  return CampaignStep{.jobs = {}, .answer = AnswerOf(standing, *step)};
}

}  // namespace

Result<CampaignStep> NextBisectionCampaignStep(const Catalog& catalog,
                                               const BisectionCampaign& bisection,
                                               const std::vector<PlannedProbe>& probes,
                                               const CampaignEvidence& evidence,
                                               std::int64_t runs_left) {
  const Result<Standing> standing = StandingOf(catalog, bisection, probes, evidence);
  if (!standing) return Fail(standing.error());
  if (std::string why = WhyEndsCannotBeRun(*standing); !why.empty()) {
    return Undecided(*standing, std::move(why));
  }
  const Result<stats::BisectionStep> step = stats::NextBisectionStep(StateOf(*standing, runs_left));
  if (!step) return Fail(step.error());
  BisectionAnswer answer = AnswerOf(*standing, *step);
  if (step->batch.empty()) return CampaignStep{.jobs = {}, .answer = std::move(answer)};
  BisectionRound round = PlanRound(standing->runs, step->batch);
  if (round.run_count > runs_left) return EndOfBudget(*standing);
  answer.probes = std::move(round.probes);
  return CampaignStep{.jobs = JobsOf(bisection.question.probe, standing->commits.revisions, round),
                      .answer = std::move(answer)};
}

}  // namespace schedlab::server
