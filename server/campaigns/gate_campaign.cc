#include "server/campaigns/gate_campaign.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/limits.h"
#include "server/campaigns/gate_cells.h"
#include "server/campaigns/gate_evidence.h"
#include "server/campaigns/gate_judgement.h"
#include "server/campaigns/gate_rounds.h"
#include "server/campaigns/gate_suite.h"

namespace schedlab::server {
namespace {

// At most: less where somebody else has stored the same runs.
std::int64_t CostOf(const ArmTarget& target, const ArmEvidence& evidence) {
  std::int64_t cost = 0;
  for (std::size_t side = 0; side < target.repetitions.size(); ++side) {
    if (target.repetitions[side] == 0) continue;
    cost +=
        target.repetitions[side] - static_cast<std::int64_t>(evidence.sides[side].measured.size());
  }
  return cost;
}

// Repetitions beyond those that are measured; those that failed are among them and tried again.
std::vector<ArmTarget> TargetsOf(const std::vector<GateRequest>& requests,
                                 const std::vector<ArmEvidence>& evidence) {
  std::vector<ArmTarget> targets;
  for (const GateRequest& request : requests) {
    const std::array<std::int64_t, 2> lacking = {request.baseline, request.candidate};
    ArmTarget target{.arm = request.arm};
    for (std::size_t side = 0; side < lacking.size(); ++side) {
      if (lacking[side] == 0) continue;
      const SideEvidence& known = evidence[request.arm].sides[side];
      const auto needed = static_cast<std::int64_t>(known.measured.size()) + lacking[side];
      target.repetitions[side] = static_cast<std::int32_t>(
          std::clamp<std::int64_t>(needed, known.asked_count, kMaxGateRepetitions));
    }
    if (CostOf(target, evidence[request.arm]) > 0) targets.push_back(target);
  }
  return targets;
}

std::vector<ArmTarget> Affordable(const std::vector<ArmTarget>& wanted,
                                  const std::vector<ArmEvidence>& evidence,
                                  std::int64_t runs_left) {
  std::vector<ArmTarget> targets;
  for (const ArmTarget& target : wanted) {
    const std::int64_t cost = CostOf(target, evidence[target.arm]);
    if (cost > runs_left) continue;
    runs_left -= cost;
    targets.push_back(target);
  }
  return targets;
}

// Counters are left open: they are judged by the runs that headline metrics need.
bool IsDecided(const GateCells& cells, const GateJudgement& judgement) {
  for (std::size_t i = 0; i < cells.judged.size(); ++i) {
    const bool is_undecided = judgement.cells[i].verdict == Verdict::kUndecided;
    if (is_undecided && cells.judged[i].role == MetricRole::kHeadline) return false;
  }
  return true;
}

GateEnd EndOf(const GateCells& cells, const GateJudgement& judgement,
              const std::vector<ArmTarget>& wanted, const std::vector<ArmTarget>& targets) {
  if (!targets.empty()) return GateEnd::kOpen;
  if (!wanted.empty()) return GateEnd::kBudgetSpent;
  return IsDecided(cells, judgement) ? GateEnd::kDecided : GateEnd::kLooksUsed;
}

void SortRows(std::vector<ComparisonRow>& rows) {
  const auto order = [](const ComparisonRow& row) {
    const SeriesKey& key = row.series.key;
    return std::tie(key.topology, key.workload, key.metric, key.policy, key.variant);
  };
  std::stable_sort(
      rows.begin(), rows.end(),
      [&order](const ComparisonRow& a, const ComparisonRow& b) { return order(a) < order(b); });
}

ComparisonRow JudgedRow(const Series& series, const Sides& samples,
                        const GateCellJudgement& judged) {
  ComparisonRow row = RowOf(series, samples, *judged.comparison);
  row.verdict = judged.verdict;
  row.p_value = judged.p_value;
  row.more_runs_needed = judged.more_runs_needed;
  return row;
}

// How many times larger one side is than the other; infinite where one is 0.
double Ratio(const ComparisonRow& row) {
  const double baseline = std::abs(row.baseline.mean);
  const double candidate = std::abs(row.candidate.mean);
  return std::max(baseline, candidate) / std::min(baseline, candidate);
}

// Of each scenario those that moved furthest.
std::vector<ComparisonRow> Furthest(std::vector<ComparisonRow> counters) {
  std::stable_sort(
      counters.begin(), counters.end(),
      [](const ComparisonRow& a, const ComparisonRow& b) { return Ratio(a) > Ratio(b); });
  std::map<std::tuple<std::string, std::string, std::string>, std::int32_t> counts;
  std::erase_if(counters, [&counts](const ComparisonRow& row) {
    const SeriesKey& key = row.series.key;
    return ++counts[{key.policy, key.variant, key.scenario_digest}] > kMaxGateCountersPerScenario;
  });
  if (counters.size() > kMaxGateCounters) counters.resize(kMaxGateCounters);
  SortRows(counters);
  return counters;
}

// A cell that still waits for its first runs is not told of; of counters only those that moved.
GateAnswer AnswerOf(const GateCells& cells, const GateJudgement& judgement, GateEnd end) {
  GateAnswer answer{.end = end, .rows = {}, .unmeasured = cells.failed, .counters = {}};
  for (std::size_t i = 0; i < cells.judged.size(); ++i) {
    const GateCell& cell = cells.judged[i];
    const GateCellJudgement& judged = judgement.cells[i];
    const bool has_moved = judged.verdict == Verdict::kWorse || judged.verdict == Verdict::kBetter;
    if (cell.role == MetricRole::kCounter) {
      if (has_moved) answer.counters.push_back(JudgedRow(cells.series[i], cell.samples, judged));
    } else if (judged.comparison) {
      answer.rows.push_back(JudgedRow(cells.series[i], cell.samples, judged));
    } else if (end != GateEnd::kOpen) {
      answer.unmeasured.push_back(
          Unmeasured(cells.series[i].key, false, "not run: the budget ended before"));
    }
  }
  SortRows(answer.rows);
  answer.counters = Furthest(std::move(answer.counters));
  return answer;
}

}  // namespace

Result<CampaignStep> NextGateStep(const Catalog& catalog, const GateCampaign& gate,
                                  const CampaignEvidence& evidence, std::int64_t runs_left) {
  const Result<GateSuite> suite = ExpandGate(catalog, gate);
  if (!suite) return Fail(suite.error());
  const std::vector<ArmEvidence> arms = EvidenceOf(*suite, evidence.runs);
  const GateCells cells = CellsOf(*suite, arms, evidence);
  const Result<GateJudgement> judgement =
      JudgeGate(cells.judged, gate.question.false_discovery_rate);
  if (!judgement) return Fail(judgement.error());
  const std::vector<ArmTarget> wanted = TargetsOf(judgement->requests, arms);
  const std::vector<ArmTarget> targets = Affordable(wanted, arms, runs_left);
  return CampaignStep{
      .jobs = JobsOf(*suite, gate.sides, targets),
      .answer = AnswerOf(cells, *judgement, EndOf(cells, *judgement, wanted, targets))};
}

}  // namespace schedlab::server
