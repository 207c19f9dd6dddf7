#include "server/campaigns/gate_judgement.h"

#include <algorithm>

#include "stats/gate.h"
#include "stats/look_plan.h"
#include "stats/variance_history.h"

namespace schedlab::server {
namespace {

// The noise of a difference of pairs is another one than that of runs.
std::optional<stats::NoiseHistory> HistoryOf(const GateCell& cell) {
  return cell.is_paired ? std::nullopt : stats::HistoryOfRuns(cell.earlier);
}

stats::GateCell InputOf(const GateCell& cell) {
  return {.input = {.baseline = cell.samples.baseline,
                    .candidate = cell.samples.candidate,
                    .direction = cell.direction,
                    .minimum_effect = cell.minimum_effect,
                    .is_paired = cell.is_paired,
                    .history = HistoryOf(cell)},
          .scenario = static_cast<std::int64_t>(cell.arm),
          .is_primary = cell.role == MetricRole::kHeadline};
}

GateCellJudgement JudgementOf(const stats::CellVerdict& cell) {
  return {.verdict = cell.verdict ? ToVerdict(*cell.verdict) : Verdict::kNone,
          .comparison = cell.comparison,
          .p_value = std::min(cell.adjusted_p_worse, cell.adjusted_p_better),
          .more_runs_needed = static_cast<std::int32_t>(cell.more_runs_needed.value_or(0))};
}

GateRequest RequestOf(const stats::RunRequest& request) {
  return {.arm = static_cast<std::size_t>(request.scenario),
          .baseline = request.runs.baseline,
          .candidate = request.runs.candidate};
}

}  // namespace

// The budget is not the statistics' business: what a run costs depends on what is stored.
Result<GateJudgement> JudgeGate(std::span<const GateCell> cells, double false_discovery_rate) {
  if (cells.empty()) return GateJudgement{};
  std::vector<stats::GateCell> inputs;
  for (const GateCell& cell : cells) inputs.push_back(InputOf(cell));
  const Result<stats::GateResult> result = stats::RunGate(
      inputs, stats::LookPlan::Default(), {.false_discovery_rate = false_discovery_rate});
  if (!result) return Fail(result.error());
  GateJudgement judgement;
  for (const stats::CellVerdict& cell : result->cells) {
    judgement.cells.push_back(JudgementOf(cell));
  }
  for (const stats::RunRequest& request : result->requests) {
    judgement.requests.push_back(RequestOf(request));
  }
  return judgement;
}

}  // namespace schedlab::server
