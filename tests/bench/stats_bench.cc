#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stats/change_points.h"
#include "stats/comparison.h"
#include "tests/support/noisy_series.h"

namespace schedlab::testing {
namespace {

// The yardstick of this file: a sort of as many numbers.
void BM_SortDoubles(benchmark::State& state) {
  NoiseStream noise(NoiseKind::kNormal, 1);
  const std::vector<double> numbers =
      MakeRuns(noise, static_cast<std::size_t>(state.range(0)), 1000, 0.02);
  while (state.KeepRunning()) {
    std::vector<double> sorted = numbers;
    std::sort(sorted.begin(), sorted.end());
    benchmark::DoNotOptimize(sorted.data());
  }
}
BENCHMARK(BM_SortDoubles)->Arg(1'000)->Unit(benchmark::kMicrosecond);

// Series of that many points, 1 run each, with a step of 4 standard deviations every 100 points.
void BM_DetectChangePoints(benchmark::State& state) {
  const auto point_count = static_cast<std::size_t>(state.range(0));
  SeriesSpec spec{.point_count = point_count, .runs_per_point = 1};
  for (std::size_t at = 50; at < point_count; at += 100) {
    spec.steps.push_back({.at = at, .factor = at % 200 == 50 ? 1.08 : 1 / 1.08});
  }
  const std::vector<stats::SeriesPoint> series = MakeSeries(spec, 1);
  while (state.KeepRunning()) benchmark::DoNotOptimize(stats::DetectChangePoints(series, {}));
  state.counters["series/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_DetectChangePoints)->Arg(100)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);

// The worst case: with no change at all nothing shortens the search.
void BM_DetectNoChange(benchmark::State& state) {
  const std::vector<stats::SeriesPoint> series =
      MakeSeries({.point_count = static_cast<std::size_t>(state.range(0)), .runs_per_point = 1}, 1);
  while (state.KeepRunning()) benchmark::DoNotOptimize(stats::DetectChangePoints(series, {}));
  state.counters["series/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_DetectNoChange)->Arg(100)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);

// A typical evaluation: 27 revisions of 5 runs.
void BM_DetectInHistoryOfRevisions(benchmark::State& state) {
  const std::vector<stats::SeriesPoint> series = MakeSeries(
      {.noise = 0.02, .steps = {{.at = 10, .factor = 0.75}, {.at = 17, .factor = 1 / 0.75}}}, 1);
  while (state.KeepRunning()) benchmark::DoNotOptimize(stats::DetectChangePoints(series, {}));
}
BENCHMARK(BM_DetectInHistoryOfRevisions)->Unit(benchmark::kMicrosecond);

void BM_Compare(benchmark::State& state) {
  const auto run_count = static_cast<std::size_t>(state.range(0));
  NoiseStream noise(NoiseKind::kNormal, 1);
  const stats::ComparisonInput input{.baseline = MakeRuns(noise, run_count, 1000, 0.02),
                                     .candidate = MakeRuns(noise, run_count, 1040, 0.02),
                                     .minimum_effect = 0.01};
  while (state.KeepRunning()) benchmark::DoNotOptimize(stats::Compare(input));
}
BENCHMARK(BM_Compare)->Arg(5)->Arg(20)->Arg(1'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace schedlab::testing
