#include "tests/support/gate_trial.h"

#include <algorithm>
#include <cmath>

#include "stats/t_tests.h"

namespace schedlab::testing {
namespace {

constexpr double kLevel = 1000;

// A metric and where its runs come from.
struct Metric {
  double change = 0;
  NoiseStream noise;
};

std::optional<stats::NoiseHistory> HistoryOf(Metric& metric, const GateTrialSpec& spec) {
  if (spec.history_runs < 2) return std::nullopt;
  std::vector<double> runs =
      MakeRuns(metric.noise, static_cast<std::size_t>(spec.history_runs), kLevel, spec.noise);
  for (double& run : runs) run = std::log(run);
  const double one = runs.front();
  const stats::VarianceEstimate variance =
      stats::PooledVariance({.baseline = runs, .candidate = {&one, 1}});
  return stats::NoiseHistory{.stddev = std::sqrt(variance.variance),
                             .degrees_of_freedom = variance.degrees_of_freedom};
}

void AddRuns(Metric& metric, const GateTrialSpec& spec, const stats::RunCounts& counts,
             stats::ComparisonInput& input) {
  const auto add = [&](std::int64_t count, double level, std::vector<double>& side) {
    const std::vector<double> runs =
        MakeRuns(metric.noise, static_cast<std::size_t>(count), level, spec.noise);
    side.insert(side.end(), runs.begin(), runs.end());
  };
  add(counts.baseline, kLevel, input.baseline);
  add(counts.candidate, kLevel * (1 + metric.change), input.candidate);
}

std::int64_t RunsASide(const stats::GateCell& cell) {
  return static_cast<std::int64_t>(
      std::max(cell.input.baseline.size(), cell.input.candidate.size()));
}

}  // namespace

GateTrial RunGateTrial(const GateTrialSpec& spec, const stats::LookPlan& plan, std::uint64_t seed) {
  std::vector<Metric> metrics;
  std::vector<stats::GateCell> cells;
  for (std::size_t i = 0; i < spec.changes.size(); ++i) {
    metrics.push_back({.change = spec.changes[i], .noise = {spec.kind, seed * 1'000 + i}});
    cells.push_back({.input = {.baseline = {},
                               .candidate = {},
                               .direction = Direction::kLowerIsBetter,
                               .minimum_effect = spec.minimum_effect,
                               .is_paired = spec.is_paired,
                               .history = HistoryOf(metrics.back(), spec)},
                     .scenario = static_cast<std::int64_t>(i)});
  }
  GateTrial trial;
  do {
    trial.result = *stats::RunGate(cells, plan, {});
    for (const stats::RunRequest& request : trial.result.requests) {
      const auto index = static_cast<std::size_t>(request.scenario);
      AddRuns(metrics[index], spec, request.runs, cells[index].input);
    }
  } while (!trial.result.requests.empty());
  for (const stats::GateCell& cell : cells) trial.runs.push_back(RunsASide(cell));
  return trial;
}

int CountVerdicts(const GateTrial& trial, stats::Verdict verdict) {
  return static_cast<int>(
      std::count_if(trial.result.cells.begin(), trial.result.cells.end(),
                    [verdict](const stats::CellVerdict& cell) { return cell.verdict == verdict; }));
}

}  // namespace schedlab::testing
