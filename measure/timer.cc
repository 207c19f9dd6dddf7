#include "measure/timer.h"

#include <sys/prctl.h>

#include <ctime>
#include <vector>

#include "measure/place.h"
#include "measure/stopwatch.h"
#include "stats/summary.h"

namespace schedlab::measure {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kSleepNs = 1'000'000;
constexpr std::int64_t kSleeps = 20;
constexpr unsigned long kLeastSlackNs = 1;

double LatenessNs() {
  const std::int64_t until = NowNs() + kSleepNs;
  const timespec at{.tv_sec = until / kNsPerSecond, .tv_nsec = until % kNsPerSecond};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
  return static_cast<double>(NowNs() - until);
}

Spread Rounds(const Effort& effort) {
  std::vector<double> rounds;
  for (std::int64_t round = 0; round < effort.round_count; ++round) {
    std::vector<double> sleeps;
    for (std::int64_t i = 0; i < effort.Operations(kSleeps); ++i) sleeps.push_back(LatenessNs());
    rounds.push_back(stats::Median(sleeps));
  }
  return SpreadOf(rounds);
}

}  // namespace

Result<TimerTimes> MeasureTimers(std::int32_t cpu, const Effort& effort) {
  if (const Status bound = BindThisThread(cpu); !bound) return Fail(bound.error());
  TimerTimes times{.late_by_default = Rounds(effort), .late_at_least = {}};
  const auto slack_ns = static_cast<unsigned long>(TimerSlackNs());
  prctl(PR_SET_TIMERSLACK, kLeastSlackNs);
  times.late_at_least = Rounds(effort);
  prctl(PR_SET_TIMERSLACK, slack_ns);
  return times;
}

std::int64_t TimerSlackNs() { return prctl(PR_GET_TIMERSLACK); }

}  // namespace schedlab::measure
