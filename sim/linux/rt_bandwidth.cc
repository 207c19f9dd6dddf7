#include "sim/linux/rt_bandwidth.h"

#include <algorithm>

#include "core/check.h"

namespace schedlab::sim::linux {

RtBandwidth::RtBandwidth(std::int32_t cpu_count, RtThrottling throttling, RtRuntimeSharing sharing)
    : throttling_(throttling), sharing_(sharing), cpus_(static_cast<std::size_t>(cpu_count)) {}

bool RtBandwidth::Charge(CpuNumber cpu, SimDuration ran) {
  if (!is_limited()) return false;
  PerCpu& own = At(cpu);
  own.used += ran;
  if (own.is_throttled || own.used <= own.runtime) return false;
  Borrow(cpu);
  own.is_throttled = own.used > own.runtime;
  return own.is_throttled;
}

bool RtBandwidth::Refill(CpuNumber cpu) {
  PerCpu& own = At(cpu);
  if (own.is_throttled) Borrow(cpu);
  own.used -= std::min(own.used, own.runtime);
  if (!own.is_throttled || own.used >= own.runtime) return false;
  own.is_throttled = false;
  return true;
}

// Requires that none of its tasks is queued.
void RtBandwidth::SetOnline(CpuNumber cpu, bool is_online) {
  At(cpu).is_online = is_online;
  At(cpu).used = SimDuration{0};
  At(cpu).is_throttled = false;
}

// Each of the others gives an equal part of what it has left, so that several may borrow from it.
void RtBandwidth::Borrow(CpuNumber cpu) {
  if (sharing_ == RtRuntimeSharing::kOff) return;
  PerCpu& own = At(cpu);
  if (own.used <= own.runtime) return;
  for (PerCpu& other : cpus_) {
    if (&other == &own || !other.is_online) continue;
    const SimDuration spare = other.runtime - other.used;
    if (spare <= SimDuration{0}) continue;
    const SimDuration part =
        std::min(spare / static_cast<std::int64_t>(cpus_.size()), kRtPeriod - own.runtime);
    other.runtime -= part;
    own.runtime += part;
    if (own.runtime == kRtPeriod) return;
  }
}

void RtBandwidth::CheckInvariants() const {
  SimDuration total{0};
  for (const PerCpu& cpu : cpus_) {
    SCHEDLAB_CHECK(cpu.runtime >= SimDuration{0} && cpu.runtime <= kRtPeriod);
    total += cpu.runtime;
  }
  SCHEDLAB_CHECK(total == kRtRuntime * static_cast<std::int64_t>(cpus_.size()));
}

}  // namespace schedlab::sim::linux
