#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "stats/cell_look.h"
#include "stats/comparison.h"
#include "stats/look_plan.h"

namespace schedlab::stats {

enum class Verdict { kWorse, kBetter, kNoChange, kUndecided };

// "worse", "better", "no change" or "undecided".
std::string_view ToString(Verdict verdict);

// One metric in one scenario.
struct GateCell {
  ComparisonInput input;  // all runs so far in the order in which they were made; may be none
  // Cells of one scenario are measured by the same runs.
  std::int64_t scenario = 0;
  // Otherwise a counter, which is looked at where a primary metric of its scenario is worse.
  bool is_primary = true;
};

struct GateSettings {
  double false_discovery_rate = 0.05;  // in (0, 0.5]
  // How many runs, of both sides together, may still be asked for.
  std::int64_t run_budget = std::numeric_limits<std::int64_t>::max();
};

struct CellVerdict {
  // Absent for a counter of a scenario in which no primary metric is worse.
  std::optional<Verdict> verdict = Verdict::kUndecided;
  // Of all runs, with the history as far as it was believed. Absent without runs on both sides.
  std::optional<Comparison> comparison = std::nullopt;
  // Valid at whatever look one stops, and adjusted over all primary cells (a counter: over those of
  // its scenario).
  double adjusted_p_worse = 1;
  double adjusted_p_better = 1;
  std::int64_t look_count = 0;  // of the plan's looks, those that its runs reach
  OutlyingRuns outlying = {};   // to be repeated; they count all the same
  // If undecided: what would decide it with 90 % power. Absent if the noise is unknown.
  std::optional<std::int64_t> more_runs_needed = std::nullopt;
};

// Runs to make before the gate is judged again.
struct RunRequest {
  std::int64_t scenario = 0;
  RunCounts runs;

  friend bool operator==(const RunRequest&, const RunRequest&) = default;
};

// Over how many hypotheses of each direction which share of false discoveries was held.
struct DiscoveryStatement {
  std::int64_t cell_count = 0;
  double false_discovery_rate = 0;
};

// The counters of a scenario in which a primary metric is worse.
struct CounterFamily {
  std::int64_t scenario = 0;
  DiscoveryStatement statement;
};

enum class GateState {
  kNeedsRuns,    // those that are asked for
  kDecided,      // every primary cell
  kLooksUsed,    // some are undecided after the last look
  kBudgetSpent,  // some are undecided, and runs are needed that the budget does not hold
};

struct GateResult {
  GateState state = GateState::kDecided;
  std::vector<CellVerdict> cells = {};    // in the order of the cells
  std::vector<RunRequest> requests = {};  // by scenario
  DiscoveryStatement primary = {};
  std::vector<CounterFamily> counters = {};  // by scenario
};

// The gate, whose rules and error rates are in docs/judgement.md. Judges each cell at the looks of
// the plan that its runs reach and asks for those that its next look lacks; to be called again with
// them, which never takes back a verdict worse, better or no change. A pure function of the runs:
// what it decided at an earlier look follows from the runs of that look. Requires of the settings
// what is said there. kInvalidArgument names the cell that cannot be compared.
Result<GateResult> RunGate(std::span<const GateCell> cells, const LookPlan& plan,
                           const GateSettings& settings);

// The same with the runs that there are as the only look, and no request: for what was measured
// without a plan. To use it again and again until something shows is not sound.
Result<GateResult> JudgeOnce(std::span<const GateCell> cells, double false_discovery_rate);

}  // namespace schedlab::stats
