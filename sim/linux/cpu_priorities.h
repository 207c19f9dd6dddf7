#pragma once

#include <cstdint>
#include <vector>

#include "sim/machine.h"

namespace schedlab::sim::linux {

// Which CPU of `candidates` a task goes to that was on `home`, chosen by a CPU `here`: its own, or
// else one near to it, `here` before others that are as near; kNoCpu where there is none.
CpuNumber NearestCpu(const Machine& machine, const CpuSet& candidates, CpuNumber home,
                     CpuNumber here);

// The most urgent real-time level on every CPU (cpupri of Linux). A CPU without real-time tasks is
// one without, whether it is idle or not.
class CpuPriorities {
 public:
  explicit CpuPriorities(const Machine& machine);

  // kNoRtLevel for none.
  void SetLevel(CpuNumber cpu, std::int32_t level);
  // Whether `cpu` executes a deadline task: no real-time task goes there.
  void SetOutranked(CpuNumber cpu, bool is_outranked);

  // Of the CPUs that `task` may run on and whose level is less urgent than `level`, those that are
  // the least urgent. Empty where there is none.
  CpuSet LeastUrgent(const Task& task, std::int32_t level) const;

 private:
  const std::int32_t cpu_count_;
  std::vector<CpuSet> cpus_by_level_;
  std::vector<std::int32_t> counts_;  // by level
  std::vector<std::int32_t> levels_;  // by CPU
  CpuSet outranked_;
};

}  // namespace schedlab::sim::linux
