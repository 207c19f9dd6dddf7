#pragma once

#include <cstdint>
#include <vector>

#include "stats/look_plan.h"

namespace schedlab::stats {

// What a user wants a gate to find.
struct GateQuestion {
  double effect = 0;  // relative change beyond the minimum effect: > -1, not 0
  double noise = 0;   // coefficient of variation from run to run; > 0
  std::int64_t metric_count = 1;
  double history_degrees = 0;  // of earlier runs of the metric; above kMostHistoryDegrees no more
  double power = 0.9;
  double false_discovery_rate = 0.05;
  bool is_paired = false;  // then `noise` is of the differences within the pairs
};

struct PlannedLook {
  std::int64_t runs = 0;  // a side
  double level = 0;       // of this look for one metric
  double power = 0;       // of the gate, at this look or before
};

struct GatePlan {
  // With one look at the end; kMostPlannedRuns means that many or more.
  std::int64_t runs_at_once = 0;
  double power_at_once = 0;
  std::vector<PlannedLook> looks = {};
  // A side, until the change is found or the looks are used up.
  double expected_runs = 0;
  double expected_runs_without_change = 0;  // where there is none, and no equivalence is asked for
};

// The looks with the shape of the default plan whose last is the first that gives the power: the
// default plan itself where that is enough. Requires: metric_count >= 1, power in (0, 1), rate in
// (0, 0.5].
LookPlan PlanLooks(const GateQuestion& question);

// What a plan does for the question. Each metric is taken as the only one that changed, which is
// where Benjamini and Hochberg's procedure is at its strictest.
GatePlan PlanGate(const GateQuestion& question, const LookPlan& plan);

}  // namespace schedlab::stats
