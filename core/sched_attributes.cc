#include "core/sched_attributes.h"

#include <fmt/format.h>

namespace schedlab {
namespace {

// Linux 6.12, kernel/sched/deadline.c: the resolution of its bandwidth arithmetic.
constexpr std::int64_t kMinRuntimeNs = 1'024;
constexpr std::int64_t kMaxPeriodNs = std::int64_t{1} << 42;  // 73 minutes

Status InRange(std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} {} is outside of {} to {}", name, value, least, most));
}

}  // namespace

Status Validate(const SchedAttributes& attributes) {
  if (Status nice = InRange("nice", attributes.nice, -20, 19); !nice) return nice;
  if (Status slice = InRange("slice_ns", attributes.slice_ns, 0, kMaxPeriodNs); !slice) {
    return slice;
  }
  if (IsRealTime(attributes.policy)) {
    return InRange("rt_priority", attributes.rt_priority, 1, 99);
  }
  if (attributes.policy != SchedPolicy::kDeadline) return {};
  if (Status period = InRange("period_ns", attributes.period_ns, kMinRuntimeNs, kMaxPeriodNs);
      !period) {
    return period;
  }
  if (Status deadline =
          InRange("deadline_ns", attributes.deadline_ns, kMinRuntimeNs, attributes.period_ns);
      !deadline) {
    return deadline;
  }
  return InRange("runtime_ns", attributes.runtime_ns, kMinRuntimeNs, attributes.deadline_ns);
}

}  // namespace schedlab
