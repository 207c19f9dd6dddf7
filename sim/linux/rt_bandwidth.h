#pragma once

#include <cstdint>
#include <vector>

#include "sim/cpu_set.h"
#include "sim/sim_time.h"

namespace schedlab::sim::linux {

// sched_rt_period_us and sched_rt_runtime_us.
inline constexpr SimDuration kRtPeriod{1'000'000'000};
inline constexpr SimDuration kRtRuntime{950'000'000};

enum class RtThrottling : std::uint8_t { kOn, kOff };
// Whether a CPU borrows from the others what their real-time tasks do not use (RT_RUNTIME_SHARE,
// the default from Linux 2.6.25 to 5.9).
enum class RtRuntimeSharing : std::uint8_t { kOn, kOff };

// How much of each period the real-time tasks of a CPU may take. A plain account: the class says
// what they took and when a period ends.
class RtBandwidth {
 public:
  RtBandwidth(std::int32_t cpu_count, RtThrottling throttling, RtRuntimeSharing sharing);

  bool is_limited() const { return throttling_ == RtThrottling::kOn; }
  bool IsThrottled(CpuNumber cpu) const { return At(cpu).is_throttled; }

  // Returns whether `cpu` is throttled by this.
  bool Charge(CpuNumber cpu, SimDuration ran);
  // A period has ended. Returns whether `cpu` is throttled no more by this.
  bool Refill(CpuNumber cpu);
  // An offline CPU has used nothing and lends nothing.
  void SetOnline(CpuNumber cpu, bool is_online);
  bool HasDebt(CpuNumber cpu) const { return At(cpu).used > SimDuration{0}; }

  // Ends the run unless what the CPUs may take adds up to what they had.
  void CheckInvariants() const;

 private:
  struct PerCpu {
    SimDuration used{0};
    SimDuration runtime = kRtRuntime;
    bool is_throttled = false;
    bool is_online = true;
  };

  PerCpu& At(CpuNumber cpu) { return cpus_[static_cast<std::size_t>(cpu)]; }
  const PerCpu& At(CpuNumber cpu) const { return cpus_[static_cast<std::size_t>(cpu)]; }
  void Borrow(CpuNumber cpu);

  const RtThrottling throttling_;
  const RtRuntimeSharing sharing_;
  std::vector<PerCpu> cpus_;
};

}  // namespace schedlab::sim::linux
