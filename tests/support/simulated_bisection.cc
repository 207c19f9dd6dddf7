#include "tests/support/simulated_bisection.h"

#include <cmath>

#include "core/check.h"

namespace schedlab::testing {

SimulatedHistory::SimulatedHistory(const HistorySpec& spec, std::uint64_t seed)
    : spec_(spec), noise_(spec.noise, seed), random_(~seed * 31) {
  commits_.resize(static_cast<std::size_t>(spec.candidate_count) + 1);
  for (std::size_t i = 1; i + 1 < commits_.size(); ++i) {
    commits_[i].is_skipped = random_.Uniform() < spec.skip_share;
  }
}

double SimulatedHistory::Measure(std::int64_t commit, std::int64_t round) {
  if (round != shift_round_) {
    const double kept = shift_round_ < 0 ? 0 : spec_.round_correlation;
    shift_ = kept * shift_ + std::sqrt(1 - kept * kept) * spec_.round_shift_sd * random_.Normal();
    shift_round_ = round;
  }
  double level =
      spec_.drift_sd * static_cast<double>(commit) / static_cast<double>(spec_.candidate_count);
  for (const TrueStep& step : spec_.steps) {
    if (commit >= step.first_bad) level += step.size_sd;
  }
  const double spike = random_.Uniform() < spec_.spike_chance ? 6 : 0;
  return std::exp(spec_.relative_noise * (level + noise_.Next() + shift_ + spike));
}

BisectionTrace Bisect(SimulatedHistory& history, const stats::BisectionOptions& options) {
  BisectionTrace trace;
  trace.state = {.commits = history.commits(), .runs = {}, .options = options};
  while (true) {
    Result<stats::BisectionStep> step = stats::NextBisectionStep(trace.state);
    SCHEDLAB_CHECK(step.has_value());
    if (step->answer) {
      SCHEDLAB_CHECK(step->batch.empty());
      trace.end = std::move(*step);
      return trace;
    }
    SCHEDLAB_CHECK(!step->batch.empty());
    ++trace.round_count;
    for (const stats::Probe& probe : step->batch) {
      SCHEDLAB_CHECK(!history.commits()[static_cast<std::size_t>(probe.commit)].is_skipped);
      ++trace.runs_by_stage[probe.purpose.stage];
      trace.state.runs.push_back({.commit = probe.commit,
                                  .round = step->round,
                                  .purpose = probe.purpose,
                                  .value = history.Measure(probe.commit, step->round)});
    }
    SCHEDLAB_CHECK(trace.run_count() <= options.run_budget);
  }
}

std::int64_t AnyCommit(std::int64_t candidate_count, std::uint64_t seed) {
  SplitMix random(seed * 0x51ED27 + 17);
  return 1 + static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(candidate_count)));
}

}  // namespace schedlab::testing
