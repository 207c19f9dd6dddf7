#include "server/campaigns/gate_judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace schedlab::server {
namespace {

constexpr std::array<std::int64_t, 4> kLooks = {3, 5, 8, 12};

std::int64_t RunsOf(const GateCell& cell) {
  return static_cast<std::int64_t>(
      std::min(cell.samples.baseline.size(), cell.samples.candidate.size()));
}

std::vector<double> FirstOf(const std::vector<double>& samples, std::size_t count) {
  return {samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(count)};
}

Result<stats::Comparison> Compare(const GateCell& cell, Sides samples, double confidence_level) {
  Result<stats::Comparison> comparison = stats::Compare({.baseline = std::move(samples.baseline),
                                                         .candidate = std::move(samples.candidate),
                                                         .direction = cell.direction,
                                                         .minimum_effect = cell.minimum_effect,
                                                         .is_paired = cell.is_paired,
                                                         .history = std::nullopt,
                                                         .confidence_level = confidence_level});
  if (comparison) return comparison;
  return Fail(comparison.error().code,
              fmt::format("cannot compare {}: {}", cell.name, comparison.error().message));
}

// Goes through the looks in order. Each spends an equal share of the rate, which bounds what all of
// them report falsely by their sum.
class Looks {
 public:
  Looks(std::span<const GateCell> cells, double false_discovery_rate)
      : cells_(cells),
        share_(false_discovery_rate / static_cast<double>(kLooks.size())),
        seen_(cells.size()),
        judgements_(cells.size()) {}

  Status Take() {
    for (const std::int64_t look : kLooks) {
      if (Status seen = See(look); !seen) return seen;
      Decide(look);
    }
    return {};
  }

  std::vector<GateCellJudgement> TakeJudgements() { return std::move(judgements_); }

 private:
  // A cell that is decided stays as it was seen then.
  Status See(std::int64_t look) {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const GateCell& cell = cells_[i];
      if (judgements_[i].verdict != Verdict::kUndecided || RunsOf(cell) < look) continue;
      const auto count = static_cast<std::size_t>(look);
      Result<stats::Comparison> comparison = Compare(
          cell, {FirstOf(cell.samples.baseline, count), FirstOf(cell.samples.candidate, count)},
          1 - share_);
      if (!comparison) return Fail(comparison.error());
      seen_[i] = std::move(*comparison);
    }
    return {};
  }

  void Decide(std::int64_t look) {
    const std::vector<stats::Judgement> judged = stats::Judge(seen_, share_);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (judgements_[i].verdict != Verdict::kUndecided || RunsOf(cells_[i]) < look) continue;
      const double p_value = std::min(judged[i].adjusted_p_worse, judged[i].adjusted_p_better);
      judgements_[i].verdict = ToVerdict(judged[i].verdict);
      judgements_[i].p_value = std::min(1.0, p_value * static_cast<double>(kLooks.size()));
      judgements_[i].more_runs_needed =
          static_cast<std::int32_t>(judged[i].more_runs_needed.value_or(0));
    }
  }

  std::span<const GateCell> cells_;
  const double share_;
  // What each cell's last look saw; one that none has reached takes part with p-values of 1.
  std::vector<stats::Comparison> seen_;
  std::vector<GateCellJudgement> judgements_;
};

// What the user reads is of all runs.
Status AddComparisons(std::span<const GateCell> cells, std::vector<GateCellJudgement>& judgements) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (RunsOf(cells[i]) == 0) continue;
    Result<stats::Comparison> comparison =
        Compare(cells[i], cells[i].samples, stats::ComparisonInput().confidence_level);
    if (!comparison) return Fail(comparison.error());
    judgements[i].comparison = std::move(*comparison);
  }
  return {};
}

// By arm: what its cells have of samples, where one of them is undecided.
std::map<std::size_t, GateRequest> OpenArms(std::span<const GateCell> cells,
                                            const std::vector<GateCellJudgement>& judgements) {
  std::map<std::size_t, GateRequest> open;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (judgements[i].verdict != Verdict::kUndecided) continue;
    const GateCell& cell = cells[i];
    open[cell.arm] = {.arm = cell.arm,
                      .baseline = static_cast<std::int64_t>(cell.samples.baseline.size()),
                      .candidate = static_cast<std::int64_t>(cell.samples.candidate.size())};
  }
  return open;
}

std::vector<GateRequest> RequestsOf(std::span<const GateCell> cells,
                                    const std::vector<GateCellJudgement>& judgements) {
  std::vector<GateRequest> requests;
  for (const auto& [arm, has] : OpenArms(cells, judgements)) {
    const auto* next =
        std::upper_bound(kLooks.begin(), kLooks.end(), std::min(has.baseline, has.candidate));
    if (next == kLooks.end()) continue;
    requests.push_back({.arm = arm,
                        .baseline = std::max<std::int64_t>(0, *next - has.baseline),
                        .candidate = std::max<std::int64_t>(0, *next - has.candidate)});
  }
  return requests;
}

}  // namespace

Result<GateJudgement> JudgeGate(std::span<const GateCell> cells, double false_discovery_rate) {
  Looks looks(cells, false_discovery_rate);
  if (const Status taken = looks.Take(); !taken) return Fail(taken.error());
  GateJudgement judgement;
  judgement.cells = looks.TakeJudgements();
  if (const Status added = AddComparisons(cells, judgement.cells); !added) {
    return Fail(added.error());
  }
  judgement.requests = RequestsOf(cells, judgement.cells);
  return judgement;
}

}  // namespace schedlab::server
