#pragma once

#include <cstdint>
#include <vector>

#include "sim/machine.h"

namespace schedlab::sim::linux {

// How the time that real-time and deadline tasks and interrupts take lowers a CPU's capacity.
enum class CapacityModel : std::uint8_t {
  kHalvedAverage,  // rt_avg of Linux 2.6.32 to 4.18: the time taken, halved every 500 ms
  kPelt,           // avg_rt, avg_dl and avg_irq of 4.19: running averages with a half-life of 32 ms
};

// What the fair class is told of the classes above it, CPU by CPU.
class HigherClasses {
 public:
  HigherClasses(const Machine& machine, CapacityModel model);

  void ChangeRunnable(CpuNumber cpu, std::int32_t delta) {
    runnable_counts_[static_cast<std::size_t>(cpu)] += delta;
  }
  // Runnable tasks of the classes above that are not throttled, the running one among them.
  std::int32_t runnable_count(CpuNumber cpu) const {
    return runnable_counts_[static_cast<std::size_t>(cpu)];
  }

  void SetRunning(CpuNumber cpu, bool is_running) { At(cpu).is_running = is_running; }
  // `cpu` executes a task of a class above.
  bool is_running(CpuNumber cpu) const { return At(cpu).is_running; }

  // A task of a class above has executed on `cpu` for `duration` up to now.
  void Ran(CpuNumber cpu, SimDuration duration);

  // Whether any CPU ever lost time to a class above, or to interrupts that somebody has noted.
  bool has_taken_any() const { return has_taken_any_; }
  void NoteInterrupts() { has_taken_any_ = true; }

  // What is left of `full` capacity for fair tasks; at least 1.
  std::int64_t CapacityLeft(CpuNumber cpu, std::int64_t full);

 private:
  struct PerCpu {
    bool is_running = false;
    // kHalvedAverage: the nanoseconds taken, and when they are to be halved next.
    std::int64_t taken_ns = 0;
    SimTime halve_at = SimTime(kHalvingPeriod);
    // kPelt: in parts of kFullAverage, as of the time beside it.
    std::int64_t tasks = 0;
    SimTime tasks_updated;
    std::int64_t irq = 0;
    SimTime irq_updated;
    SimDuration irq_seen{0};
  };

  static constexpr SimDuration kHalvingPeriod{500'000'000};

  PerCpu& At(CpuNumber cpu) { return cpus_[static_cast<std::size_t>(cpu)]; }
  const PerCpu& At(CpuNumber cpu) const { return cpus_[static_cast<std::size_t>(cpu)]; }

  void Halve(PerCpu& cpu) const;
  void NoteIrq(CpuNumber cpu);
  std::int64_t LeftOfHalvedAverage(PerCpu& cpu, std::int64_t full) const;
  std::int64_t LeftOfPelt(const PerCpu& cpu, std::int64_t full) const;

  const Machine& machine_;
  const CapacityModel model_;
  std::vector<std::int32_t> runnable_counts_;  // by CPU, and apart: scans of all CPUs read them
  bool has_taken_any_ = false;
  std::vector<PerCpu> cpus_;
};

}  // namespace schedlab::sim::linux
