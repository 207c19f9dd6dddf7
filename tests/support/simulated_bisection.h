#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "stats/bisection.h"
#include "tests/support/noisy_series.h"

namespace schedlab::testing {

// A step of the true level, in standard deviations of a run.
struct TrueStep {
  std::int64_t first_bad = 1;
  double size_sd = 1;
};

// A history whose truth is known. Values are exp(relative_noise * (level + noise)), so that what is
// said in standard deviations holds on the scale of logarithms.
struct HistorySpec {
  std::int64_t candidate_count = 256;  // commits after the good end
  std::vector<TrueStep> steps = {};
  double drift_sd = 0;  // in all, in equal parts of each commit
  NoiseKind noise = NoiseKind::kNormal;
  double spike_chance = 0;  // of a run to be 6 higher, beside the noise
  // A shift shared by the runs of a round: AR(1) over the rounds.
  double round_shift_sd = 0;
  double round_correlation = 0.8;
  double skip_share = 0;  // of the commits between the ends
  double relative_noise = 0.02;
};

class SimulatedHistory {
 public:
  SimulatedHistory(const HistorySpec& spec, std::uint64_t seed);

  const std::vector<stats::BisectionCommit>& commits() const { return commits_; }
  double Measure(std::int64_t commit, std::int64_t round);

 private:
  HistorySpec spec_;
  std::vector<stats::BisectionCommit> commits_;
  NoiseStream noise_;
  SplitMix random_;
  std::int64_t shift_round_ = -1;
  double shift_ = 0;
};

struct BisectionTrace {
  stats::BisectionState state;
  stats::BisectionStep end;
  std::int64_t round_count = 0;
  std::map<stats::BisectionStage, std::int64_t> runs_by_stage;

  std::int64_t run_count() const { return static_cast<std::int64_t>(state.runs.size()); }
};

// Measures what is asked for until there is an answer. Checks that no skipped commit is probed and
// the budget holds.
BisectionTrace Bisect(SimulatedHistory& history, const stats::BisectionOptions& options);

// A first bad commit in [1, candidate_count], each as likely.
std::int64_t AnyCommit(std::int64_t candidate_count, std::uint64_t seed);

}  // namespace schedlab::testing
