#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/comparison.h"
#include "core/metric.h"
#include "core/result.h"
#include "server/comparison_rows.h"
#include "stats/comparison.h"

namespace schedlab::server {

// One headline metric of one arm. Samples are in the order in which they were measured, so that
// more of them never change those of an earlier look.
struct GateCell {
  std::size_t arm = 0;
  std::string name;  // for errors
  Direction direction = Direction::kHigherIsBetter;
  double minimum_effect = 0;
  bool is_paired = false;
  Sides samples;
};

struct GateCellJudgement {
  Verdict verdict = Verdict::kUndecided;
  std::optional<stats::Comparison> comparison = std::nullopt;  // absent without two sides
  std::optional<double> p_value = std::nullopt;                // adjusted over all cells and looks
  std::int32_t more_runs_needed = 0;                           // 0 = not known
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

// The only place where a gate meets statistics: looks at each cell after 3, 5, 8 and 12 runs a side
// until it is decided, holds the false-discovery rate over all cells and looks, and asks for the
// runs of the looks to come. A pure function of the samples: what was decided stays decided as
// samples are added. kInvalidArgument names a cell that cannot be compared.
Result<GateJudgement> JudgeGate(std::span<const GateCell> cells, double false_discovery_rate);

}  // namespace schedlab::server
