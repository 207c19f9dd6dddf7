#include "stats/bisection_range.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stats/bisection_batch.h"
#include "stats/bisection_posterior.h"
#include "stats/bisection_shapes.h"
#include "stats/distributions.h"
#include "stats/sequential_test.h"

namespace schedlab::stats {
namespace {

constexpr std::size_t kAllRounds = static_cast<std::size_t>(-1);

// A suspect is tested from this probability on: the fresh runs of it and its parent are what the
// search would ask for next anyway.
constexpr double kSuspectedFrom = 0.6;
constexpr std::int64_t kMostAttempts = 6;
// From this failure on a drift is considered, at the cost of a survey.
constexpr std::int64_t kSurveyFrom = 3;
// A step that explains this much of the difference explains it all.
constexpr double kWholeShare = 0.7;
// What the noise of the search is worth at most in the test of a suspect.
constexpr double kMostNoiseDegrees = 30;
constexpr double kDriftIsSure = 0.95;
// No side of a step is searched for less than this, nor with more effort than it takes.
constexpr double kSmallestSideEffectSd = 0.8;

// The runs that test one suspect.
struct Attempt {
  ProbePurpose purpose;
  std::size_t place = 0;
  std::size_t first_round = kAllRounds;
};

class RangeJudge {
 public:
  RangeJudge(const BisectionEvidence& evidence, const BisectionOptions& options, PlaceRange range)
      : evidence_(evidence), options_(options), range_(range) {}

  RangeVerdict Judge(const SequentialDesign& design);

 private:
  std::size_t place_count() const { return range_.last - range_.first + 1; }
  std::size_t parent_of(std::size_t place) const { return place - 1; }

  SequentialResult TestEnds(const SequentialDesign& design) const;
  SequentialResult TestSuspect(const Attempt& attempt) const;
  std::vector<Attempt> Attempts() const;
  // The first round that serves a part of this range, if one does: what came later was not known
  // when this range was judged.
  std::size_t FirstRoundOfParts() const;
  // Whether all runs of the ends, the references of the search among them, speak against what the
  // first of them showed.
  bool HaveEndsBecomeEqual() const;
  RangeVerdict Search();
  RangeVerdict AfterFailure(RangeVerdict verdict);
  RangeVerdict WithSides(RangeVerdict verdict);
  bool IsSuspicious(std::size_t outer, std::size_t inner, const StepFit& fit) const;
  std::vector<double> ValuesAt(std::size_t place) const;
  void SetPosterior(RangeVerdict& verdict) const;
  std::vector<Probe> Batch(BisectionStage stage, const std::vector<std::size_t>& places,
                           std::size_t offset) const;
  std::vector<Probe> PairBatch(const ProbePurpose& purpose, std::size_t baseline,
                               std::size_t candidate, const SequentialResult& test) const;
  FoundStep StepAt(std::size_t place, bool is_confirmed, const RangeVerdict& verdict) const;

  const BisectionEvidence& evidence_;
  const BisectionOptions& options_;
  PlaceRange range_;
  std::size_t end_round_ = kAllRounds;
  std::vector<PlacedValue> values_;
};

double MassAt(const std::vector<double>& posterior, std::size_t* best) {
  const auto found = std::max_element(posterior.begin(), posterior.end());
  *best = static_cast<std::size_t>(found - posterior.begin());
  return *found;
}

RangeVerdict RangeJudge::Judge(const SequentialDesign& design) {
  end_round_ = FirstRoundOfParts();
  values_ = evidence_.ValuesOf(range_, end_round_);
  const SequentialResult ends = TestEnds(design);
  if (ends.outcome == SequentialOutcome::kDiffers) return Search();
  RangeVerdict verdict;
  SetPosterior(verdict);
  if (ends.outcome == SequentialOutcome::kDoesNotDiffer) {
    verdict.state = RangeState::kNotReproduced;
    return verdict;
  }
  verdict.batch = PairBatch(evidence_.PurposeOf(BisectionStage::kReproduce, range_), range_.first,
                            range_.last, ends);
  return verdict;
}

SequentialResult RangeJudge::TestEnds(const SequentialDesign& design) const {
  const ProbePurpose purpose = evidence_.PurposeOf(BisectionStage::kReproduce, range_);
  return TestSequentially(evidence_.RoundsOf(purpose, range_.first, range_.last), design);
}

std::size_t RangeJudge::FirstRoundOfParts() const {
  const std::int64_t first = evidence_.commit_of(range_.first);
  const std::int64_t last = evidence_.commit_of(range_.last);
  std::size_t round = kAllRounds;
  for (const EvidenceRun& run : evidence_.runs()) {
    const ProbePurpose& purpose = run.purpose;
    if (purpose.stage == BisectionStage::kHistory) continue;
    const bool is_inside = purpose.first >= first && purpose.last <= last;
    const bool is_whole = purpose.first == first && purpose.last == last;
    if (is_inside && !is_whole) round = std::min(round, run.round);
  }
  return round;
}

std::vector<Attempt> RangeJudge::Attempts() const {
  const ProbePurpose range = evidence_.PurposeOf(BisectionStage::kConfirm, range_);
  std::vector<Attempt> attempts;
  for (const EvidenceRun& run : evidence_.runs()) {
    const ProbePurpose& purpose = run.purpose;
    if (purpose.stage != range.stage || purpose.first != range.first ||
        purpose.last != range.last) {
      continue;
    }
    const std::size_t place = evidence_.PlaceOf(purpose.claim);
    // A suspect that was skipped since is no suspect any more.
    if (place == evidence_.place_count() || place <= range_.first || place > range_.last) continue;
    const bool is_known =
        std::any_of(attempts.begin(), attempts.end(),
                    [&purpose](const Attempt& attempt) { return attempt.purpose == purpose; });
    if (!is_known) attempts.push_back({purpose, place, run.round});
  }
  std::stable_sort(attempts.begin(), attempts.end(), [](const Attempt& a, const Attempt& b) {
    return a.purpose.attempt < b.purpose.attempt;
  });
  return attempts;
}

SequentialResult RangeJudge::TestSuspect(const Attempt& attempt) const {
  const std::vector<PlacedValue> before =
      evidence_.ValuesOf(range_, std::min(attempt.first_round, end_round_));
  // A suspect that is missed is found again: less power than for the ends will do.
  SequentialDesign design{
      .significance = options_.significance, .smallest_effect_sd = 0.8, .power = 0.94};
  const std::size_t split = attempt.place - range_.first;
  if (!before.empty() && before.front().place < split && before.back().place >= split) {
    const StepFit fit = FitStep(before, split);
    design.extra_variance = fit.stddev * fit.stddev;
    design.extra_degrees = std::min(fit.degrees_of_freedom, kMostNoiseDegrees);
    const double step = fit.after - fit.before;
    if (fit.stddev > 0) {
      design.smallest_effect_sd = std::max(step / fit.stddev, options_.smallest_effect_sd / 2);
    }
  }
  return TestSequentially(
      evidence_.RoundsOf(attempt.purpose, parent_of(attempt.place), attempt.place), design);
}

void RangeJudge::SetPosterior(RangeVerdict& verdict) const {
  verdict.posterior = FirstBadPosterior(evidence_.weights(range_), values_);
  verdict.end_round = end_round_;
}

FoundStep RangeJudge::StepAt(std::size_t place, bool is_confirmed,
                             const RangeVerdict& verdict) const {
  return {.place = place,
          .probability = verdict.posterior[place - range_.first],
          .is_confirmed = is_confirmed,
          .posterior = verdict.posterior,
          .range = range_};
}

bool RangeJudge::HaveEndsBecomeEqual() const {
  std::vector<PlacedValue> ends;
  for (const PlacedValue& value : values_) {
    if (value.place == 0 || value.place + 1 == place_count()) ends.push_back(value);
  }
  const StepFit fit = FitStep(ends, 1);
  if (!(fit.stddev > 0) || !(fit.degrees_of_freedom > 0)) return false;
  const double error = fit.stddev * std::sqrt(1 / fit.count_before + 1 / fit.count_after);
  const double t = (fit.after - fit.before) / error;
  if (t <= 0) return true;
  // Bayes factor of "equal" by the prior that is worth one run (Schwarz 1978).
  constexpr double kOdds = 3;
  const double count = static_cast<double>(ends.size());
  const double gain = (count - 1) * std::log1p(t * t / fit.degrees_of_freedom);
  return std::log(count) - gain > 2 * std::log(kOdds);
}

RangeVerdict RangeJudge::Search() {
  RangeVerdict verdict;
  verdict.is_reproduced = true;
  SetPosterior(verdict);
  if (place_count() == 2) {
    // The ends are culprit and parent themselves.
    verdict.state = RangeState::kFound;
    verdict.steps = {StepAt(range_.last, true, verdict)};
    return verdict;
  }
  if (HaveEndsBecomeEqual()) {
    verdict.state = RangeState::kNotReproduced;
    return verdict;
  }
  const std::vector<Attempt> attempts = Attempts();
  std::size_t confirmed = range_.first;  // = none
  std::int64_t failures = 0;
  for (const Attempt& attempt : attempts) {
    const SequentialResult test = TestSuspect(attempt);
    if (test.outcome == SequentialOutcome::kContinue) {
      verdict.batch = PairBatch(attempt.purpose, parent_of(attempt.place), attempt.place, test);
      return verdict;
    }
    const bool is_confirmed = test.outcome == SequentialOutcome::kDiffers;
    confirmed = is_confirmed ? attempt.place : range_.first;
    if (!is_confirmed) ++failures;
  }
  std::size_t best = 0;
  const double mass = MassAt(verdict.posterior, &best);
  best += range_.first;
  if (best == confirmed && mass >= options_.confidence) {
    verdict.state = RangeState::kFound;
    verdict.steps = {StepAt(best, true, verdict)};
    return WithSides(std::move(verdict));
  }
  if (failures >= kSurveyFrom && confirmed == range_.first) {
    verdict = AfterFailure(std::move(verdict));
    if (!verdict.batch.empty() || verdict.state != RangeState::kProbing) return verdict;
    if (failures >= kMostAttempts) {
      verdict.state = RangeState::kNotConfirmed;
      return verdict;
    }
  }
  if (mass >= kSuspectedFrom && best != confirmed) {
    ProbePurpose purpose = evidence_.PurposeOf(BisectionStage::kConfirm, range_);
    purpose.claim = evidence_.commit_of(best);
    purpose.attempt = attempts.empty() ? 1 : attempts.back().purpose.attempt + 1;
    verdict.batch = PairBatch(purpose, parent_of(best), best, {});
    return verdict;
  }
  verdict.batch =
      Batch(BisectionStage::kSearch, SearchBatch(verdict.posterior, values_, options_.worker_count),
            range_.first);
  return verdict;
}

// Suspects failed: is there any step? Probes spread evenly tell a drift from steps.
RangeVerdict RangeJudge::AfterFailure(RangeVerdict verdict) {
  const ProbePurpose purpose = evidence_.PurposeOf(BisectionStage::kSurvey, range_);
  std::vector<std::int64_t> counts(place_count());
  for (const EvidenceRun& run : evidence_.runs()) {
    if (run.purpose == purpose && range_.Contains(run.place)) ++counts[run.place - range_.first];
  }
  constexpr std::int64_t kSurveyRuns = 3;  // of each place
  std::vector<std::size_t> missing;
  for (std::int64_t turn = 0; turn < kSurveyRuns; ++turn) {
    for (const std::size_t place : SurveyPlaces(place_count())) {
      if (counts[place] <= turn) missing.push_back(place);
    }
  }
  if (!missing.empty()) {
    const auto most = static_cast<std::size_t>(std::max<std::int64_t>(options_.worker_count, 2));
    missing.resize(std::min(missing.size(), most));
    verdict.batch = Batch(BisectionStage::kSurvey, missing, range_.first);
    return verdict;
  }
  if (CompareShapes(evidence_.weights(range_), values_).drift >= kDriftIsSure) {
    verdict.state = RangeState::kGradual;
  }
  return verdict;
}

std::vector<double> RangeJudge::ValuesAt(std::size_t place) const {
  std::vector<double> values;
  for (const PlacedValue& value : values_) {
    if (value.place + range_.first == place) values.push_back(value.value);
  }
  return values;
}

// Whether what lies between an end and the step may be more than noise: by the runs of both places,
// or by all runs between them.
bool RangeJudge::IsSuspicious(std::size_t outer, std::size_t inner, const StepFit& fit) const {
  constexpr double kSuspicion = 2.2;  // standard errors
  const double difference = fit.after - fit.before;
  const std::vector<double> at_outer = ValuesAt(outer);
  const std::vector<double> at_inner = ValuesAt(inner);
  if (outer == inner || at_outer.empty() || at_inner.empty()) return false;
  double rest = 0;
  for (const double value : at_outer) rest += value / static_cast<double>(at_outer.size());
  for (const double value : at_inner) rest -= value / static_cast<double>(at_inner.size());
  if (outer < inner) rest = -rest;
  const double error = fit.stddev * std::sqrt(1 / static_cast<double>(at_outer.size()) +
                                              1 / static_cast<double>(at_inner.size()));
  if (rest > (1 - kWholeShare) / 2 * difference && rest > kSuspicion * error) return true;
  const PlaceRange side{std::min(outer, inner), std::max(outer, inner)};
  const ShapeProbabilities shapes =
      CompareShapes(evidence_.weights(side), evidence_.ValuesOf(side, end_round_));
  return rest > 0 && shapes.flat < 0.3;
}

// Looks for further steps on both sides of the one that was found.
RangeVerdict RangeJudge::WithSides(RangeVerdict verdict) {
  const std::size_t place = verdict.steps.front().place;
  const StepFit fit = FitStep(values_, place - range_.first);
  // A side that is taken for a second range by chance costs a whole search.
  SequentialDesign design{.significance = options_.significance / 5,
                          .smallest_effect_sd = kSmallestSideEffectSd,
                          .power = 0.94,
                          .extra_variance = fit.stddev * fit.stddev,
                          .extra_degrees = std::min(fit.degrees_of_freedom, kMostNoiseDegrees)};
  if (fit.stddev > 0) {
    const double rest = (1 - kWholeShare) * (fit.after - fit.before);
    design.smallest_effect_sd = std::max(rest / fit.stddev, kSmallestSideEffectSd);
  }
  const struct {
    PlaceRange range;
    std::size_t outer;
    std::size_t inner;
  } sides[] = {{{range_.first, parent_of(place)}, range_.first, parent_of(place)},
               {{place, range_.last}, range_.last, place}};
  for (const auto& side : sides) {
    if (!IsSuspicious(side.outer, side.inner, fit)) continue;
    const RangeVerdict part = JudgeRange(evidence_, options_, side.range, design);
    verdict.steps.insert(verdict.steps.end(), part.steps.begin(), part.steps.end());
    if (part.state != RangeState::kProbing) continue;
    verdict.state = RangeState::kProbing;
    verdict.batch = part.batch;
    break;
  }
  std::sort(verdict.steps.begin(), verdict.steps.end(),
            [](const FoundStep& a, const FoundStep& b) { return a.place < b.place; });
  return verdict;
}

std::vector<Probe> RangeJudge::Batch(BisectionStage stage, const std::vector<std::size_t>& places,
                                     std::size_t offset) const {
  std::vector<Probe> batch;
  batch.reserve(places.size());
  for (const std::size_t place : places) {
    batch.push_back({.commit = evidence_.commit_of(place + offset),
                     .purpose = evidence_.PurposeOf(stage, range_)});
  }
  return batch;
}

// As many pairs as the workers take at a time, and no more than the test can use.
std::vector<Probe> RangeJudge::PairBatch(const ProbePurpose& purpose, std::size_t baseline,
                                         std::size_t candidate,
                                         const SequentialResult& test) const {
  std::int64_t pairs = std::max<std::int64_t>(options_.worker_count / 2, 1);
  const std::int64_t left = test.most_side_count - test.side_count;
  if (test.most_side_count > 0) pairs = std::clamp<std::int64_t>(left, 1, pairs);
  std::vector<Probe> batch;
  for (const std::size_t place : AlternatingBatch(baseline, candidate, 2 * pairs)) {
    batch.push_back({.commit = evidence_.commit_of(place), .purpose = purpose});
  }
  return batch;
}

}  // namespace

RangeVerdict JudgeRange(const BisectionEvidence& evidence, const BisectionOptions& options,
                        PlaceRange range, const SequentialDesign& ends) {
  return RangeJudge(evidence, options, range).Judge(ends);
}

}  // namespace schedlab::stats
