#pragma once

#include <cstdint>

#include "core/result.h"
#include "stats/bisection.h"

namespace schedlab::stats {

struct BisectionQuestion {
  std::int64_t commit_count = 0;  // after the good end; the culprit is any of them
  double effect_sd = 0;           // bad end - good end in standard deviations of a run
  BisectionOptions options = {};
};

inline constexpr std::int64_t kMostPlannedCommits = 4'096;
inline constexpr std::int64_t kPlanTrials = 100;

// What a bisection costs, with the runs that reproduce the difference and confirm the culprit.
struct BisectionPlan {
  std::int64_t trial_count = 0;
  double mean_runs = 0;
  double runs_90 = 0;  // enough in 90 % of the trials
  double mean_rounds = 0;
  double rounds_90 = 0;
  double right_share = 0;           // of the trials that name the culprit, and no other commit
  double not_reproduced_share = 0;  // of the trials that see no difference between the ends
};

// By simulation of NextBisectionStep() with one step, normal noise and a fixed seed.
// kInvalidArgument for a count, an effect or options out of range.
Result<BisectionPlan> PlanBisection(const BisectionQuestion& question);

}  // namespace schedlab::stats
