#pragma once

#include <cstdint>
#include <vector>

#include "sim/policy.h"
#include "sim/reference/switches.h"
#include "sim/reference/task_queue.h"

namespace schedlab::sim::reference {

// One queue per CPU, first come, first served, until a task blocks or yields; whatever a task's
// attributes are. A woken task returns to the queue where it was.
class LocalQueues final : public Policy {
 public:
  struct Rules {
    // A CPU that runs dry takes the oldest waiting task of another one (work stealing, as in Cilk:
    // Blumofe and Leiserson, 1999), and a new task queues where it was created. Without: a new task
    // joins the shortest queue and stays there.
    bool steals = false;
    Victim victim = Victim::kNearest;
  };

  LocalQueues(Machine& machine, const Rules& rules);

  CpuNumber SelectCpu(Task& task, SelectReason reason, const Context& context) override;
  void Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context) override;
  void Dequeue(Task& task, DequeueReason reason) override;
  Task* PickNext(CpuNumber cpu) override;
  void Yield(CpuNumber cpu) override;
  void Tick(CpuNumber /*cpu*/) override {}
  void Online(CpuNumber cpu) override;
  std::int32_t QueuedCount(CpuNumber cpu) const override;
  void CheckInvariants() const override;

 private:
  struct Queue {
    Task* current = nullptr;
    bool turn_is_over = false;
    TaskQueue waiting;
  };

  Queue& At(CpuNumber cpu) { return queues_[static_cast<std::size_t>(cpu)]; }
  const Queue& At(CpuNumber cpu) const { return queues_[static_cast<std::size_t>(cpu)]; }
  CpuNumber ShortestQueue(const Task& task) const;
  CpuNumber ChooseVictim(CpuNumber cpu);
  Task* Steal(CpuNumber cpu);
  void CallThief(const Task& task, CpuNumber by);

  Machine& machine_;
  const Rules rules_;
  std::vector<Queue> queues_;
};

}  // namespace schedlab::sim::reference
