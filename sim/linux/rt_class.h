#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/linux/cpu_priorities.h"
#include "sim/linux/higher_classes.h"
#include "sim/linux/rt_bandwidth.h"
#include "sim/linux/rt_queue.h"
#include "sim/linux/sched_class.h"

namespace schedlab::sim::linux {

struct RtOptions {
  RtThrottling throttling = RtThrottling::kOn;
  RtRuntimeSharing sharing = RtRuntimeSharing::kOn;
};

// SCHED_FIFO and SCHED_RR: the most urgent tasks run, wherever there is a CPU for them. A CPU with
// several pushes what it does not run to less urgent CPUs, and one that becomes less urgent pulls.
class RtClass final : public SchedClass {
 public:
  // Everything borrowed must outlive the class.
  RtClass(Machine& machine, HigherClasses& higher, const RtOptions& options);

  CpuNumber SelectCpu(Task& task, SelectReason reason, const Context& context) override;
  void Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context) override;
  void Dequeue(Task& task, DequeueReason reason) override;
  void CheckPreemption(CpuNumber cpu, Task& task, CpuNumber by) override;
  void PutCurrent(CpuNumber cpu) override;
  void FetchBeforePick(CpuNumber cpu, std::optional<ClassKind> previous) override;
  Task* TakeNext(CpuNumber cpu) override;
  void HandOutAfterPick(CpuNumber cpu) override { Push(cpu, cpu); }
  void WokenBehind(Task& task, const Context& context) override;
  void Yield(CpuNumber cpu) override;
  void Tick(CpuNumber cpu) override;
  bool TimerFired(CpuNumber cpu, std::int32_t timer) override;
  std::int32_t QueuedCount(CpuNumber cpu) const override { return At(cpu).queue.task_count(); }
  void CheckInvariants() const override;
  void AddMetrics(std::map<std::string, double>& metrics) const override;

  void SetOnline(CpuNumber cpu, bool is_online) { bandwidth_.SetOnline(cpu, is_online); }
  // `cpu` executes a deadline task.
  void SetOutranked(CpuNumber cpu, bool is_outranked) {
    priorities_.SetOutranked(cpu, is_outranked);
  }

 private:
  struct PerCpu {
    RtQueue queue;
    Task* current = nullptr;
    SimTime accounted_to;                  // the running time of `current`
    std::int32_t last_level = kNoRtLevel;  // of the task of this class that was chosen last
  };

  PerCpu& At(CpuNumber cpu) { return cpus_[static_cast<std::size_t>(cpu)]; }
  const PerCpu& At(CpuNumber cpu) const { return cpus_[static_cast<std::size_t>(cpu)]; }

  enum class End : std::uint8_t { kFront, kBack };
  void Insert(Task& task, CpuNumber cpu, End end);
  void Remove(Task& task);
  void NoteQueueChanged(CpuNumber cpu);
  void UpdateCurrent(CpuNumber cpu);
  void SetThrottled(CpuNumber cpu, bool is_throttled);
  void StartPeriod();

  void Push(CpuNumber cpu, CpuNumber by);
  bool PushOne(CpuNumber cpu, CpuNumber by);
  void Pull(CpuNumber cpu);
  Task* BestMovable(CpuNumber from, CpuNumber to) const;
  CpuNumber FindLowest(const Task& task, CpuNumber here);
  void Move(Task& task, CpuNumber to, CpuNumber by);

  Machine& machine_;
  HigherClasses& higher_;
  RtBandwidth bandwidth_;
  CpuPriorities priorities_;
  CpuSet overloaded_;  // CPUs with a task that might be pulled
  std::vector<PerCpu> cpus_;
  const std::int64_t slice_ticks_;
  std::int32_t period_timer_;
  bool is_period_active_ = false;
  std::int64_t push_count_ = 0;
  std::int64_t pull_count_ = 0;
  std::int64_t throttle_count_ = 0;
  bool has_been_used_ = false;
};

}  // namespace schedlab::sim::linux
