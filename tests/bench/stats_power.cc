// Prints the tables of docs/judgement.md: false alarms, power and accuracy of the detector and of
// the gate, over seeded noise. `stats_power [trials]`, 2000 unless given.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "stats/change_points.h"
#include "stats/gate.h"
#include "tests/support/noisy_series.h"

namespace schedlab::testing {
namespace {

std::vector<stats::ChangePoint> Detect(const SeriesSpec& spec, int seed) {
  return *stats::DetectChangePoints(MakeSeries(spec, static_cast<std::uint64_t>(seed)), {});
}

void PrintHeader(const std::vector<std::string>& columns) {
  std::string rule = "|";
  fmt::print("|");
  for (const std::string& column : columns) {
    fmt::print(" {} |", column);
    rule += " --- |";
  }
  fmt::print("\n{}\n", rule);
}

double Percent(int count, int of) { return 100.0 * count / std::max(1, of); }

// A share in percent with its 95 % interval (Wilson 1927).
std::string ShareWithInterval(int count, int trials) {
  constexpr double kZ = 1.96;
  const double n = trials;
  const double share = count / n;
  const double center = (share + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double reach =
      kZ / (1 + kZ * kZ / n) * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n));
  return fmt::format("{:.2f} ({:.2f}-{:.2f})", 100 * share, 100 * std::max(0.0, center - reach),
                     100 * (center + reach));
}

int CountAlarms(const SeriesSpec& spec, int trials) {
  int alarms = 0;
  for (int seed = 1; seed <= trials; ++seed) {
    if (!Detect(spec, seed).empty()) ++alarms;
  }
  return alarms;
}

void PrintFalseAlarms(int trials) {
  struct Shape {
    std::size_t point_count;
    std::size_t runs_per_point;
  };
  const std::vector<Shape> shapes = {{12, 5}, {27, 5}, {27, 3}, {100, 1}, {300, 5}, {1000, 1}};
  fmt::print("\n% of series without a change in which one is reported (95 % interval)\n\n");
  std::vector<std::string> columns = {"noise"};
  for (const Shape& shape : shapes) {
    columns.push_back(fmt::format("{} x {}", shape.point_count, shape.runs_per_point));
  }
  PrintHeader(columns);
  for (const NoiseKind kind : kAllNoiseKinds) {
    fmt::print("| {} |", ToString(kind));
    for (const Shape& shape : shapes) {
      const SeriesSpec spec{
          .point_count = shape.point_count, .runs_per_point = shape.runs_per_point, .kind = kind};
      fmt::print(" {} |", ShareWithInterval(CountAlarms(spec, trials), trials));
    }
    fmt::print("\n");
  }
}

// How the reported change points compare with the true ones.
struct Score {
  int true_count = 0;
  int located_count = 0;  // reported within 3 points
  int exact_count = 0;    // reported at the very point
  int matched_count = 0;  // reported anywhere, the nearest one to each true one
  int covered_count = 0;  // of those matched, whose interval holds the true point
  int reported_count = 0;

  void Add(const std::vector<Step>& steps, std::vector<stats::ChangePoint> points) {
    reported_count += static_cast<int>(points.size());
    for (const Step& step : steps) {
      ++true_count;
      const auto truth = static_cast<std::int64_t>(step.at);
      const auto nearest =
          std::min_element(points.begin(), points.end(), [truth](const auto& a, const auto& b) {
            return std::abs(a.index - truth) < std::abs(b.index - truth);
          });
      if (nearest == points.end()) continue;
      ++matched_count;
      if (std::abs(nearest->index - truth) <= 3) ++located_count;
      if (nearest->index == truth) ++exact_count;
      if (nearest->interval.first <= truth && truth <= nearest->interval.last) ++covered_count;
      points.erase(nearest);
    }
  }
};

void PrintScore(const SeriesSpec& spec, int trials) {
  Score score;
  for (int seed = 1; seed <= trials; ++seed) score.Add(spec.steps, Detect(spec, seed));
  fmt::print(" {:.1f} / {:.1f} / {:.1f} / {:.3f} |", Percent(score.located_count, score.true_count),
             Percent(score.exact_count, score.true_count),
             Percent(score.covered_count, score.matched_count),
             static_cast<double>(score.reported_count - score.matched_count) / trials);
}

constexpr const char* kScoreLegend =
    "% of the steps reported within 3 points / at the very point / % of the intervals that hold "
    "the "
    "step / other points per series";

void PrintRegressionAndFix(int trials) {
  struct Case {
    const char* name;
    double change;
    double noise;
  };
  const std::vector<Case> cases = {{"0.5 sd", -.01, .02},        {"1 sd", -.02, .02},
                                   {"2 sd", -.04, .02},          {"4 sd", -.08, .02},
                                   {"-25 %, CV 1 %", -.25, .01}, {"-25 %, CV 4 %", -.25, .04}};
  fmt::print("\n27 points of 5 runs, a step down at 10 and up again at 17: {}\n\n", kScoreLegend);
  std::vector<std::string> columns = {"noise"};
  for (const Case& one : cases) columns.emplace_back(one.name);
  PrintHeader(columns);
  for (const NoiseKind kind : kAllNoiseKinds) {
    fmt::print("| {} |", ToString(kind));
    for (const Case& one : cases) {
      const double factor = 1 + one.change;
      PrintScore({.noise = one.noise,
                  .kind = kind,
                  .steps = {{.at = 10, .factor = factor}, {.at = 17, .factor = 1 / factor}}},
                 trials);
    }
    fmt::print("\n");
  }
}

void PrintLongSeries(int trials) {
  const std::vector<std::size_t> point_counts = {100, 1000};
  const std::vector<double> sizes_sd = {1, 2, 4};
  fmt::print("\nOne run a point, CV 2 %, a step in the middle: {}\n\n", kScoreLegend);
  std::vector<std::string> columns = {"noise"};
  for (const std::size_t count : point_counts) {
    for (const double sd : sizes_sd) columns.push_back(fmt::format("{}: {} sd", count, sd));
  }
  PrintHeader(columns);
  for (const NoiseKind kind : kAllNoiseKinds) {
    fmt::print("| {} |", ToString(kind));
    for (const std::size_t count : point_counts) {
      for (const double sd : sizes_sd) {
        PrintScore({.point_count = count,
                    .runs_per_point = 1,
                    .kind = kind,
                    .steps = {{.at = count / 2, .factor = 1 + 0.02 * sd}}},
                   trials);
      }
    }
    fmt::print("\n");
  }
}

// How many of the comparisons of `run_count` runs a side are called worse.
int CountWorse(NoiseKind kind, std::size_t run_count, double change, int trials) {
  int worse = 0;
  for (int seed = 1; seed <= trials; ++seed) {
    NoiseStream noise(kind, static_cast<std::uint64_t>(seed));
    const stats::ComparisonInput input{
        .baseline = MakeRuns(noise, run_count, 1000, 0.02),
        .candidate = MakeRuns(noise, run_count, 1000 * (1 + change), 0.02),
        .direction = Direction::kLowerIsBetter,
        .minimum_effect = 0.01};
    const std::vector<stats::GateCell> cells = {{.input = input}};
    if (stats::JudgeOnce(cells, 0.05)->cells.front().verdict == stats::Verdict::kWorse) ++worse;
  }
  return worse;
}

void PrintGate(int trials) {
  const std::vector<double> changes = {0.0, 0.01, 0.02, 0.04, 0.08};
  fmt::print(
      "\n% of comparisons called worse, each judged alone at 5 %, CV 2 %, minimum effect 1 %, by "
      "the "
      "true change\n\n");
  PrintHeader({"noise", "runs a side", "0", "1 % (the minimum)", "2 %", "4 %", "8 %"});
  for (const NoiseKind kind : kAllNoiseKinds) {
    for (const std::size_t run_count : {std::size_t{3}, std::size_t{5}, std::size_t{10}}) {
      fmt::print("| {} | {} |", ToString(kind), run_count);
      for (const double change : changes) {
        fmt::print(" {:.1f} |", Percent(CountWorse(kind, run_count, change, trials), trials));
      }
      fmt::print("\n");
    }
  }
}

}  // namespace
}  // namespace schedlab::testing

int main(int argc, char** argv) {
  const int trials = argc > 1 ? std::atoi(argv[1]) : 2000;
  if (trials < 1) {
    fmt::print(stderr, "usage: stats_power [trials]\n");
    return 2;
  }
  schedlab::testing::PrintFalseAlarms(trials);
  schedlab::testing::PrintRegressionAndFix(trials);
  schedlab::testing::PrintLongSeries(trials);
  schedlab::testing::PrintGate(trials);
  return 0;
}
