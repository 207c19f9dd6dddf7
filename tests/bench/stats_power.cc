// Prints the tables of docs/statistics.md: false alarms, power and accuracy of the detector and of
// the gate, over seeded series. `stats_power [trials]`; the default takes about a minute.

#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "stats/change_points.h"
#include "stats/comparison.h"
#include "tests/support/noisy_series.h"

namespace {

using schedlab::testing::kAllNoiseKinds;
using schedlab::testing::MakeRuns;
using schedlab::testing::MakeSeries;
using schedlab::testing::NoiseKind;
using schedlab::testing::NoiseStream;
using schedlab::testing::SeriesSpec;

double Percent(int count, int trials) { return 100.0 * count / trials; }

// Wilson's 95 % interval of a share, in percent.
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

std::vector<schedlab::stats::ChangePoint> Detect(const SeriesSpec& spec, int seed) {
  return *schedlab::stats::DetectChangePoints(
      MakeSeries(spec, static_cast<std::uint64_t>(seed) + 1), {});
}

struct Shape {
  std::size_t point_count;
  std::size_t runs_per_point;
};

void PrintFalseAlarms(int trials) {
  fmt::print(
      "\nSeries without a change in which one is reported, % of {} series (95 % interval)\n\n",
      trials);
  const std::vector<Shape> shapes = {{12, 5}, {27, 5}, {27, 3}, {100, 1}, {300, 5}, {1000, 1}};
  fmt::print("| noise |");
  for (const Shape& shape : shapes)
    fmt::print(" {} x {} |", shape.point_count, shape.runs_per_point);
  fmt::print("\n| --- |");
  for (std::size_t i = 0; i < shapes.size(); ++i) fmt::print(" --- |");
  for (const NoiseKind kind : kAllNoiseKinds) {
    fmt::print("\n| {} |", ToString(kind));
    for (const Shape& shape : shapes) {
      const int count = shape.point_count > 100 ? trials / 5 : trials;
      int alarms = 0;
      for (int seed = 0; seed < count; ++seed) {
        const SeriesSpec spec{
            .point_count = shape.point_count, .runs_per_point = shape.runs_per_point, .kind = kind};
        if (!Detect(spec, seed).empty()) ++alarms;
      }
      fmt::print(" {} |", ShareWithInterval(alarms, count));
    }
  }
  fmt::print("\n");
}

struct Found {
  int exact = 0;
  int near = 0;  // within 3 points
  int covered = 0;
  int extra = 0;
};

// Of a step down at 10 and back up at 17 of 27 points.
void PrintSteps(int trials) {
  fmt::print(
      "\nA step at point 10 and back at point 17 of 27 x 5 runs, % of {} steps: found within 3 "
      "points / exactly / interval holds the place, of those found / extra points per series\n\n",
      2 * trials);
  fmt::print("| noise | 0.5 sd | 1 sd | 2 sd | 4 sd | -25 %, CV 1 % | -25 %, CV 4 % |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- |");
  struct Case {
    double change;
    double noise;
  };
  const std::vector<Case> cases = {{-.01, .02}, {-.02, .02}, {-.04, .02},
                                   {-.08, .02}, {-.25, .01}, {-.25, .04}};
  for (const NoiseKind kind : kAllNoiseKinds) {
    fmt::print("\n| {} |", ToString(kind));
    for (const Case& one : cases) {
      Found found;
      for (int seed = 0; seed < trials; ++seed) {
        const double factor = 1 + one.change;
        const SeriesSpec spec{
            .noise = one.noise,
            .kind = kind,
            .steps = {{.at = 10, .factor = factor}, {.at = 17, .factor = 1 / factor}}};
        const auto points = Detect(spec, seed);
        int matched = 0;
        for (const std::int64_t truth : {10, 17}) {
          for (const auto& point : points) {
            if (std::abs(point.index - truth) > 3) continue;
            ++matched;
            ++found.near;
            if (point.index == truth) ++found.exact;
            if (point.interval.first <= truth && truth <= point.interval.last) ++found.covered;
            break;
          }
        }
        found.extra += static_cast<int>(points.size()) - matched;
      }
      fmt::print(" {:.1f} / {:.1f} / {:.1f} / {:.3f} |", Percent(found.near, 2 * trials),
                 Percent(found.exact, 2 * trials), Percent(found.covered, std::max(1, found.near)),
                 static_cast<double>(found.extra) / trials);
    }
  }
  fmt::print("\n");
}

// One step of a long series with one run a point.
void PrintLongSteps(int trials) {
  fmt::print(
      "\nA step in the middle of a series with 1 run a point, % of {} series: found within 3 "
      "points "
      "/ interval holds the place, of those / extra points per series\n\n",
      trials);
  fmt::print(
      "| noise | 100: 1 sd | 100: 2 sd | 100: 4 sd | 1000: 1 sd | 1000: 2 sd | 1000: 4 sd |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- |");
  for (const NoiseKind kind : kAllNoiseKinds) {
    fmt::print("\n| {} |", ToString(kind));
    for (const std::size_t count : {std::size_t{100}, std::size_t{1000}}) {
      for (const double sd : {1.0, 2.0, 4.0}) {
        Found found;
        for (int seed = 0; seed < trials; ++seed) {
          const SeriesSpec spec{.point_count = count,
                                .runs_per_point = 1,
                                .kind = kind,
                                .steps = {{.at = count / 2, .factor = 1 + 0.02 * sd}}};
          const auto points = Detect(spec, seed);
          const auto truth = static_cast<std::int64_t>(count / 2);
          int matched = 0;
          for (const auto& point : points) {
            if (matched > 0 || std::abs(point.index - truth) > 3) continue;
            ++matched;
            if (point.interval.first <= truth && truth <= point.interval.last) ++found.covered;
          }
          found.near += matched;
          found.extra += static_cast<int>(points.size()) - matched;
        }
        fmt::print(" {:.1f} / {:.1f} / {:.2f} |", Percent(found.near, trials),
                   Percent(found.covered, std::max(1, found.near)),
                   static_cast<double>(found.extra) / trials);
      }
    }
  }
  fmt::print("\n");
}

void PrintGate(int trials) {
  fmt::print(
      "\nThe gate: % of {} comparisons called worse at q = 5 %, CV 2 %, minimum effect 1 %, each "
      "judged alone\n\n",
      trials);
  fmt::print("| noise | k | true change 0 | 1 % (the floor) | 2 % | 4 % | 8 % |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- |");
  for (const NoiseKind kind : kAllNoiseKinds) {
    for (const std::size_t k : {std::size_t{3}, std::size_t{5}, std::size_t{10}}) {
      fmt::print("\n| {} | {} |", ToString(kind), k);
      for (const double change : {0.0, 0.01, 0.02, 0.04, 0.08}) {
        int worse = 0;
        for (int seed = 0; seed < trials; ++seed) {
          NoiseStream noise(kind, static_cast<std::uint64_t>(seed) + 1);
          const schedlab::stats::ComparisonInput input{
              .baseline = MakeRuns(noise, k, 1000, 0.02),
              .candidate = MakeRuns(noise, k, 1000 * (1 + change), 0.02),
              .direction = schedlab::Direction::kLowerIsBetter,
              .minimum_effect = 0.01};
          const std::vector comparisons = {*schedlab::stats::Compare(input)};
          const auto judgement = schedlab::stats::Judge(comparisons, 0.05).front();
          if (judgement.verdict == schedlab::stats::Verdict::kWorse) ++worse;
        }
        fmt::print(" {:.1f} |", Percent(worse, trials));
      }
    }
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int trials = argc > 1 ? std::atoi(argv[1]) : 2000;
  if (trials < 5) {
    fmt::print(stderr, "usage: stats_power [trials], at least 5\n");
    return 2;
  }
  PrintFalseAlarms(trials);
  PrintSteps(trials);
  PrintLongSteps(trials);
  PrintGate(trials);
  return 0;
}
