#include "stats/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/check.h"
#include "stats/false_discovery.h"
#include "stats/gate_replay.h"
#include "stats/more_runs.h"

namespace schedlab::stats {
namespace {

bool HasBothSides(const ComparisonInput& input) {
  return !input.baseline.empty() && !input.candidate.empty();
}

// A cell that no run has been made for yet is sound.
Status CheckCell(const ComparisonInput& input) {
  if (HasBothSides(input)) return CheckComparison(input);
  if (input.is_paired && input.baseline.size() != input.candidate.size())
    return CheckComparison(input);
  if (const Status status = CheckFinite(input.baseline); !status) return Fail(status.error());
  return CheckFinite(input.candidate);
}

Status CheckCells(std::span<const GateCell> cells, bool may_be_empty) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const ComparisonInput& input = cells[i].input;
    const Status status = may_be_empty ? CheckCell(input) : CheckComparison(input);
    if (!status) {
      return Fail(status.error().code, fmt::format("cell {}: {}", i, status.error().message));
    }
  }
  return {};
}

ComparisonInput WithHistoryWorth(ComparisonInput input, double degrees) {
  if (!input.history) return input;
  double& of_history = input.history->degrees_of_freedom;
  of_history = degrees > 0 ? degrees : std::min(of_history, kMostHistoryDegrees);
  return input;
}

// The level of the first step of Benjamini and Hochberg: what a lone change would have to reach.
double LoneSignificance(const DiscoveryStatement& statement) {
  const auto count = static_cast<double>(std::max<std::int64_t>(1, statement.cell_count));
  return std::min(0.49, statement.false_discovery_rate / count);
}

CellVerdict Tell(const ReplayedCell& replayed, const ComparisonInput& input,
                 const DiscoveryStatement& statement) {
  CellVerdict told{.verdict = replayed.verdict,
                   .adjusted_p_worse = replayed.adjusted_p_worse,
                   .adjusted_p_better = replayed.adjusted_p_better,
                   .look_count = replayed.look_count};
  if (!HasBothSides(input)) return told;
  const ComparisonInput believed = WithHistoryWorth(input, replayed.history_degrees);
  told.comparison = *Compare(believed);
  told.outlying = AllRuns(believed).outlying;
  if (replayed.verdict == Verdict::kUndecided) {
    const bool has_history = believed.history && told.comparison->scale == Scale::kLogarithmic;
    told.more_runs_needed = MoreRunsNeeded(*told.comparison, LoneSignificance(statement),
                                           has_history ? believed.history->degrees_of_freedom : 0);
  }
  return told;
}

// Judges the counters of one scenario by all of their runs and both directions.
void JudgeCounters(std::span<const GateCell> cells, std::span<const std::size_t> indexes,
                   double rate, std::vector<CellVerdict>& verdicts) {
  std::vector<double> worse;
  std::vector<double> better;
  for (const std::size_t index : indexes) {
    const ComparisonInput& input = cells[index].input;
    const LookTest test =
        HasBothSides(input) ? TestLook(WithHistoryWorth(input, 0), rate / 2) : LookTest{};
    worse.push_back(test.p_worse);
    better.push_back(test.p_better);
    if (HasBothSides(input)) verdicts[index].comparison = *Compare(WithHistoryWorth(input, 0));
    verdicts[index].verdict = Verdict::kUndecided;
    if (test.p_changed <= (1 - input.confidence_level) / 2) {
      verdicts[index].verdict = Verdict::kNoChange;
    }
  }
  worse = AdjustForFalseDiscovery(worse);
  better = AdjustForFalseDiscovery(better);
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    CellVerdict& told = verdicts[indexes[i]];
    told.adjusted_p_worse = std::min(1.0, 2 * worse[i]);
    told.adjusted_p_better = std::min(1.0, 2 * better[i]);
    if (told.adjusted_p_better <= rate) told.verdict = Verdict::kBetter;
    if (told.adjusted_p_worse <= rate) told.verdict = Verdict::kWorse;
  }
}

// Counters of the scenarios in which a primary metric is worse. Of N scenarios R were selected by
// their primary metrics, so each family is held to q R / N (Benjamini and Bogomolov 2014).
void JudgeSelectedCounters(std::span<const GateCell> cells, double rate, GateResult& result) {
  std::set<std::int64_t> scenarios;
  std::map<std::int64_t, std::vector<std::size_t>> selected;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].is_primary) continue;
    scenarios.insert(cells[i].scenario);
    if (result.cells[i].verdict == Verdict::kWorse) selected[cells[i].scenario];
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].is_primary) continue;
    const auto family = selected.find(cells[i].scenario);
    if (family != selected.end()) family->second.push_back(i);
  }
  const double held =
      rate * static_cast<double>(selected.size()) / static_cast<double>(scenarios.size());
  for (const auto& [scenario, indexes] : selected) {
    if (indexes.empty()) continue;
    JudgeCounters(cells, indexes, held, result.cells);
    result.counters.push_back(
        {.scenario = scenario,
         .statement = {.cell_count = static_cast<std::int64_t>(indexes.size()),
                       .false_discovery_rate = held}});
  }
}

// What the next look of a scenario lacks, and how much its cells are suspected.
struct Need {
  RunCounts runs;
  double p_value = 1;
};

std::map<std::int64_t, Need> NeedsOf(std::span<const GateCell> cells,
                                     std::span<const ReplayedCell> replayed) {
  std::map<std::int64_t, Need> needs;
  for (const ReplayedCell& cell : replayed) {
    if (cell.verdict != Verdict::kUndecided || cell.next.is_reached()) continue;
    Need& need = needs[cells[cell.cell_index].scenario];
    need.runs.baseline = std::max(need.runs.baseline, cell.next.missing.baseline);
    need.runs.candidate = std::max(need.runs.candidate, cell.next.missing.candidate);
    need.p_value = std::min({need.p_value, cell.p_worse, cell.p_better});
  }
  return needs;
}

// As many of the needs as the budget holds, each whole, the most suspected scenario first.
std::vector<RunRequest> Grant(const std::map<std::int64_t, Need>& needs, std::int64_t budget) {
  std::vector<std::pair<std::int64_t, Need>> by_suspicion(needs.begin(), needs.end());
  std::stable_sort(by_suspicion.begin(), by_suspicion.end(), [](const auto& a, const auto& b) {
    return a.second.p_value < b.second.p_value;
  });
  std::vector<RunRequest> granted;
  for (const auto& [scenario, need] : by_suspicion) {
    const std::int64_t cost = need.runs.baseline + need.runs.candidate;
    if (cost > budget) continue;
    budget -= cost;
    granted.push_back({.scenario = scenario, .runs = need.runs});
  }
  std::sort(granted.begin(), granted.end(),
            [](const RunRequest& a, const RunRequest& b) { return a.scenario < b.scenario; });
  return granted;
}

GateState StateOf(std::span<const ReplayedCell> replayed, const std::map<std::int64_t, Need>& needs,
                  std::span<const RunRequest> requests) {
  if (!requests.empty()) return GateState::kNeedsRuns;
  if (!needs.empty()) return GateState::kBudgetSpent;
  const bool is_decided =
      std::none_of(replayed.begin(), replayed.end(),
                   [](const ReplayedCell& cell) { return cell.verdict == Verdict::kUndecided; });
  return is_decided ? GateState::kDecided : GateState::kLooksUsed;
}

// Without a plan the runs as they are are the only look.
GateResult Judge(std::span<const GateCell> cells, const LookPlan* plan,
                 const GateSettings& settings) {
  const double rate = settings.false_discovery_rate;
  SCHEDLAB_CHECK(rate > 0 && rate <= 0.5);
  const std::vector<ReplayedCell> replayed = ReplayLooks(cells, plan, rate);
  GateResult result{
      .cells = std::vector<CellVerdict>(cells.size(), CellVerdict{.verdict = std::nullopt}),
      .primary = {.cell_count = static_cast<std::int64_t>(replayed.size()),
                  .false_discovery_rate = rate}};
  for (const ReplayedCell& one : replayed) {
    result.cells[one.cell_index] = Tell(one, cells[one.cell_index].input, result.primary);
  }
  JudgeSelectedCounters(cells, rate, result);
  const std::map<std::int64_t, Need> needs = NeedsOf(cells, replayed);
  result.requests = Grant(needs, settings.run_budget);
  result.state = StateOf(replayed, needs, result.requests);
  return result;
}

}  // namespace

std::string_view ToString(Verdict verdict) {
  switch (verdict) {
    case Verdict::kWorse:
      return "worse";
    case Verdict::kBetter:
      return "better";
    case Verdict::kNoChange:
      return "no change";
    case Verdict::kUndecided:
      return "undecided";
  }
  return "undecided";
}

Result<GateResult> RunGate(std::span<const GateCell> cells, const LookPlan& plan,
                           const GateSettings& settings) {
  if (const Status status = CheckCells(cells, true); !status) return Fail(status.error());
  return Judge(cells, &plan, settings);
}

Result<GateResult> JudgeOnce(std::span<const GateCell> cells, double false_discovery_rate) {
  if (const Status status = CheckCells(cells, false); !status) return Fail(status.error());
  return Judge(cells, nullptr, {.false_discovery_rate = false_discovery_rate});
}

}  // namespace schedlab::stats
