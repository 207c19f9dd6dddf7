#pragma once

#include <cstdint>
#include <string>

#include "sim/cpu_set.h"
#include "sim/sim_time.h"

namespace schedlab::sim {

// A cgroup: tasks that share CPU time as one against the others of its parent. A policy without
// groups schedules its tasks as if there were none. Addresses are stable for a whole run.
struct TaskGroup {
  std::int32_t index = 0;  // dense from 0, in the order of creation; 0 is the root
  std::string name;
  TaskGroup* parent = nullptr;  // null for the root
  std::int64_t shares = 1024;   // cpu.shares of cgroup v1: 1024 weighs as one task of nice 0
  SimDuration quota{0};         // CPU time per period, over all CPUs; 0 = unlimited
  SimDuration period{100'000'000};
  CpuSet cpus;  // cpuset.cpus, within the parent's; the root's are all CPUs
};

}  // namespace schedlab::sim
