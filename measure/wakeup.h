#pragma once

#include <cstdint>

#include "core/result.h"
#include "measure/effort.h"
#include "measure/place.h"
#include "measure/spread.h"

namespace schedlab::measure {

// One thread wakes another that sleeps on a futex.
struct WakeupSetting {
  std::int32_t waker_cpu = 0;
  std::int32_t wakee_cpu = 0;
  FairPolicy waker_policy = FairPolicy::kNormal;
  FairPolicy wakee_policy = FairPolicy::kNormal;
  bool is_wakee_cpu_busy = false;  // a thread of the idle policy executes there
  std::int64_t rest_ns = 0;        // between the end of one wakeup and the next
};

struct WakeupTimes {
  Spread call;     // what the waker spends in the system call, and a reading of the clock
  Spread latency;  // from before the call until the woken thread has read the clock
};

// Every round's value is the median of its wakeups.
Result<WakeupTimes> MeasureWakeups(const WakeupSetting& setting, const Effort& effort);

// The system call that finds nobody to wake, and a reading of the clock.
Result<Spread> MeasureEmptyWakeup(std::int32_t cpu, const Effort& effort);

}  // namespace schedlab::measure
