#include "stats/gate_replay.h"

#include <algorithm>
#include <utility>

#include "stats/false_discovery.h"

namespace schedlab::stats {
namespace {

// A cell at the look that is being replayed.
struct Looked {
  ReplayedCell* cell;
  ComparisonInput runs;
};

class Replay {
 public:
  Replay(std::span<const GateCell> cells, const LookPlan* plan, double rate)
      : cells_(cells), plan_(plan), rate_(rate) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].is_primary) replayed_.push_back({.cell_index = i});
    }
  }

  std::vector<ReplayedCell> Run() && {
    const std::size_t look_count = plan_ == nullptr ? 1 : plan_->looks().size();
    for (std::size_t look = 0; look < look_count; ++look) {
      std::vector<Looked> reached = Reached(look);
      if (reached.empty()) break;
      BelieveHistories(reached);
      for (const Looked& one : reached) Test(one, look);
      Decide();
    }
    return std::move(replayed_);
  }

 private:
  LookRuns RunsAt(const ComparisonInput& input, std::size_t look) const {
    return plan_ == nullptr ? AllRuns(input) : RunsForLook(input, plan_->looks()[look]);
  }

  // The undecided cells that have the runs of the look and of every look before.
  std::vector<Looked> Reached(std::size_t look) {
    std::vector<Looked> reached;
    for (ReplayedCell& cell : replayed_) {
      const bool is_waiting = cell.look_count < static_cast<std::int64_t>(look);
      if (is_waiting || cell.verdict != Verdict::kUndecided) continue;
      const ComparisonInput& input = cells_[cell.cell_index].input;
      cell.next = RunsAt(input, look);
      if (!cell.next.is_reached()) continue;
      ++cell.look_count;
      reached.push_back({.cell = &cell, .runs = Truncate(input, cell.next.used)});
    }
    return reached;
  }

  static void BelieveHistories(std::vector<Looked>& reached) {
    std::vector<HistoryCheck> checks;
    for (const Looked& one : reached) {
      if (const auto check = CheckHistory(one.runs)) checks.push_back(*check);
    }
    const double deserved = DegreesDeserved(checks);
    for (Looked& one : reached) {
      if (!one.runs.history) continue;
      double& degrees = one.runs.history->degrees_of_freedom;
      degrees = std::min(degrees, deserved);
      one.cell->history_degrees = degrees;
    }
  }

  double Sequential(std::size_t look, double p_value) const {
    return plan_ == nullptr ? p_value : plan_->SequentialPValue(look, p_value);
  }

  void Test(const Looked& one, std::size_t look) const {
    const LookTest test = TestLook(one.runs, rate_);
    ReplayedCell& cell = *one.cell;
    cell.p_worse = std::min(cell.p_worse, Sequential(look, test.p_worse));
    cell.p_better = std::min(cell.p_better, Sequential(look, test.p_better));
    cell.p_changed = std::min(cell.p_changed, Sequential(look, test.p_changed));
  }

  std::vector<double> Adjusted(double ReplayedCell::*p_value) const {
    std::vector<double> p_values;
    for (const ReplayedCell& cell : replayed_) p_values.push_back(cell.*p_value);
    return AdjustForFalseDiscovery(p_values);
  }

  void Decide() {
    const std::vector<double> worse = Adjusted(&ReplayedCell::p_worse);
    const std::vector<double> better = Adjusted(&ReplayedCell::p_better);
    for (std::size_t i = 0; i < replayed_.size(); ++i) {
      ReplayedCell& cell = replayed_[i];
      cell.adjusted_p_worse = worse[i];
      cell.adjusted_p_better = better[i];
      if (cell.verdict == Verdict::kUndecided) cell.verdict = VerdictOf(cell);
    }
  }

  Verdict VerdictOf(const ReplayedCell& cell) const {
    if (cell.adjusted_p_worse <= rate_) return Verdict::kWorse;
    if (cell.adjusted_p_better <= rate_) return Verdict::kBetter;
    const double level = (1 - cells_[cell.cell_index].input.confidence_level) / 2;
    return cell.p_changed <= level ? Verdict::kNoChange : Verdict::kUndecided;
  }

  std::span<const GateCell> cells_;
  const LookPlan* plan_;
  double rate_;
  std::vector<ReplayedCell> replayed_;
};

}  // namespace

std::vector<ReplayedCell> ReplayLooks(std::span<const GateCell> cells, const LookPlan* plan,
                                      double false_discovery_rate) {
  return Replay(cells, plan, false_discovery_rate).Run();
}

}  // namespace schedlab::stats
