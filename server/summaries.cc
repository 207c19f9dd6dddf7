#include "server/summaries.h"

namespace schedlab::server {

SampleSummary ToSampleSummary(const stats::Summary& summary) {
  return {.count = summary.count,
          .mean = summary.mean,
          .stddev = summary.stddev,
          .median = summary.median,
          .minimum = summary.minimum,
          .maximum = summary.maximum};
}

Result<SampleSummary> SummaryOf(std::span<const double> samples) {
  const Result<stats::Summary> summary = stats::Summarize(samples);
  if (!summary) return Fail(summary.error());
  return ToSampleSummary(*summary);
}

}  // namespace schedlab::server
