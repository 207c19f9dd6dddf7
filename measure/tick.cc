#include "measure/tick.h"

#include <algorithm>
#include <ctime>

#include "measure/place.h"
#include "measure/stopwatch.h"
#include "stats/summary.h"

namespace schedlab::measure {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kTicksOfRound = 12;
// Longer than two readings of the clock, shorter than any interrupt.
constexpr std::int64_t kShortestGapNs = 300;
constexpr std::int64_t kToleranceParts = 100;

}  // namespace

std::vector<Gap> Watch(std::int64_t end_ns) {
  std::vector<Gap> gaps;
  std::int64_t before = NowNs();
  while (before < end_ns) {
    const std::int64_t now = NowNs();
    if (now - before >= kShortestGapNs) {
      gaps.push_back({.begin_ns = before, .length_ns = now - before});
    }
    before = now;
  }
  return gaps;
}

std::int64_t TickHz() {
  timespec resolution{};
  clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
  const std::int64_t period_ns =
      std::int64_t{resolution.tv_sec} * kNsPerSecond + resolution.tv_nsec;
  return (kNsPerSecond + period_ns / 2) / std::max<std::int64_t>(1, period_ns);
}

std::vector<Gap> PeriodicGaps(const std::vector<Gap>& gaps, std::int64_t period_ns) {
  std::vector<Gap> periodic;
  const std::int64_t tolerance_ns = period_ns / kToleranceParts;
  for (const Gap& gap : gaps) {
    const bool is_followed = std::any_of(gaps.begin(), gaps.end(), [&](const Gap& other) {
      const std::int64_t distance_ns = other.begin_ns - gap.begin_ns - period_ns;
      return distance_ns >= -tolerance_ns && distance_ns <= tolerance_ns;
    });
    if (is_followed) periodic.push_back(gap);
  }
  return periodic;
}

Result<TickTimes> MeasureTick(std::int32_t cpu, const Effort& effort) {
  if (const Status bound = BindThisThread(cpu); !bound) return Fail(bound.error());
  const std::int64_t period_ns = kNsPerSecond / TickHz();
  const std::int64_t duration_ns =
      period_ns * std::max<std::int64_t>(3, effort.Operations(kTicksOfRound));
  std::vector<double> ticks;
  std::vector<double> lost;
  for (std::int64_t i = 0; i < effort.round_count; ++i) {
    const std::vector<Gap> gaps = Watch(NowNs() + duration_ns);
    double sum = 0;
    for (const Gap& gap : gaps) sum += static_cast<double>(gap.length_ns);
    lost.push_back(1000 * sum / static_cast<double>(duration_ns));
    std::vector<double> lengths;
    for (const Gap& gap : PeriodicGaps(gaps, period_ns)) {
      lengths.push_back(static_cast<double>(gap.length_ns));
    }
    if (!lengths.empty()) ticks.push_back(stats::Median(lengths));
  }
  return TickTimes{.tick = SpreadOf(ticks), .lost_permille = SpreadOf(lost)};
}

}  // namespace schedlab::measure
