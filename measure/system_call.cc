#include "measure/system_call.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <stop_token>
#include <thread>
#include <vector>

#include "measure/place.h"
#include "measure/stopwatch.h"

namespace schedlab::measure {
namespace {

constexpr std::int64_t kCalls = 50'000;
constexpr std::int64_t kLoopSteps = 1'000'000;

template <class Call>
Result<Spread> Repeat(std::int32_t cpu, const Effort& effort, std::int64_t count, Call call) {
  if (const Status bound = BindThisThread(cpu); !bound) return Fail(bound.error());
  std::vector<double> rounds;
  for (std::int64_t i = 0; i < effort.round_count; ++i) rounds.push_back(NsPerCall(count, call));
  return SpreadOf(rounds);
}

void Compute(std::int64_t steps) {
  volatile std::uint64_t result = 1;
  std::uint64_t value = result;
  for (std::int64_t i = 0; i < steps; ++i) {
    value = value * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
  }
  result = value;
}

}  // namespace

Result<Spread> MeasureClockRead(std::int32_t cpu, const Effort& effort) {
  return Repeat(cpu, effort, effort.Operations(kCalls), [] { NowNs(); });
}

Result<Spread> MeasureSystemCall(std::int32_t cpu, const Effort& effort) {
  return Repeat(cpu, effort, effort.Operations(kCalls), [] { getppid(); });
}

Result<Spread> MeasureYield(std::int32_t cpu, const Effort& effort) {
  return Repeat(cpu, effort, effort.Operations(kCalls), [] { sched_yield(); });
}

Result<Spread> MeasureLoop(std::int32_t cpu, const Effort& effort) {
  return Repeat(cpu, effort, 1, [&] { Compute(kLoopSteps); });
}

Result<Spread> MeasureSiblingSlowdown(const CpuPair& cpus, const Effort& effort) {
  if (const Status bound = BindThisThread(cpus.first); !bound) return Fail(bound.error());
  std::vector<double> rounds;
  for (std::int64_t i = 0; i < effort.round_count; ++i) {
    const double alone = NsPerCall(1, [] { Compute(kLoopSteps); });
    Status placed;
    const std::jthread sibling([&](std::stop_token stop) {
      placed = BindThisThread(cpus.second);
      while (!stop.stop_requested()) Compute(kLoopSteps / 10);
    });
    const double beside = NsPerCall(1, [] { Compute(kLoopSteps); });
    rounds.push_back(std::max(0.0, 1000 * (1 - alone / beside)));
  }
  return SpreadOf(rounds);
}

}  // namespace schedlab::measure
