#include "server/judge_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "server/find_changes.h"
#include "server/summaries.h"
#include "stats/comparison.h"

namespace schedlab::server {
namespace {

Verdict ToVerdict(stats::Verdict verdict) {
  switch (verdict) {
    case stats::Verdict::kWorse:
      return Verdict::kWorse;
    case stats::Verdict::kBetter:
      return Verdict::kBetter;
    case stats::Verdict::kNoChange:
      return Verdict::kNoChange;
    case stats::Verdict::kUndecided:
      return Verdict::kUndecided;
  }
  return Verdict::kNone;
}

// In the order of the rows; those without samples on both sides are left out.
std::vector<const SeriesPair*> Comparable(std::span<const SeriesPair> pairs) {
  std::vector<const SeriesPair*> comparable;
  for (const SeriesPair& pair : pairs) {
    if (!pair.baseline.empty() && !pair.candidate.empty()) comparable.push_back(&pair);
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

Result<stats::Comparison> ComparePair(const SeriesPair& pair, bool is_paired) {
  Result<stats::Comparison> comparison =
      stats::Compare({.baseline = pair.baseline,
                      .candidate = pair.candidate,
                      .direction = pair.series.direction,
                      .minimum_effect = pair.series.minimum_effect,
                      .is_paired = is_paired,
                      .history = std::nullopt});
  if (comparison) return comparison;
  const SeriesKey& key = pair.series.key;
  return Fail(comparison.error().code,
              fmt::format("cannot compare {} of {} on {}: {}", key.metric, key.workload,
                          key.topology, comparison.error().message));
}

ComparisonRow RowOf(const SeriesPair& pair, const stats::Comparison& comparison) {
  ComparisonRow row;
  row.series = pair.series;
  row.baseline_samples = pair.baseline;
  row.candidate_samples = pair.candidate;
  row.baseline = ToSampleSummary(comparison.baseline);
  row.candidate = ToSampleSummary(comparison.candidate);
  if (comparison.baseline.mean == 0) return row;
  row.relative_change = comparison.relative_change;
  if (comparison.interval) {
    row.interval = ChangeInterval{comparison.interval->low, comparison.interval->high};
  }
  return row;
}

void AddJudgement(ComparisonRow& row, const stats::Judgement& judgement) {
  row.verdict = ToVerdict(judgement.verdict);
  row.p_value = std::min(judgement.adjusted_p_worse, judgement.adjusted_p_better);
  row.more_runs_needed = static_cast<std::int32_t>(judgement.more_runs_needed.value_or(0));
}

}  // namespace

Result<std::vector<ComparisonRow>> JudgePairs(std::span<const SeriesPair> pairs, bool is_paired) {
  std::vector<ComparisonRow> rows;
  std::vector<stats::Comparison> judged;  // of the first rows: headline metrics come first
  for (const SeriesPair* pair : Comparable(pairs)) {
    Result<stats::Comparison> comparison = ComparePair(*pair, is_paired);
    if (!comparison) return Fail(comparison.error());
    rows.push_back(RowOf(*pair, *comparison));
    if (pair->series.role == MetricRole::kHeadline) judged.push_back(*comparison);
  }
  const std::vector<stats::Judgement> judgements = stats::Judge(judged, kFalseDiscoveryRate);
  for (std::size_t i = 0; i < judgements.size(); ++i) AddJudgement(rows[i], judgements[i]);
  return rows;
}

}  // namespace schedlab::server
