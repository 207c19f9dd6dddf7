#include "server/judge_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "server/comparison_rows.h"
#include "server/find_changes.h"
#include "server/summaries.h"
#include "stats/comparison.h"
#include "stats/gate.h"

namespace schedlab::server {
namespace {

// In the order of the rows; those without samples on both sides are left out.
std::vector<const SeriesPair*> Comparable(std::span<const SeriesPair> pairs) {
  std::vector<const SeriesPair*> comparable;
  for (const SeriesPair& pair : pairs) {
    if (!pair.baseline.values.empty() && !pair.candidate.values.empty())
      comparable.push_back(&pair);
  }
  const auto order = [](const SeriesPair* pair) {
    const SeriesKey& key = pair->series.key;
    return std::tuple<bool, const std::string&, const std::string&, const std::string&, SeriesId>(
        pair->series.role == MetricRole::kCounter, key.topology, key.workload, key.metric,
        pair->series.id);
  };
  std::sort(comparable.begin(), comparable.end(),
            [&order](const SeriesPair* a, const SeriesPair* b) { return order(a) < order(b); });
  return comparable;
}

std::string NameOf(const SeriesKey& key) {
  return fmt::format("{} of {} on {}", key.metric, key.workload, key.topology);
}

// The samples whose seeds both sides have, in the order of the baseline.
Result<Sides> PairBySeed(const SeriesPair& pair) {
  std::map<std::int64_t, double> candidates;
  for (std::size_t i = 0; i < pair.candidate.values.size(); ++i) {
    candidates.emplace(pair.candidate.seeds[i], pair.candidate.values[i]);
  }
  Sides sides;
  for (std::size_t i = 0; i < pair.baseline.values.size(); ++i) {
    const auto candidate = candidates.find(pair.baseline.seeds[i]);
    if (candidate == candidates.end()) continue;
    sides.baseline.push_back(pair.baseline.values[i]);
    sides.candidate.push_back(candidate->second);
  }
  if (!sides.baseline.empty()) return sides;
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("cannot compare {} as pairs: the two sides have no seed in common; run "
                          "both with paired seeds, or compare them as independent",
                          NameOf(pair.series.key)));
}

Result<Sides> SidesOf(const SeriesPair& pair, bool is_paired) {
  if (is_paired) return PairBySeed(pair);
  return Sides{pair.baseline.values, pair.candidate.values};
}

stats::ComparisonInput InputOf(const Series& series, const Sides& sides, bool is_paired) {
  return {.baseline = sides.baseline,
          .candidate = sides.candidate,
          .direction = series.direction,
          .minimum_effect = series.minimum_effect,
          .is_paired = is_paired,
          .history = std::nullopt};
}

Error Refusal(const Series& series, const Error& error) {
  return {error.code, fmt::format("cannot compare {}: {}", NameOf(series.key), error.message)};
}

Result<std::vector<Yardstick>> YardsticksOf(const SeriesPair& pair) {
  std::vector<Yardstick> yardsticks;
  for (const YardstickSamples& samples : pair.yardsticks) {
    const Result<SampleSummary> summary = SummaryOf(samples.values);
    if (!summary) return Fail(summary.error());
    yardsticks.push_back({.policy = samples.policy, .summary = *summary});
  }
  return yardsticks;
}

void AddVerdict(ComparisonRow& row, const stats::CellVerdict& cell) {
  row.verdict = ToVerdict(cell.verdict.value_or(stats::Verdict::kUndecided));
  row.p_value = std::min(cell.adjusted_p_worse, cell.adjusted_p_better);
  row.more_runs_needed = static_cast<std::int32_t>(cell.more_runs_needed.value_or(0));
}

}  // namespace

Result<std::vector<ComparisonRow>> JudgePairs(std::span<const SeriesPair> pairs, bool is_paired) {
  std::vector<ComparisonRow> rows;
  std::vector<stats::GateCell> headlines;  // of the first rows: headline metrics come first
  for (const SeriesPair* pair : Comparable(pairs)) {
    const Result<Sides> sides = SidesOf(*pair, is_paired);
    if (!sides) return Fail(sides.error());
    stats::ComparisonInput input = InputOf(pair->series, *sides, is_paired);
    const Result<stats::Comparison> comparison = stats::Compare(input);
    if (!comparison) return Fail(Refusal(pair->series, comparison.error()));
    rows.push_back(RowOf(pair->series, *sides, *comparison));
    Result<std::vector<Yardstick>> yardsticks = YardsticksOf(*pair);
    if (!yardsticks) return Fail(yardsticks.error());
    rows.back().yardsticks = *std::move(yardsticks);
    if (pair->series.role == MetricRole::kHeadline) headlines.push_back({std::move(input)});
  }
  const Result<stats::GateResult> gate = stats::JudgeOnce(headlines, kFalseDiscoveryRate);
  if (!gate) return Fail(gate.error());
  for (std::size_t i = 0; i < headlines.size(); ++i) AddVerdict(rows[i], gate->cells[i]);
  return rows;
}

}  // namespace schedlab::server
