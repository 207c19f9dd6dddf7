#include "measure/wakeup.h"

#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

#include "measure/futex_word.h"
#include "measure/stopwatch.h"
#include "stats/summary.h"

namespace schedlab::measure {
namespace {

constexpr std::int64_t kWakeups = 300;
constexpr std::int64_t kEmptyWakeups = 20'000;

struct Wakeups {
  FutexWord asked;
  std::atomic<std::uint32_t> answered{0};
  std::atomic<std::int64_t> woken_at_ns{0};
};

struct Placed {
  Status waker;
  Status wakee;
  Status other;
};

Status Settle(std::int32_t cpu, FairPolicy policy) {
  if (Status bound = BindThisThread(cpu); !bound) return bound;
  return SetThisPolicy(policy);
}

void Answer(Wakeups& wakeups, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    while (wakeups.asked.Load() == i) wakeups.asked.WaitWhile(i);
    wakeups.woken_at_ns.store(NowNs(), std::memory_order_release);
    wakeups.answered.store(i + 1, std::memory_order_release);
  }
}

struct Samples {
  std::vector<double> calls;
  std::vector<double> latencies;
};

// A wakee that was not asleep yet makes no sample. On the CPU of its waker it only gets its turn
// if that one yields.
void AskOnce(Wakeups& wakeups, const WakeupSetting& setting, std::uint32_t number,
             Samples& samples) {
  SpinFor(setting.rest_ns);
  const std::int64_t begin = NowNs();
  wakeups.asked.Store(number + 1);
  const bool was_asleep = wakeups.asked.WakeOne() == 1;
  const std::int64_t end = NowNs();
  while (wakeups.answered.load(std::memory_order_acquire) != number + 1) {
    if (setting.waker_cpu == setting.wakee_cpu) sched_yield();
  }
  if (!was_asleep) return;
  samples.calls.push_back(static_cast<double>(end - begin));
  samples.latencies.push_back(
      static_cast<double>(wakeups.woken_at_ns.load(std::memory_order_acquire) - begin));
}

struct Rounds {
  std::vector<double> calls;
  std::vector<double> latencies;
};

void Ask(Wakeups& wakeups, const WakeupSetting& setting, const Effort& effort, Rounds& rounds) {
  const auto count = static_cast<std::uint32_t>(effort.Operations(kWakeups));
  for (std::uint32_t round = 0; round < effort.round_count; ++round) {
    Samples samples;
    for (std::uint32_t i = 0; i < count; ++i) {
      AskOnce(wakeups, setting, round * count + i, samples);
    }
    if (samples.calls.empty()) continue;
    rounds.calls.push_back(stats::Median(samples.calls));
    rounds.latencies.push_back(stats::Median(samples.latencies));
  }
}

void Occupy(std::stop_token stop) {
  while (!stop.stop_requested()) {
  }
}

}  // namespace

Result<WakeupTimes> MeasureWakeups(const WakeupSetting& setting, const Effort& effort) {
  Wakeups wakeups;
  Placed placed;
  Rounds rounds;
  std::jthread occupying;
  if (setting.is_wakee_cpu_busy) {
    occupying = std::jthread([&](std::stop_token stop) {
      placed.other = Settle(setting.wakee_cpu, FairPolicy::kIdle);
      Occupy(stop);
    });
  }
  const auto count = static_cast<std::uint32_t>(effort.round_count * effort.Operations(kWakeups));
  std::jthread wakee([&] {
    placed.wakee = Settle(setting.wakee_cpu, setting.wakee_policy);
    Answer(wakeups, count);
  });
  // A thread of its own: who has taken the idle policy cannot always go back.
  std::jthread waker([&] {
    placed.waker = Settle(setting.waker_cpu, setting.waker_policy);
    Ask(wakeups, setting, effort, rounds);
  });
  waker.join();
  wakee.join();
  if (occupying.joinable()) {
    occupying.request_stop();
    occupying.join();
  }
  for (const Status& status : {placed.waker, placed.wakee, placed.other}) {
    if (!status) return Fail(status.error());
  }
  return WakeupTimes{.call = SpreadOf(rounds.calls), .latency = SpreadOf(rounds.latencies)};
}

Result<Spread> MeasureEmptyWakeup(std::int32_t cpu, const Effort& effort) {
  if (const Status bound = BindThisThread(cpu); !bound) return Fail(bound.error());
  FutexWord word;
  std::vector<double> rounds;
  for (std::int64_t i = 0; i < effort.round_count; ++i) {
    rounds.push_back(NsPerCall(effort.Operations(kEmptyWakeups), [&] {
      word.WakeOne();
      NowNs();
    }));
  }
  return SpreadOf(rounds);
}

}  // namespace schedlab::measure
