#pragma once

#include <cstdint>
#include <vector>

#include "sim/machine.h"

namespace schedlab::sim::linux {

// Whether starved fair tasks are served by a deadline server of each CPU (Linux 6.12; it replaces
// the throttling of real-time tasks).
enum class FairServerMode : std::uint8_t { kOff, kOn };

inline constexpr SimDuration kFairServerRuntime{50'000'000};
inline constexpr SimDuration kFairServerPeriod{1'000'000'000};

// The deferred server of each CPU: if its fair tasks have had less than 50 ms of a second, it runs
// them for the rest as a deadline task would, at the last moment at which that can be done. Those
// that starve on get 50 ms of each second from then on.
class FairServer {
 public:
  // The machine must outlive it.
  FairServer(Machine& machine, FairServerMode mode);

  // Whether `cpu` has fair tasks. To be called before each choice and when one is queued.
  void SetNeeded(CpuNumber cpu, bool is_needed);
  // Fair tasks have executed on `cpu` for `duration`. Returns whether the server has just used up
  // what it may take.
  bool FairRan(CpuNumber cpu, SimDuration duration);
  // Fair tasks of `cpu` are to be served now, as a deadline task with this deadline.
  bool IsServing(CpuNumber cpu) const { return At(cpu).state == State::kServing; }
  SimTime DeadlineOf(CpuNumber cpu) const { return At(cpu).deadline; }

  // Returns whether `timer` is one of the server's.
  bool TimerFired(CpuNumber cpu, std::int32_t timer);

  std::int64_t served_count() const { return served_count_; }

 private:
  enum class State : std::uint8_t { kStopped, kDeferred, kServing, kThrottled };
  struct PerCpu {
    State state = State::kStopped;
    SimDuration runtime_left{0};
    SimTime deadline;
    std::int32_t timer = -1;
  };

  PerCpu& At(CpuNumber cpu) { return cpus_[static_cast<std::size_t>(cpu)]; }
  const PerCpu& At(CpuNumber cpu) const { return cpus_[static_cast<std::size_t>(cpu)]; }
  void Defer(PerCpu& own);
  void Serve(PerCpu& own);

  Machine& machine_;
  const FairServerMode mode_;
  std::vector<PerCpu> cpus_;
  std::int64_t served_count_ = 0;
};

}  // namespace schedlab::sim::linux
