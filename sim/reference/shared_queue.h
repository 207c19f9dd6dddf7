#pragma once

#include <cstdint>
#include <vector>

#include "sim/policy.h"
#include "sim/reference/ordered_tasks.h"

namespace schedlab::sim::reference {

// One queue for all CPUs under one lock, whatever a task's attributes are. No CPU that a waiting
// task may run on is ever left idle.
class SharedQueue final : public Policy {
 public:
  enum class Order : std::uint8_t {
    kArrival,
    // Who has had the least CPU time comes first, and takes the CPU of whoever has had the most.
    kLeastServed,
  };

  struct Rules {
    Order order = Order::kArrival;
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
    SimTime since;            // its task has been charged up to then
    std::int32_t timer = 0;
  };

  CpuState& At(CpuNumber cpu) { return cpus_[static_cast<std::size_t>(cpu)]; }
  bool IsFree(CpuNumber cpu) const {
    return machine_.IsIdle(cpu) && !machine_.NeedsReschedule(cpu);
  }
  std::int64_t& ServiceOf(const Task& task);
  std::int64_t ServedOn(CpuNumber cpu);
  void Charge(CpuState& state);
  void Place(const Task& task, EnqueueReason reason);
  void Wait(Task& task);
  void PreemptFor(const Task& task, CpuNumber by);
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
  OrderedTasks waiting_;
  // kLeastServed: CPU time in nanoseconds, by the index of the task; a task that has slept is
  // counted as not far behind the others.
  std::vector<std::int64_t> service_;
  std::int64_t least_service_ = 0;  // of the tasks that wait, about; never goes back
};

}  // namespace schedlab::sim::reference
