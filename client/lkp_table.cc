#include "client/lkp_table.h"

#include <fmt/format.h>

#include <cmath>

namespace schedlab::client {
namespace {

// Column widths and limits of lkp-tests' lib/compare.rb.
constexpr double kSpreadShownAbove = 0.02;
constexpr double kTwoDecimalsBelow = 1000;
constexpr double kExponentAbove = 1e8;
constexpr double kChangeExponentAbove = 100'000;
constexpr std::size_t kRuleWidth = 89;

std::string FormatMean(double mean) {
  const double magnitude = std::fabs(mean);
  if (magnitude < kTwoDecimalsBelow) return fmt::format("{:10.2f}", mean);
  if (magnitude > kExponentAbove) return fmt::format("{:10.4g}", mean);
  return fmt::format("{:10.0f}", std::trunc(mean));
}

std::string FormatStddev(const SampleSummary& side) {
  if (!side.stddev || side.mean == 0) return "      ";
  const double ratio = std::fabs(*side.stddev / side.mean);
  if (ratio <= kSpreadShownAbove) return "      ";
  return fmt::format(" ±{:3.0f}%", ratio * 100);
}

std::string FormatChange(const LkpRow& row) {
  const double difference = row.candidate.mean - row.baseline.mean;
  if (row.key.ends_with('%')) return fmt::format("{:+10.1f}  ", difference);
  if (row.baseline.mean == 0) return fmt::format("{:+10.1f}  ", difference);
  const double percent = difference / std::fabs(row.baseline.mean) * 100;
  if (std::fabs(percent) > kChangeExponentAbove) return fmt::format("{:+10.2g}% ", percent);
  return fmt::format("{:+10.1f}% ", percent);
}

std::string FormatRow(const LkpRow& row) {
  return FormatMean(row.baseline.mean) + FormatStddev(row.baseline) + FormatChange(row) +
         FormatMean(row.candidate.mean) + FormatStddev(row.candidate) + "  " + row.key + "\n";
}

std::string FormatFailureCount(const LkpFailureCount& count) {
  const std::string failed = count.failed == 0 ? "" : fmt::format("{}", count.failed);
  return fmt::format("{:>11}:{:<4}", failed, count.runs);
}

double FailureRatio(const LkpFailureCount& count) {
  return count.runs == 0 ? 0 : static_cast<double>(count.failed) / static_cast<double>(count.runs);
}

std::string FormatFailureRow(const LkpFailureRow& row) {
  const double change = FailureRatio(row.candidate) - FailureRatio(row.baseline);
  return fmt::format("{}{:10.0f}% {}  {}\n", FormatFailureCount(row.baseline), change * 100,
                     FormatFailureCount(row.candidate), row.key);
}

std::string RenderAxes(const std::vector<LkpAxis>& axes) {
  std::string names;
  std::string values;
  for (const LkpAxis& axis : axes) {
    names += (names.empty() ? "" : "/") + axis.name;
    values += (values.empty() ? "" : "/") + axis.value;
  }
  return fmt::format("{}\n{}:\n  {}\n\n", std::string(kRuleWidth, '='), names, values);
}

std::string RenderCommits(const LkpTable& table) {
  std::string text = "commit: \n";
  for (const LkpCommit* commit : {&table.baseline, &table.candidate}) {
    text += fmt::format("  {:.10} (\"{}\")\n", commit->id, commit->subject);
  }
  text += fmt::format("\n{:<16.16} {:<27.27} \n", table.baseline.id, table.candidate.id);
  return text + fmt::format("{} {} \n", std::string(16, '-'), std::string(27, '-'));
}

SampleSummary Scaled(const SampleSummary& summary, double factor) {
  SampleSummary scaled = summary;
  scaled.mean *= factor;
  if (scaled.stddev) *scaled.stddev *= factor;
  scaled.median *= factor;
  scaled.minimum *= factor;
  scaled.maximum *= factor;
  return scaled;
}

}  // namespace

LkpRow LkpRowOf(const ComparisonRow& row) {
  const std::string key = fmt::format("{}.{}", row.series.key.workload, row.series.key.metric);
  if (row.series.unit != "ratio") return {key, row.baseline, row.candidate};
  return {key + "%", Scaled(row.baseline, 100), Scaled(row.candidate, 100)};
}

std::string RenderLkp(const LkpTable& table) {
  std::string text = RenderAxes(table.axes) + RenderCommits(table);
  if (!table.failures.empty()) {
    text += "       fail:runs  %reproduction    fail:runs\n";
    text += "           |             |             |    \n";
    for (const LkpFailureRow& row : table.failures) text += FormatFailureRow(row);
  }
  if (!table.rows.empty()) {
    text += "         %stddev     %change         %stddev\n";
    text += "             \\          |                \\  \n";
    for (const LkpRow& row : table.rows) text += FormatRow(row);
  }
  return text;
}

}  // namespace schedlab::client
