#pragma once

#include <cstdint>
#include <vector>

#include "sim/policy.h"
#include "sim/reference/task_queue.h"

namespace schedlab::sim::reference {

// One queue for all CPUs under one lock, first come, first served, whatever a task's attributes
// are. No CPU that a waiting task may run on is ever left idle.
class SharedQueue final : public Policy {
 public:
  struct Rules {
    // How long a task runs while another one waits; 0 = until it blocks.
    SimDuration quantum{0};
    // A CPU that runs dry takes a running task from a slower CPU.
    bool seeks_speed = false;
  };

  SharedQueue(Machine& machine, const Rules& rules);

  CpuNumber SelectCpu(Task& task, SelectReason reason, const Context& context) override;
  void Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context) override;
  void Dequeue(Task& task, DequeueReason reason) override;
  Task* PickNext(CpuNumber cpu) override;
  void Yield(CpuNumber cpu) override;
  void Tick(CpuNumber /*cpu*/) override {}
  void TimerFired(CpuNumber cpu, std::int32_t timer) override;
  void Online(CpuNumber cpu) override { CallFreeCpus(cpu); }
  std::int32_t QueuedCount(CpuNumber cpu) const override;
  void CheckInvariants() const override;

 private:
  struct CpuState {
    Task* current = nullptr;
    bool turn_is_over = false;
    bool gives_away = false;  // its task is to go to a faster CPU
    std::int32_t timer = 0;
  };

  CpuState& At(CpuNumber cpu) { return cpus_[static_cast<std::size_t>(cpu)]; }
  bool IsFree(CpuNumber cpu) const {
    return machine_.IsIdle(cpu) && !machine_.NeedsReschedule(cpu);
  }
  std::int64_t SpeedOn(CpuNumber cpu) const;
  CpuNumber BestFreeCpu(const Task& task) const;
  void CallFreeCpus(CpuNumber by);
  Task* Take(CpuNumber cpu);
  bool HasFasterUse(const Task& task) const;
  void AskForFasterUse(CpuNumber cpu);
  void StartTurn(CpuNumber cpu);

  Machine& machine_;
  const Rules rules_;
  std::vector<CpuState> cpus_;
  TaskQueue waiting_;
};

}  // namespace schedlab::sim::reference
