#include "stats/bisection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stats/bisection_evidence.h"
#include "stats/bisection_posterior.h"
#include "stats/bisection_range.h"
#include "stats/bisection_shapes.h"
#include "stats/distributions.h"

namespace schedlab::stats {
namespace {

// The probabilities of places, shared among the commits that cannot be told apart by their weights.
std::vector<double> ByCommit(const BisectionState& state, const BisectionEvidence& evidence,
                             PlaceRange range, const std::vector<double>& by_place) {
  std::vector<double> by_commit(state.commits.size());
  for (std::size_t i = 1; i < by_place.size(); ++i) {
    const std::size_t place = range.first + i;
    const double weight = evidence.weights({place, place}).front();
    for (std::int64_t commit = evidence.first_candidate_of(place);
         commit <= evidence.commit_of(place); ++commit) {
      const auto index = static_cast<std::size_t>(commit);
      by_commit[index] = by_place[i] * state.commits[index].prior_weight / weight;
    }
  }
  return by_commit;
}

std::vector<std::int64_t> SetOf(const std::vector<double>& by_commit, double confidence) {
  std::vector<std::int64_t> set;
  for (const std::size_t commit : SmallestSet(by_commit, confidence)) {
    set.push_back(static_cast<std::int64_t>(commit));
  }
  return set;
}

struct Level {
  double sum = 0;
  double count = 0;

  double Mean() const { return count > 0 ? sum / count : 0; }
};

// The levels between the steps, by every run, with the noise about them.
struct Levels {
  std::vector<Level> levels;
  double stddev = 0;
  double degrees_of_freedom = 0;
};

Levels LevelsBetween(const std::vector<FoundStep>& steps, const std::vector<PlacedValue>& values) {
  const auto level_of = [&steps](std::size_t place) {
    std::size_t level = 0;
    while (level < steps.size() && steps[level].place <= place) ++level;
    return level;
  };
  Levels result;
  result.levels.resize(steps.size() + 1);
  for (const PlacedValue& value : values) {
    Level& level = result.levels[level_of(value.place)];
    level.sum += value.value;
    level.count += 1;
  }
  double squares = 0;
  for (const PlacedValue& value : values) {
    const double rest = value.value - result.levels[level_of(value.place)].Mean();
    squares += rest * rest;
  }
  result.degrees_of_freedom =
      static_cast<double>(values.size()) - static_cast<double>(result.levels.size());
  if (result.degrees_of_freedom > 0) {
    result.stddev = std::sqrt(squares / result.degrees_of_freedom);
  }
  return result;
}

void SetSize(Culprit& culprit, const Levels& levels, std::size_t index, double sign) {
  const Level& before = levels.levels[index];
  const Level& after = levels.levels[index + 1];
  if (before.count == 0 || after.count == 0) return;
  const double step = after.Mean() - before.Mean();
  const double whole = levels.levels.back().Mean() - levels.levels.front().Mean();
  double reach = 0;
  if (levels.degrees_of_freedom > 0) {
    reach = levels.stddev * std::sqrt(1 / before.count + 1 / after.count) *
            StudentQuantile(0.975, levels.degrees_of_freedom);
  }
  culprit.step = sign * step;
  culprit.step_interval = {.low = sign * step - reach, .high = sign * step + reach};
  culprit.share = whole != 0 ? step / whole : 0;
}

std::vector<Culprit> CulpritsOf(const BisectionState& state, const BisectionEvidence& evidence,
                                const std::vector<FoundStep>& steps) {
  const PlaceRange whole{0, evidence.place_count() - 1};
  const std::vector<PlacedValue> values = evidence.ValuesOf(whole, static_cast<std::size_t>(-1));
  const Levels levels = LevelsBetween(steps, values);
  std::vector<Culprit> culprits;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const FoundStep& step = steps[i];
    const std::vector<double> by_commit = ByCommit(state, evidence, step.range, step.posterior);
    Culprit culprit;
    culprit.commit = evidence.commit_of(step.place);
    for (std::int64_t commit = evidence.first_candidate_of(step.place);
         commit <= evidence.commit_of(step.place); ++commit) {
      culprit.candidates.push_back(commit);
      if (by_commit[static_cast<std::size_t>(commit)] >
          by_commit[static_cast<std::size_t>(culprit.commit)]) {
        culprit.commit = commit;
      }
    }
    culprit.smallest_set = SetOf(by_commit, state.options.confidence);
    culprit.probability = step.probability;
    culprit.is_confirmed = step.is_confirmed;
    culprit.is_merge = state.commits[static_cast<std::size_t>(culprit.commit)].is_merge;
    SetSize(culprit, levels, i, evidence.sign());
    culprits.push_back(std::move(culprit));
  }
  return culprits;
}

struct Outcome {
  BisectionOutcome outcome;
  std::string reason;
};

Outcome OutcomeOfSteps(const BisectionAnswer& answer, bool is_complete) {
  const std::string_view rest =
      is_complete ? "" : "; the budget ended before the rest of the range was searched";
  if (answer.culprits.size() > 1) {
    return {BisectionOutcome::kSeveral,
            fmt::format("{} steps make up the difference{}", answer.culprits.size(), rest)};
  }
  const Culprit& culprit = answer.culprits.front();
  if (culprit.candidates.size() > 1) {
    return {BisectionOutcome::kSkippedRange,
            fmt::format("the step is at one of {} commits that cannot be told apart by building "
                        "them{}",
                        culprit.candidates.size(), rest)};
  }
  return {BisectionOutcome::kCulprit,
          fmt::format("fresh runs of the commit and its parent show the step{}", rest)};
}

Outcome OutcomeOf(const RangeVerdict& verdict, const BisectionAnswer& answer,
                  const BisectionOptions& options) {
  if (!answer.culprits.empty()) {
    return OutcomeOfSteps(answer, verdict.state == RangeState::kFound);
  }
  switch (verdict.state) {
    case RangeState::kNotReproduced:
      return {BisectionOutcome::kNotReproduced,
              "fresh runs of both ends show no difference that is worth a search"};
    case RangeState::kGradual:
      return {BisectionOutcome::kGradual, "a drift over many commits fits better than any step"};
    case RangeState::kNotConfirmed:
      return {BisectionOutcome::kUndecided,
              "every suspect failed when it was measured afresh beside its parent"};
    case RangeState::kFound:
    case RangeState::kProbing:
      break;
  }
  const std::string_view what =
      verdict.is_reproduced ? "one commit was confirmed" : "it was known whether the ends differ";
  return {BisectionOutcome::kUndecided,
          fmt::format("the budget of {} runs ended before {}", options.run_budget, what)};
}

BisectionAnswer AnswerOf(const BisectionState& state, const BisectionEvidence& evidence,
                         const RangeVerdict& verdict, const std::vector<double>& probabilities) {
  BisectionAnswer answer;
  answer.culprits = CulpritsOf(state, evidence, verdict.steps);
  answer.smallest_set = SetOf(probabilities, state.options.confidence);
  Outcome outcome = OutcomeOf(verdict, answer, state.options);
  answer.outcome = outcome.outcome;
  answer.reason = std::move(outcome.reason);
  answer.descends_into_merge =
      outcome.outcome == BisectionOutcome::kCulprit && answer.culprits.front().is_merge;
  return answer;
}

// The difference of the ends, by all runs of theirs.
void SetDifference(BisectionStep& step, const BisectionEvidence& evidence,
                   const std::vector<PlacedValue>& values, const std::vector<double>& posterior) {
  if (values.empty() || values.front().place != 0 ||
      values.back().place + 1 != evidence.place_count()) {
    return;
  }
  const auto best = std::max_element(posterior.begin(), posterior.end()) - posterior.begin();
  const StepFit fit = FitStep(values, static_cast<std::size_t>(best));
  step.difference = evidence.sign() * (fit.after - fit.before);
  if (fit.stddev > 0) step.difference_sd = step.difference / fit.stddev;
}

}  // namespace

Result<BisectionStep> NextBisectionStep(const BisectionState& state) {
  const Result<BisectionEvidence> evidence = BisectionEvidence::Make(state);
  if (!evidence) return Fail(evidence.error());
  const PlaceRange whole{0, evidence->place_count() - 1};
  const bool is_two_sided = state.options.direction == ChangeDirection::kEither;
  RangeVerdict verdict = JudgeRange(
      *evidence, state.options, whole,
      {.significance = is_two_sided ? state.options.significance / 2 : state.options.significance,
       .smallest_effect_sd = state.options.smallest_effect_sd,
       .minimum_shift = evidence->minimum_shift()});
  BisectionStep step;
  step.is_logarithmic = evidence->is_logarithmic();
  step.probabilities = ByCommit(state, *evidence, whole, verdict.posterior);
  const std::vector<PlacedValue> values = evidence->ValuesOf(whole, verdict.end_round);
  SetDifference(step, *evidence, values, verdict.posterior);
  const std::int64_t left = state.options.run_budget - evidence->spent_run_count();
  if (verdict.state == RangeState::kProbing && left > 0) {
    const auto most = static_cast<std::size_t>(left);
    verdict.batch.resize(std::min(verdict.batch.size(), most));
    step.batch = std::move(verdict.batch);
    step.round = evidence->next_round();
    return step;
  }
  step.shapes = CompareShapes(evidence->weights(whole), values);
  step.answer = AnswerOf(state, *evidence, verdict, step.probabilities);
  return step;
}

}  // namespace schedlab::stats
