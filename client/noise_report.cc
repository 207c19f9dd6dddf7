#include "client/noise_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "client/grid.h"
#include "client/number_format.h"
#include "client/terminal.h"
#include "stats/power.h"
#include "stats/summary.h"

namespace schedlab::client {
namespace {

constexpr std::array kPlannedEffects = {0.01, 0.02, 0.05};
constexpr double kSignificance = 0.05;
constexpr double kPower = 0.9;

bool IsPositive(const SeriesHistory& history) {
  for (const Point& point : history.points) {
    for (const double value : point.samples) {
      if (!(value > 0)) return false;
    }
  }
  return true;
}

// Every revision's runs on the scale.
std::vector<std::vector<double>> ScaledRuns(const SeriesHistory& history, bool is_logarithmic) {
  std::vector<double> all;
  for (const Point& point : history.points) {
    all.insert(all.end(), point.samples.begin(), point.samples.end());
  }
  const double median = all.empty() ? 0 : std::fabs(stats::Median(all));
  const double unit = median > 0 ? median : 1;
  std::vector<std::vector<double>> scaled;
  for (const Point& point : history.points) {
    std::vector<double>& runs = scaled.emplace_back();
    for (const double value : point.samples) {
      runs.push_back(is_logarithmic ? std::log(value) : value / unit);
    }
  }
  return scaled;
}

// Which segment each point belongs to, from 0.
std::vector<std::size_t> SegmentsOf(const SeriesHistory& history) {
  std::vector<std::size_t> segments;
  std::size_t segment = 0;
  for (std::size_t i = 0; i < history.points.size(); ++i) {
    const std::string& id = history.points[i].revision.id;
    const bool is_change =
        std::any_of(history.change_points.begin(), history.change_points.end(),
                    [&id](const auto& change) { return change.revision.id == id; });
    if (is_change && i > 0) ++segment;
    segments.push_back(segment);
  }
  return segments;
}

// The pooled spread within revisions; absent where no revision has two runs.
std::optional<double> PooledSd(const std::vector<std::vector<double>>& runs) {
  double squares = 0;
  double degrees = 0;
  for (const std::vector<double>& of_revision : runs) {
    const Result<stats::Summary> summary = stats::Summarize(of_revision);
    if (!summary || !summary->stddev) continue;
    const auto freedom = static_cast<double>(of_revision.size() - 1);
    squares += *summary->stddev * *summary->stddev * freedom;
    degrees += freedom;
  }
  return degrees > 0 ? std::optional(std::sqrt(squares / degrees)) : std::nullopt;
}

// Residuals about a median of n runs are too small by (n - 1) / n in variance.
void AddResiduals(std::span<const double> runs, std::vector<double>& residuals) {
  if (runs.size() < 2) return;
  const double median = stats::Median(runs);
  const auto count = static_cast<double>(runs.size());
  for (const double value : runs) {
    residuals.push_back((value - median) * std::sqrt(count / (count - 1)));
  }
}

std::optional<double> RobustWithin(const std::vector<std::vector<double>>& runs) {
  std::vector<double> residuals;
  for (const std::vector<double>& of_revision : runs) AddResiduals(of_revision, residuals);
  if (residuals.empty()) return std::nullopt;
  return stats::RobustStddev(residuals, 0);
}

std::optional<double> RobustBetween(const std::vector<std::vector<double>>& runs,
                                    const std::vector<std::size_t>& segments) {
  std::vector<std::vector<double>> medians(segments.empty() ? 0 : segments.back() + 1);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].empty()) medians[segments[i]].push_back(stats::Median(runs[i]));
  }
  std::vector<double> residuals;
  for (const std::vector<double>& of_segment : medians) AddResiduals(of_segment, residuals);
  if (residuals.empty()) return std::nullopt;
  return stats::RobustStddev(residuals, 0);
}

std::vector<NoisePlan> PlansOf(const NoiseReport& report) {
  std::vector<NoisePlan> plans;
  for (const double effect : kPlannedEffects) {
    NoisePlan plan{.effect = effect, .runs_a_side = std::nullopt};
    // The test is of "not beyond the minimum effect", on the logarithmic scale.
    const double distance = std::log1p(report.series.minimum_effect) - std::log1p(effect);
    if (report.within_sd && distance < 0) {
      plan.runs_a_side = stats::RunsNeeded({.distance = -distance,
                                            .stddev = *report.within_sd,
                                            .significance = kSignificance,
                                            .power = kPower});
    }
    plans.push_back(plan);
  }
  return plans;
}

std::string PercentText(std::optional<double> value) {
  return value ? fmt::format("{} %", FormatNumber(*value * 100)) : "n/a (one run a revision)";
}

std::string PlanText(const NoisePlan& plan) {
  if (!plan.runs_a_side) return "not called: within the minimum effect, or the noise is unknown";
  if (*plan.runs_a_side >= stats::kMostPlannedRuns) {
    return fmt::format("{} runs a side or more", stats::kMostPlannedRuns);
  }
  return fmt::format("{} runs a side", *plan.runs_a_side);
}

}  // namespace

NoiseReport ReportNoise(const SeriesHistory& history) {
  NoiseReport report;
  report.series = history.series;
  report.is_logarithmic = IsPositive(history);
  const std::vector<std::vector<double>> runs = ScaledRuns(history, report.is_logarithmic);
  const std::vector<std::size_t> segments = SegmentsOf(history);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].empty()) continue;
    report.run_count += static_cast<std::int64_t>(runs[i].size());
    ++report.revision_count;
    RevisionNoise& one = report.revisions.emplace_back();
    one.revision = history.points[i].revision;
    one.summary = history.summaries[i];
    one.robust_sd = RobustWithin({runs[i]});
  }
  report.segment_count = segments.empty() ? 0 : static_cast<std::int64_t>(segments.back()) + 1;
  report.within_sd = PooledSd(runs);
  report.within_robust_sd = RobustWithin(runs);
  report.between_robust_sd = RobustBetween(runs, segments);
  report.plans = PlansOf(report);
  return report;
}

std::string RenderNoise(const NoiseReport& report) {
  const Series& series = report.series;
  std::string text = EscapeControls(fmt::format(
      "{}.{}  on {}  ({}{}{}, {} is better, scenario {}, engine {})\n", series.key.workload,
      series.key.metric, series.key.topology, series.key.policy,
      series.key.variant.empty() ? "" : " with ", series.key.variant, BetterWord(series.direction),
      ShortId(series.key.scenario_digest), series.key.engine_version));
  text += fmt::format(
      "{} runs of {} revisions in {} segment{} between change points\n\n"
      "between runs of one revision   sd {}, robust sd {} (pooled over revisions)\n"
      "between revisions              robust sd {} of their medians, within segments\n"
      "sd = {}; robust sd = 1.4826 x median absolute deviation\n\n",
      report.run_count, report.revision_count, report.segment_count,
      report.segment_count == 1 ? "" : "s", PercentText(report.within_sd),
      PercentText(report.within_robust_sd), PercentText(report.between_robust_sd),
      report.is_logarithmic ? "that of the logarithm, so a share of the value"
                            : "in multiples of the series' median");
  for (const NoisePlan& plan : report.plans) {
    text += fmt::format("a change of {:g} %  {}\n", plan.effect * 100, PlanText(plan));
  }
  text += fmt::format(
      "(one metric, one-sided at {:g} %, {:g} % power, beyond a minimum effect of {:g} %; a gate "
      "over many metrics wants more)\n\n",
      kSignificance * 100, kPower * 100, series.minimum_effect * 100);
  Grid grid{.columns = {{"revision"},
                        {"mean / " + series.unit, Alignment::kRight},
                        {"n", Alignment::kRight},
                        {"CV", Alignment::kRight},
                        {"robust sd", Alignment::kRight},
                        {"subject"}},
            .rows = {}};
  for (const RevisionNoise& one : report.revisions) {
    grid.rows.push_back(
        {ShortId(one.revision.id), FormatNumber(one.summary.mean),
         fmt::format("{}", one.summary.count), FormatSpread(one.summary),
         one.robust_sd ? fmt::format("{} %", FormatNumber(*one.robust_sd * 100)) : "n/a",
         one.revision.subject});
  }
  return text + RenderText(grid);
}

}  // namespace schedlab::client
