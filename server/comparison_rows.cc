#include "server/comparison_rows.h"

#include "server/summaries.h"

namespace schedlab::server {

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

ComparisonRow RowOf(const Series& series, const Sides& sides, const stats::Comparison& comparison) {
  ComparisonRow row;
  row.series = series;
  row.baseline_samples = sides.baseline;
  row.candidate_samples = sides.candidate;
  row.baseline = ToSampleSummary(comparison.baseline);
  row.candidate = ToSampleSummary(comparison.candidate);
  if (comparison.baseline.mean == 0) return row;
  row.relative_change = comparison.relative_change;
  if (comparison.interval) {
    row.interval = ChangeInterval{comparison.interval->low, comparison.interval->high};
  }
  return row;
}

}  // namespace schedlab::server
