#pragma once

#include <cstdint>

#include "core/result.h"

namespace schedlab {

// The scheduling policies that sched_setattr(2) knows.
enum class SchedPolicy : std::uint8_t { kNormal, kBatch, kIdle, kFifo, kRoundRobin, kDeadline };

// How a task asks to be scheduled, as struct sched_attr of Linux 6.12. What does not apply to its
// policy is ignored, and kept for when it does.
struct SchedAttributes {
  SchedPolicy policy = SchedPolicy::kNormal;
  std::int32_t nice = 0;         // -20 to 19; kNormal and kBatch
  std::int32_t rt_priority = 1;  // 1 to 99, the larger the more urgent; kFifo and kRoundRobin
  // kDeadline: `runtime` within `deadline` after each start of a `period`.
  std::int64_t runtime_ns = 0;
  std::int64_t deadline_ns = 0;
  std::int64_t period_ns = 0;
  std::int64_t slice_ns = 0;  // kNormal under EEVDF: the length of a request; 0 = the policy's

  friend bool operator==(const SchedAttributes&, const SchedAttributes&) = default;
};

// kInvalidArgument names the value that is outside of the bounds above; for kDeadline unless
// 1,024 ns <= runtime <= deadline <= period.
Status Validate(const SchedAttributes& attributes);

constexpr bool IsFair(SchedPolicy policy) {
  return policy == SchedPolicy::kNormal || policy == SchedPolicy::kBatch ||
         policy == SchedPolicy::kIdle;
}

constexpr bool IsRealTime(SchedPolicy policy) {
  return policy == SchedPolicy::kFifo || policy == SchedPolicy::kRoundRobin;
}

}  // namespace schedlab
