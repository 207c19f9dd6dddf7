#include "stats/bisection_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/distributions.h"

namespace schedlab::stats {
namespace {

constexpr double kSmallestPlannedEffectSd = 0.3;
constexpr double kLargestPlannedEffectSd = 100;

// SplitMix64 (Steele, Lea and Flood 2014).
class PlanRandom {
 public:
  explicit PlanRandom(std::uint64_t seed) : state_(seed) {}

  // In (0, 1).
  double Uniform() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return (static_cast<double>((mixed ^ (mixed >> 31)) >> 11) + 0.5) * 0x1p-53;
  }
  double Normal() { return NormalQuantile(Uniform()); }

 private:
  std::uint64_t state_;
};

struct Trial {
  double runs = 0;
  double rounds = 0;
  bool is_right = false;
  bool is_not_reproduced = false;
};

Result<Trial> Simulate(const BisectionQuestion& question, std::uint64_t seed) {
  // Small beside 1, so that logarithms leave the noise normal.
  constexpr double kNoise = 1e-3;
  PlanRandom random(seed * 0x9E3779B97F4A7C15);
  const auto culprit =
      1 + static_cast<std::int64_t>(random.Uniform() * static_cast<double>(question.commit_count));
  const double effect = question.options.direction == ChangeDirection::kDecrease
                            ? -question.effect_sd
                            : question.effect_sd;
  BisectionState state{.commits = {}, .runs = {}, .options = question.options};
  state.commits.resize(static_cast<std::size_t>(question.commit_count) + 1);
  Trial trial;
  while (true) {
    const Result<BisectionStep> step = NextBisectionStep(state);
    if (!step) return Fail(step.error());
    if (step->answer) {
      const BisectionAnswer& answer = *step->answer;
      trial.runs = static_cast<double>(state.runs.size());
      trial.is_not_reproduced = answer.outcome == BisectionOutcome::kNotReproduced;
      trial.is_right = answer.culprits.size() == 1 && answer.culprits.front().commit == culprit;
      return trial;
    }
    trial.rounds += 1;
    for (const Probe& probe : step->batch) {
      const double level = probe.commit >= culprit ? effect : 0;
      state.runs.push_back({.commit = probe.commit,
                            .round = step->round,
                            .purpose = probe.purpose,
                            .value = std::exp(kNoise * (level + random.Normal()))});
    }
  }
}

double NinetyPercent(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto index = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(values.size())));
  return values[index - 1];
}

}  // namespace

Result<BisectionPlan> PlanBisection(const BisectionQuestion& question) {
  if (question.commit_count < 1 || question.commit_count > kMostPlannedCommits) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} commits: a plan is for 1 to {}", question.commit_count,
                            kMostPlannedCommits));
  }
  if (!(question.effect_sd >= kSmallestPlannedEffectSd &&
        question.effect_sd <= kLargestPlannedEffectSd)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("an effect of {} sd: a plan is for {} to {} standard deviations of a "
                            "run; measure more than one seed or iteration a run to raise it",
                            question.effect_sd, kSmallestPlannedEffectSd, kLargestPlannedEffectSd));
  }
  BisectionPlan plan{.trial_count = kPlanTrials};
  std::vector<double> runs;
  std::vector<double> rounds;
  for (std::int64_t i = 1; i <= kPlanTrials; ++i) {
    const Result<Trial> trial = Simulate(question, static_cast<std::uint64_t>(i));
    if (!trial) return Fail(trial.error());
    plan.mean_runs += trial->runs;
    plan.mean_rounds += trial->rounds;
    plan.right_share += trial->is_right ? 1 : 0;
    plan.not_reproduced_share += trial->is_not_reproduced ? 1 : 0;
    runs.push_back(trial->runs);
    rounds.push_back(trial->rounds);
  }
  for (double* sum :
       {&plan.mean_runs, &plan.mean_rounds, &plan.right_share, &plan.not_reproduced_share}) {
    *sum /= static_cast<double>(kPlanTrials);
  }
  plan.runs_90 = NinetyPercent(std::move(runs));
  plan.rounds_90 = NinetyPercent(std::move(rounds));
  return plan;
}

}  // namespace schedlab::stats
