#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/comparison.h"
#include "core/metric.h"
#include "core/result.h"
#include "server/comparison_rows.h"
#include "stats/comparison.h"

namespace schedlab::server {

// One metric of one arm. Samples are in the order in which they were measured, so that
// more of them never change those of an earlier look.
struct GateCell {
  std::size_t arm = 0;
  MetricRole role = MetricRole::kHeadline;
  Direction direction = Direction::kHigherIsBetter;
  double minimum_effect = 0;
  bool is_paired = false;
  Sides samples;
  // Of earlier revisions, from which the noise is known; of no use to pairs.
  std::span<const std::vector<double>> earlier = {};
};

struct GateCellJudgement {
  Verdict verdict = Verdict::kUndecided;  // kNone for a counter where no headline metric is worse
  std::optional<stats::Comparison> comparison = std::nullopt;  // absent without two sides
  double p_value = 1;  // adjusted over all headline cells and looks; over a scenario's counters
  std::int32_t more_runs_needed = 0;  // 0 = not known
};

// Runs that an arm lacks for its next look.
struct GateRequest {
  std::size_t arm = 0;
  std::int64_t baseline = 0;
  std::int64_t candidate = 0;

  friend bool operator==(const GateRequest&, const GateRequest&) = default;
};

struct GateJudgement {
  std::vector<GateCellJudgement> cells;  // parallel to the input
  std::vector<GateRequest> requests;     // by arm; none once no look is left that could decide
};

// The only place where a gate meets statistics: stats::RunGate() over the looks of its default
// plan. What was decided stays decided as samples are added. kInvalidArgument: a cell that cannot
// be compared.
Result<GateJudgement> JudgeGate(std::span<const GateCell> cells, double false_discovery_rate);

}  // namespace schedlab::server
