#include "sim/linux/higher_classes.h"

#include <algorithm>
#include <array>

namespace schedlab::sim::linux {
namespace {

constexpr std::int64_t kFullAverage = std::int64_t{1} << 20;
constexpr std::int64_t kSegmentNs = 1'048'576;

// y^n of PELT in parts of 2^16, with y^32 = 1/2.
constexpr std::array<std::int64_t, 33> kDecay = {
    65536, 64132, 62757, 61413, 60097, 58809, 57549, 56316, 55109, 53928, 52773,
    51642, 50535, 49452, 48393, 47356, 46341, 45348, 44376, 43425, 42495, 41584,
    40693, 39821, 38968, 38133, 37316, 36516, 35734, 34968, 34219, 33486, 32768};

// Between whole segments the decay is taken as linear.
std::int64_t Decayed(std::int64_t value, SimDuration duration) {
  const std::int64_t segments = Ns(duration) / kSegmentNs;
  if (segments / 32 >= 40) return 0;
  const auto index = static_cast<std::size_t>(segments % 32);
  const std::int64_t step = kDecay[index] - kDecay[index + 1];
  const std::int64_t factor = kDecay[index] - step * (Ns(duration) % kSegmentNs) / kSegmentNs;
  return (value / (std::int64_t{1} << (segments / 32))) * factor / 65536;
}

// An average of `value` after `duration` in which the share `target` was taken.
std::int64_t Approach(std::int64_t value, std::int64_t target, SimDuration duration) {
  return target + Decayed(value - target, duration);
}

}  // namespace

HigherClasses::HigherClasses(const Machine& machine, CapacityModel model)
    : machine_(machine),
      model_(model),
      runnable_counts_(static_cast<std::size_t>(machine.cpu_count())),
      cpus_(static_cast<std::size_t>(machine.cpu_count())) {}

void HigherClasses::Ran(CpuNumber cpu, SimDuration duration) {
  if (duration <= SimDuration{0}) return;
  has_taken_any_ = true;
  PerCpu& state = At(cpu);
  switch (model_) {
    case CapacityModel::kHalvedAverage:
      Halve(state);
      state.taken_ns += Ns(duration);
      return;
    case CapacityModel::kPelt: {
      const SimDuration since = machine_.now() - state.tasks_updated;
      const SimDuration other = std::max(SimDuration{0}, since - duration);
      state.tasks = Approach(Approach(state.tasks, 0, other), kFullAverage, duration);
      state.tasks_updated = machine_.now();
      return;
    }
  }
}

std::int64_t HigherClasses::CapacityLeft(CpuNumber cpu, std::int64_t full) {
  NoteIrq(cpu);
  switch (model_) {
    case CapacityModel::kHalvedAverage:
      return LeftOfHalvedAverage(At(cpu), full);
    case CapacityModel::kPelt:
      return LeftOfPelt(At(cpu), full);
  }
  return full;
}

void HigherClasses::Halve(PerCpu& cpu) const {
  while (machine_.now() > cpu.halve_at) {
    cpu.halve_at += kHalvingPeriod;
    cpu.taken_ns /= 2;
  }
}

// The machine accounts interrupts. Those since the last look count as spread evenly over that time.
void HigherClasses::NoteIrq(CpuNumber cpu) {
  PerCpu& state = At(cpu);
  const SimDuration since = machine_.now() - state.irq_updated;
  if (since <= SimDuration{0}) return;
  const SimDuration irq = machine_.times(cpu).irq - state.irq_seen;
  state.irq_updated = machine_.now();
  state.irq_seen += irq;
  switch (model_) {
    case CapacityModel::kHalvedAverage:
      Halve(state);
      state.taken_ns += Ns(irq);
      return;
    case CapacityModel::kPelt: {
      const std::int64_t share = std::min(kFullAverage, Ns(irq) * 1024 / Ns(since) * 1024);
      state.irq = Approach(state.irq, share, since);
      return;
    }
  }
}

// scale_rt_power() of Linux 3.x: of the current half-second and the one before it.
std::int64_t HigherClasses::LeftOfHalvedAverage(PerCpu& cpu, std::int64_t full) const {
  Halve(cpu);
  if (cpu.taken_ns == 0) return full;
  const SimDuration into_period = machine_.now() - (cpu.halve_at - kHalvingPeriod);
  const std::int64_t total = Ns(kHalvingPeriod + into_period);
  const std::int64_t left = std::max<std::int64_t>(0, total - cpu.taken_ns);
  return std::max<std::int64_t>(1, full * (left / (total / 1024)) / 1024);
}

// scale_rt_capacity() of Linux 5.x: what tasks leave, scaled by what interrupts leave.
std::int64_t HigherClasses::LeftOfPelt(const PerCpu& cpu, std::int64_t full) const {
  const std::int64_t tasks = Approach(cpu.tasks, 0, machine_.now() - cpu.tasks_updated);
  const std::int64_t left = full - full * tasks / kFullAverage;
  return std::max<std::int64_t>(1, left * (kFullAverage - cpu.irq) / kFullAverage);
}

}  // namespace schedlab::sim::linux
