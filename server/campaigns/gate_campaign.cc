#include "server/campaigns/gate_campaign.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "server/campaigns/gate_evidence.h"
#include "server/campaigns/gate_judgement.h"
#include "server/campaigns/gate_rounds.h"
#include "server/campaigns/gate_suite.h"

namespace schedlab::server {
namespace {

using SeriesByKey = std::map<SeriesKey, const Series*>;

// The cells that are judged, and those that cannot be.
struct Cells {
  std::vector<GateCell> judged;
  std::vector<Series> series;  // parallel to `judged`
  std::vector<UnmeasuredCell> failed;
};

// With unit, direction and minimum effect where results are stored already.
Series SeriesOf(const GateSuite& suite, const GateArm& arm, const std::string& metric,
                const SeriesByKey& stored) {
  const JobSpec& spec = suite.spec;
  Series series;
  series.key = {.project = spec.project,
                .policy = spec.policies[arm.policy_index].policy,
                .variant = arm.variant,
                .topology = spec.topologies[arm.topology_index],
                .workload = spec.workloads[arm.workload_index].workload,
                .scenario_digest = arm.scenario_digest,
                .executor = spec.executor,
                .engine_version = suite.engine_version,
                .metric = metric};
  const auto found = stored.find(series.key);
  if (found != stored.end()) series = *found->second;
  series.role = MetricRole::kHeadline;
  return series;
}

UnmeasuredCell Unmeasured(const SeriesKey& key, bool has_failed, std::string reason) {
  return {.policy = key.policy,
          .variant = key.variant,
          .topology = key.topology,
          .workload = key.workload,
          .metric = key.metric,
          .has_failed = has_failed,
          .reason = std::move(reason)};
}

void AddCell(const GateSuite& suite, std::size_t arm_index, const ArmEvidence& evidence,
             const Series& series, Cells& cells) {
  const SeriesKey& key = series.key;
  if (evidence.is_given_up()) {
    cells.failed.push_back(Unmeasured(key, true, evidence.WhyGivenUp()));
  } else if (IsUnreported(evidence, key.metric)) {
    cells.failed.push_back(Unmeasured(key, true, "its runs do not report the metric"));
  } else {
    const SeedMode mode = suite.spec.seed_mode;
    cells.judged.push_back({.arm = arm_index,
                            .direction = series.direction,
                            .minimum_effect = series.minimum_effect,
                            .is_paired = mode == SeedMode::kPaired,
                            .samples = SamplesOf(evidence, key.metric, mode)});
    cells.series.push_back(series);
  }
}

// Without those that no run of the scenario reports, as the time that it took where its duration
// ends it; all of them where it reports nothing at all, which is then told.
std::vector<std::string> PossibleMetrics(const GateArm& arm, const ArmEvidence& evidence) {
  std::vector<std::string> metrics;
  std::copy_if(
      arm.metrics.begin(), arm.metrics.end(), std::back_inserter(metrics),
      [&evidence](const std::string& metric) { return !IsReportedNowhere(evidence, metric); });
  return metrics.empty() ? arm.metrics : metrics;
}

Cells CellsOf(const GateSuite& suite, const std::vector<ArmEvidence>& evidence,
              const std::vector<Series>& stored) {
  SeriesByKey by_key;
  for (const Series& series : stored) by_key.emplace(series.key, &series);
  Cells cells;
  for (std::size_t i = 0; i < suite.arms.size(); ++i) {
    for (const std::string& metric : PossibleMetrics(suite.arms[i], evidence[i])) {
      AddCell(suite, i, evidence[i], SeriesOf(suite, suite.arms[i], metric, by_key), cells);
    }
  }
  return cells;
}

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

GateEnd EndOf(const GateJudgement& judgement, const std::vector<ArmTarget>& wanted,
              const std::vector<ArmTarget>& targets) {
  if (!targets.empty()) return GateEnd::kOpen;
  if (!wanted.empty()) return GateEnd::kBudgetSpent;
  const auto is_undecided = [](const GateCellJudgement& cell) {
    return cell.verdict == Verdict::kUndecided;
  };
  return std::none_of(judgement.cells.begin(), judgement.cells.end(), is_undecided)
             ? GateEnd::kDecided
             : GateEnd::kLooksUsed;
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

// A cell that still waits for its first runs is not told of.
GateAnswer AnswerOf(const Cells& cells, const GateJudgement& judgement, GateEnd end) {
  GateAnswer answer{.end = end, .rows = {}, .unmeasured = cells.failed};
  for (std::size_t i = 0; i < cells.judged.size(); ++i) {
    const GateCellJudgement& judged = judgement.cells[i];
    if (judged.comparison) {
      answer.rows.push_back(RowOf(cells.series[i], cells.judged[i].samples, *judged.comparison));
      answer.rows.back().verdict = judged.verdict;
      answer.rows.back().p_value = judged.p_value;
      answer.rows.back().more_runs_needed = judged.more_runs_needed;
    } else if (end != GateEnd::kOpen) {
      answer.unmeasured.push_back(
          Unmeasured(cells.series[i].key, false, "not run: the budget ended before"));
    }
  }
  SortRows(answer.rows);
  return answer;
}

}  // namespace

Result<CampaignStep> NextGateStep(const Catalog& catalog, const GateCampaign& gate,
                                  const CampaignEvidence& evidence, std::int64_t runs_left) {
  const Result<GateSuite> suite = ExpandGate(catalog, gate);
  if (!suite) return Fail(suite.error());
  const std::vector<ArmEvidence> arms = EvidenceOf(*suite, evidence.runs);
  const Cells cells = CellsOf(*suite, arms, evidence.series);
  const Result<GateJudgement> judgement =
      JudgeGate(cells.judged, gate.question.false_discovery_rate);
  if (!judgement) return Fail(judgement.error());
  const std::vector<ArmTarget> wanted = TargetsOf(judgement->requests, arms);
  const std::vector<ArmTarget> targets = Affordable(wanted, arms, runs_left);
  return CampaignStep{.jobs = JobsOf(*suite, gate.sides, targets),
                      .answer = AnswerOf(cells, *judgement, EndOf(*judgement, wanted, targets))};
}

}  // namespace schedlab::server
