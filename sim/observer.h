#pragma once

#include "sim/sim_time.h"
#include "sim/task.h"

namespace schedlab::sim {

// Is told what happens in a run, as it happens. Pointers are valid for the whole run.
class Observer {
 public:
  virtual ~Observer() = default;

  // `cpu` turns from one task to another; null is the idle task. The state of `previous` says why
  // it left: kQueued was preempted, kBlocked waits, kDormant has exited.
  virtual void Switched(SimTime at, CpuNumber cpu, const Task* previous, const Task* next) = 0;

  // `task` is queued on `task.cpu`, woken or created from `by`, where `actor` was executing; null
  // is an interrupt.
  virtual void Woken(SimTime at, CpuNumber by, const Task* actor, const Task& task) = 0;
  virtual void Created(SimTime at, CpuNumber by, const Task* actor, const Task& task) = 0;

  // `cpu` is taken offline or brought back.
  virtual void OnlineChanged(SimTime /*at*/, CpuNumber /*cpu*/, bool /*is_online*/) {}

  // A runnable task is taken from one queue to another, or a blocked one wakes elsewhere.
  virtual void Migrated(SimTime at, const Task& task, CpuNumber from, CpuNumber to) = 0;
};

}  // namespace schedlab::sim
