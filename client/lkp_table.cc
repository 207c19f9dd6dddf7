#include "client/lkp_table.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <utility>

namespace schedlab::client {
namespace {

// Column widths and limits of lkp-tests' lib/compare.rb.
constexpr double kSpreadShownAbove = 0.02;
constexpr double kTwoDecimalsBelow = 1000;
constexpr double kExponentAbove = 1e8;
constexpr double kChangeExponentAbove = 100'000;
constexpr std::size_t kRuleWidth = 89;
constexpr std::size_t kGroupWidth = 28;  // change, mean and spread of one candidate

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

std::string FormatChange(const LkpRow& row, const SampleSummary& candidate) {
  const double difference = candidate.mean - row.baseline.mean;
  if (row.key.ends_with('%')) return fmt::format("{:+10.1f}  ", difference);
  if (row.baseline.mean == 0) return fmt::format("{:+10.1f}  ", difference);
  const double percent = difference / std::fabs(row.baseline.mean) * 100;
  if (std::fabs(percent) > kChangeExponentAbove) return fmt::format("{:+10.2g}% ", percent);
  return fmt::format("{:+10.1f}% ", percent);
}

std::string FormatRow(const LkpRow& row) {
  std::string text = FormatMean(row.baseline.mean) + FormatStddev(row.baseline);
  for (const std::optional<SampleSummary>& candidate : row.candidates) {
    text += candidate ? FormatChange(row, *candidate) + FormatMean(candidate->mean) +
                            FormatStddev(*candidate)
                      : std::string(kGroupWidth, ' ');
  }
  return text + "  " + row.key + "\n";
}

std::string FormatFailureCount(const LkpFailureCount& count) {
  const std::string failed = count.failed == 0 ? "" : fmt::format("{}", count.failed);
  return fmt::format("{:>11}:{:<4}", failed, count.runs);
}

double FailureRatio(const LkpFailureCount& count) {
  return count.runs == 0 ? 0 : static_cast<double>(count.failed) / static_cast<double>(count.runs);
}

std::string FormatFailureRow(const LkpFailureRow& row) {
  std::string text = FormatFailureCount(row.baseline);
  for (const LkpFailureCount& candidate : row.candidates) {
    const double change = FailureRatio(candidate) - FailureRatio(row.baseline);
    text += fmt::format("{:10.0f}% {}", change * 100, FormatFailureCount(candidate));
  }
  return text + "  " + row.key + "\n";
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
  std::string commits;
  std::string ids = fmt::format("{:<16.16} ", table.baseline.id);
  std::string dashes = std::string(16, '-') + " ";
  const auto name = [&commits](const LkpCommit& commit) {
    commits += fmt::format("  {:.10} (\"{}\")\n", commit.id, commit.subject);
  };
  name(table.baseline);
  for (const LkpCommit& candidate : table.candidates) {
    name(candidate);
    ids += fmt::format("{:<27.27} ", candidate.id);
    dashes += std::string(27, '-') + " ";
  }
  return fmt::format("commit: \n{}\n{}\n{}\n", commits, ids, dashes);
}

// `first`, then `group` for each candidate.
std::string Titles(std::string first, std::string_view group, std::size_t candidate_count) {
  for (std::size_t i = 0; i < candidate_count; ++i) first += group;
  return first + "\n";
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

LkpRow LkpRowOf(const Series& series, const SampleSummary& baseline,
                std::vector<std::optional<SampleSummary>> candidates) {
  const std::string key = fmt::format("{}.{}", series.key.workload, series.key.metric);
  if (series.unit != "ratio") return {key, baseline, std::move(candidates)};
  for (std::optional<SampleSummary>& candidate : candidates) {
    if (candidate) candidate = Scaled(*candidate, 100);
  }
  return {key + "%", Scaled(baseline, 100), std::move(candidates)};
}

LkpRow LkpRowOf(const ComparisonRow& row) {
  return LkpRowOf(row.series, row.baseline, {row.candidate});
}

std::string RenderLkp(const LkpTable& table) {
  const std::size_t count = table.candidates.size();
  std::string text = RenderAxes(table.axes) + RenderCommits(table);
  if (!table.failures.empty()) {
    text += Titles("       fail:runs", "  %reproduction    fail:runs", count);
    text += Titles("           |    ", "         |             |    ", count);
    for (const LkpFailureRow& row : table.failures) text += FormatFailureRow(row);
  }
  if (!table.rows.empty()) {
    text += Titles("         %stddev", "     %change         %stddev", count);
    text += Titles("             \\  ", "        |                \\  ", count);
    for (const LkpRow& row : table.rows) text += FormatRow(row);
  }
  return text;
}

}  // namespace schedlab::client
