#include "stats/bisection_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "stats/summary.h"

namespace schedlab::stats {
namespace {

Status Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

Status CheckOptions(const BisectionOptions& options) {
  if (options.worker_count < 1 || options.worker_count > kMaxBisectionWorkers) {
    return Invalid(
        fmt::format("{} workers: must be 1 to {}", options.worker_count, kMaxBisectionWorkers));
  }
  if (!(options.confidence >= 0.5 && options.confidence <= 0.9999)) {
    return Invalid(fmt::format("a confidence of {}: must be 0.5 to 0.9999", options.confidence));
  }
  if (!(options.significance >= 1e-4 && options.significance <= 0.2)) {
    return Invalid(
        fmt::format("a significance of {}: must be 0.0001 to 0.2", options.significance));
  }
  if (options.run_budget < 1 || options.run_budget > kMaxBisectionRuns) {
    return Invalid(
        fmt::format("a budget of {} runs: must be 1 to {}", options.run_budget, kMaxBisectionRuns));
  }
  if (!(options.minimum_effect >= 0 && options.minimum_effect <= 10)) {
    return Invalid(
        fmt::format("a minimum effect of {}: must be a ratio of 0 to 10", options.minimum_effect));
  }
  if (!(options.smallest_effect_sd >= 0.1 && options.smallest_effect_sd <= 100)) {
    return Invalid(
        fmt::format("a smallest effect of {} sd: must be 0.1 to 100", options.smallest_effect_sd));
  }
  return {};
}

Status CheckCommits(const std::vector<BisectionCommit>& commits) {
  if (commits.size() < 2) {
    return Invalid(fmt::format("{} commit(s): a range needs a good and a bad end, which differ",
                               commits.size()));
  }
  if (commits.size() > static_cast<std::size_t>(kMaxBisectionCommits)) {
    return Invalid(fmt::format("{} commits: at most {}", commits.size(), kMaxBisectionCommits));
  }
  for (std::size_t i = 0; i < commits.size(); ++i) {
    const double weight = commits[i].prior_weight;
    if (!(weight >= 1e-9 && weight <= 1e9)) {
      return Invalid(
          fmt::format("commit {} has the prior weight {}: must be 1e-9 to 1e9", i, weight));
    }
  }
  if (commits.front().is_skipped) return Invalid("the good end is skipped: choose an earlier one");
  if (commits.back().is_skipped) return Invalid("the bad end is skipped: choose a later one");
  return {};
}

Status CheckRuns(const BisectionState& state) {
  if (state.runs.size() > static_cast<std::size_t>(2 * kMaxBisectionRuns)) {
    return Invalid(fmt::format("{} runs: at most {}", state.runs.size(), 2 * kMaxBisectionRuns));
  }
  const auto commit_count = static_cast<std::int64_t>(state.commits.size());
  for (std::size_t i = 0; i < state.runs.size(); ++i) {
    const BisectionRun& run = state.runs[i];
    if (run.commit < 0 || run.commit >= commit_count) {
      return Invalid(fmt::format("run {} is of commit {}, which is not one of the {} of the range",
                                 i, run.commit, commit_count));
    }
    if (run.round < 0 || run.round >= std::numeric_limits<std::int64_t>::max()) {
      return Invalid(fmt::format("run {} has the round {}: must be 0 or more", i, run.round));
    }
    if (!std::isfinite(run.value)) {
      return Invalid(fmt::format("run {} (commit {}) has the value {}: must be finite", i,
                                 run.commit, run.value));
    }
  }
  return {};
}

std::vector<double> ValuesAt(const std::vector<BisectionRun>& runs, std::int64_t commit) {
  std::vector<double> values;
  for (const BisectionRun& run : runs) {
    if (run.commit == commit) values.push_back(run.value);
  }
  return values;
}

// Raw values to the scale of judgement: logarithms if all are positive, else relative to the good
// end's median.
struct Scale {
  bool is_logarithmic = true;
  double unit = 1;

  double operator()(double value) const { return is_logarithmic ? std::log(value) : value / unit; }
};

Scale ScaleOf(const std::vector<BisectionRun>& runs) {
  Scale scale;
  double largest = 0;
  for (const BisectionRun& run : runs) {
    if (!(run.value > 0)) scale.is_logarithmic = false;
    largest = std::max(largest, std::abs(run.value));
  }
  const std::vector<double> good = ValuesAt(runs, 0);
  if (scale.is_logarithmic || good.empty()) return scale;
  // Squares of what is measured in a tiny unit would overflow.
  constexpr double kSmallestUnit = 1e-100;
  scale.unit = std::max(std::abs(Median(good)), kSmallestUnit * largest);
  if (!(scale.unit > 0)) scale.unit = 1;
  return scale;
}

// Which way the bad end differs, by the runs that were to show it.
double SignOf(const std::vector<EvidenceRun>& runs, std::size_t last_place) {
  double sums[2] = {0, 0};
  double counts[2] = {0, 0};
  for (const EvidenceRun& run : runs) {
    if (run.purpose.stage != BisectionStage::kReproduce) continue;
    if (run.place != 0 && run.place != last_place) continue;
    sums[run.place == 0 ? 0 : 1] += run.value;
    counts[run.place == 0 ? 0 : 1] += 1;
  }
  if (counts[0] == 0 || counts[1] == 0) return 1;
  return sums[1] / counts[1] < sums[0] / counts[0] ? -1 : 1;
}

void SortRuns(std::vector<EvidenceRun>& runs) {
  std::sort(runs.begin(), runs.end(), [](const EvidenceRun& a, const EvidenceRun& b) {
    return std::tie(a.round, a.place, a.value) < std::tie(b.round, b.place, b.value);
  });
}

}  // namespace

ClipLimits LimitsOf(std::span<const double> one_end, std::span<const double> other_end) {
  constexpr std::size_t kFewest = 4;
  constexpr double kReach = 1.5;
  if (one_end.size() < kFewest || other_end.size() < kFewest) return {};
  const double medians[2] = {Median(one_end), Median(other_end)};
  std::vector<double> rests;
  for (const double value : one_end) rests.push_back(value - medians[0]);
  for (const double value : other_end) rests.push_back(value - medians[1]);
  // Distances from a median of so few runs are too small by about this.
  const auto count = static_cast<double>(rests.size());
  const double stddev = RobustStddev(rests, 0) * std::sqrt(count / (count - 2));
  if (!(stddev > 0)) return {};
  return {.low = std::min(medians[0], medians[1]) - kReach * stddev,
          .high = std::max(medians[0], medians[1]) + kReach * stddev};
}

Result<BisectionEvidence> BisectionEvidence::Make(const BisectionState& state) {
  for (const Status& status :
       {CheckOptions(state.options), CheckCommits(state.commits), CheckRuns(state)}) {
    if (!status) return Fail(status.error());
  }
  BisectionEvidence evidence;
  evidence.AddPlaces(state.commits);
  evidence.AddRuns(state);
  return evidence;
}

void BisectionEvidence::AddPlaces(const std::vector<BisectionCommit>& commits) {
  double weight = 0;
  for (std::size_t i = 0; i < commits.size(); ++i) {
    weight += commits[i].prior_weight;
    if (commits[i].is_skipped) continue;
    places_.push_back(static_cast<std::int64_t>(i));
    weights_.push_back(weight);
    weight = 0;
  }
}

void BisectionEvidence::AddRuns(const BisectionState& state) {
  const Scale scale = ScaleOf(state.runs);
  std::vector<std::int64_t> rounds;
  for (const BisectionRun& run : state.runs) rounds.push_back(run.round);
  std::sort(rounds.begin(), rounds.end());
  rounds.erase(std::unique(rounds.begin(), rounds.end()), rounds.end());
  if (!rounds.empty()) next_round_ = rounds.back() + 1;
  for (const BisectionRun& run : state.runs) {
    if (run.purpose.stage != BisectionStage::kHistory) ++spent_run_count_;
    const std::size_t place = PlaceOf(run.commit);
    if (place == place_count()) continue;
    const auto round = std::lower_bound(rounds.begin(), rounds.end(), run.round) - rounds.begin();
    runs_.push_back({.place = place,
                     .round = static_cast<std::size_t>(round),
                     .value = scale(run.value),
                     .purpose = run.purpose});
  }
  SortRuns(runs_);
  const double effect = state.options.minimum_effect;
  is_logarithmic_ = scale.is_logarithmic;
  minimum_shift_ = scale.is_logarithmic ? std::log1p(effect) : effect;
  switch (state.options.direction) {
    case ChangeDirection::kIncrease:
      break;
    case ChangeDirection::kDecrease:
      sign_ = -1;
      break;
    case ChangeDirection::kEither:
      sign_ = SignOf(runs_, place_count() - 1);
      break;
  }
  for (EvidenceRun& run : runs_) run.value *= sign_;
  SortRuns(runs_);
}

std::span<const double> BisectionEvidence::weights(PlaceRange range) const {
  return std::span(weights_).subspan(range.first, range.last - range.first + 1);
}

std::size_t BisectionEvidence::PlaceOf(std::int64_t commit) const {
  const auto found = std::lower_bound(places_.begin(), places_.end(), commit);
  if (found == places_.end() || *found != commit) return place_count();
  return static_cast<std::size_t>(found - places_.begin());
}

ProbePurpose BisectionEvidence::PurposeOf(BisectionStage stage, PlaceRange range) const {
  return {.stage = stage, .first = commit_of(range.first), .last = commit_of(range.last)};
}

std::vector<PlacedValue> BisectionEvidence::ValuesOf(PlaceRange range,
                                                     std::size_t end_round) const {
  std::vector<double> ends[2];
  std::vector<PlacedValue> values;
  std::optional<std::size_t> last_round;
  std::size_t round_count = 0;
  for (const EvidenceRun& run : runs_) {
    if (run.round >= end_round || !range.Contains(run.place)) continue;
    if (run.place == range.first) ends[0].push_back(run.value);
    if (run.place == range.last) ends[1].push_back(run.value);
    if (last_round != run.round) ++round_count;
    last_round = run.round;
    values.push_back({run.place - range.first, round_count - 1, run.value});
  }
  const ClipLimits limits = LimitsOf(ends[0], ends[1]);
  for (PlacedValue& value : values) value.value = limits.Apply(value.value);
  std::stable_sort(values.begin(), values.end(),
                   [](const PlacedValue& a, const PlacedValue& b) { return a.place < b.place; });
  return values;
}

std::vector<SequentialRound> BisectionEvidence::RoundsOf(const ProbePurpose& purpose,
                                                         std::size_t baseline,
                                                         std::size_t candidate) const {
  std::vector<double> sides[2];
  for (const EvidenceRun& run : runs_) {
    if (run.purpose != purpose) continue;
    if (run.place == baseline) sides[0].push_back(run.value);
    if (run.place == candidate) sides[1].push_back(run.value);
  }
  const ClipLimits limits = LimitsOf(sides[0], sides[1]);
  std::vector<SequentialRound> rounds;
  std::optional<std::size_t> last_round;
  for (const EvidenceRun& run : runs_) {
    if (run.purpose != purpose || (run.place != baseline && run.place != candidate)) continue;
    if (last_round != run.round) rounds.emplace_back();
    last_round = run.round;
    auto& side = run.place == baseline ? rounds.back().baseline : rounds.back().candidate;
    side.push_back(limits.Apply(run.value));
  }
  return rounds;
}

}  // namespace schedlab::stats
