#include "sim/linux/cpu_priorities.h"

#include "sim/linux/rt_queue.h"

namespace schedlab::sim::linux {

// The domains of Linux that attract wakeups are the levels of distance here.
CpuNumber NearestCpu(const Machine& machine, const CpuSet& candidates, CpuNumber home,
                     CpuNumber here) {
  if (candidates.Contains(home)) return home;
  for (const Distance within :
       {Distance::kSameCore, Distance::kSameLlc, Distance::kSameNode, Distance::kRemote}) {
    if (candidates.Contains(here) && machine.DistanceBetween(home, here) <= within) return here;
    for (CpuNumber cpu = candidates.First(); cpu != kNoCpu; cpu = candidates.NextFrom(cpu + 1)) {
      if (machine.DistanceBetween(home, cpu) <= within) return cpu;
    }
  }
  return kNoCpu;
}

CpuPriorities::CpuPriorities(const Machine& machine)
    : cpu_count_(machine.cpu_count()),
      cpus_by_level_(kNoRtLevel + 1, CpuSet(cpu_count_)),
      counts_(kNoRtLevel + 1),
      levels_(static_cast<std::size_t>(cpu_count_), kNoRtLevel),
      outranked_(cpu_count_) {
  cpus_by_level_[kNoRtLevel] = machine.AllCpus();
  counts_[kNoRtLevel] = cpu_count_;
}

void CpuPriorities::SetLevel(CpuNumber cpu, std::int32_t level) {
  std::int32_t& current = levels_[static_cast<std::size_t>(cpu)];
  if (current == level) return;
  cpus_by_level_[static_cast<std::size_t>(current)].Remove(cpu);
  --counts_[static_cast<std::size_t>(current)];
  current = level;
  cpus_by_level_[static_cast<std::size_t>(current)].Add(cpu);
  ++counts_[static_cast<std::size_t>(current)];
}

void CpuPriorities::SetOutranked(CpuNumber cpu, bool is_outranked) {
  if (is_outranked) {
    outranked_.Add(cpu);
  } else {
    outranked_.Remove(cpu);
  }
}

CpuSet CpuPriorities::LeastUrgent(const Task& task, std::int32_t level) const {
  CpuSet found(cpu_count_);
  for (std::int32_t other = kNoRtLevel; other > level; --other) {
    if (counts_[static_cast<std::size_t>(other)] == 0) continue;
    const CpuSet& cpus = cpus_by_level_[static_cast<std::size_t>(other)];
    for (CpuNumber cpu = cpus.First(); cpu != kNoCpu; cpu = cpus.NextFrom(cpu + 1)) {
      if (task.MayRunOn(cpu) && !outranked_.Contains(cpu)) found.Add(cpu);
    }
    if (found.First() != kNoCpu) break;
  }
  return found;
}

}  // namespace schedlab::sim::linux
