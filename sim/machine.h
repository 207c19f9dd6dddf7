#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "core/topology.h"
#include "sim/counters.h"
#include "sim/cpu_set.h"
#include "sim/digest.h"
#include "sim/event_queue.h"
#include "sim/task.h"

namespace schedlab::sim {

// Why a CPU is interrupted by another one.
enum class IpiReason : std::uint8_t { kReschedule = 1, kBalance = 2, kPush = 4 };

// Where a kernel action happens, and hence who pays for it.
struct Context {
  CpuNumber cpu = 0;
  const Task* task = nullptr;  // null in an interrupt
};

// The time of one CPU, split: the three add up to the time of the run.
struct CpuTimes {
  SimDuration work{0};
  SimDuration overhead{0};
  SimDuration idle{0};
};

// The hardware: CPUs that execute one task each, lose time to what the kernel charges, and
// interrupt one another. It knows nothing of queues or policies.
class Machine {
 public:
  explicit Machine(const Topology& topology);

  EventQueue& events() { return events_; }
  SimTime now() const { return events_.now(); }
  std::int64_t tick_count() const { return Ns(now()) / Ns(tick_period_); }
  SimDuration tick_period() const { return tick_period_; }
  std::int64_t tick_hz() const { return tick_hz_; }

  std::int32_t cpu_count() const { return static_cast<std::int32_t>(cpus_.size()); }
  const std::vector<Cpu>& topology_cpus() const { return topology_cpus_; }
  const CostTable& costs() const { return costs_; }
  Distance DistanceBetween(CpuNumber a, CpuNumber b) const {
    return static_cast<Distance>(
        std::min(CostClassOf(a, b), static_cast<std::uint8_t>(Distance::kRemote)));
  }
  // What `by` pays for a read of the run queue of `cpu`.
  std::int64_t ProbeCost(CpuNumber by, CpuNumber cpu) const {
    return probe_ns_[CostClassOf(by, cpu)];
  }
  // What a task pays for its full footprint when it moves between two CPUs.
  std::int64_t RefillCost(CpuNumber from, CpuNumber to) const {
    return refill_ns_[CostClassOf(from, to)];
  }

  Task& AddTask(std::string_view name, const CpuSet& allowed);
  std::deque<Task>& tasks() { return tasks_; }
  CpuSet AllCpus() const;

  Task* current(CpuNumber cpu) const { return At(cpu).current; }
  // Has no task and has given up looking for one.
  bool IsIdle(CpuNumber cpu) const { return At(cpu).is_idle; }

  // `cpu` begins to execute `task`; its step ends with the CPU's completion timer.
  void StartRunning(CpuNumber cpu, Task& task);
  // `cpu` executes no task from now on. Its work so far is credited.
  void StopRunning(CpuNumber cpu);
  // The running task of `cpu` has `work` to do from now on.
  void StartStep(CpuNumber cpu, SimDuration work);
  // Credits the running task up to now, when its completion timer fires.
  void FinishStep(CpuNumber cpu);
  void EnterIdle(CpuNumber cpu);
  void LeaveIdle(CpuNumber cpu);

  // `cpu` spends `cost` on kernel work before it goes on.
  void Charge(CpuNumber cpu, std::int64_t cost_ns) {
    if (cost_ns > 0) ChargeTime(cpu, SimDuration(cost_ns));
  }
  // `by` reads the run queue of `cpu`.
  void ChargeProbe(CpuNumber by, CpuNumber cpu) { Charge(by, ProbeCost(by, cpu)); }
  void ChargeRefill(CpuNumber cpu, const Task& task);
  // `by` takes the queue lock of `cpu` for `hold_ns`, after those who booked it before.
  void ChargeLock(CpuNumber by, CpuNumber cpu, std::int64_t hold_ns);

  // `cpu` is to choose its task anew: at once where it is the caller itself, else by an interrupt.
  void RequestReschedule(CpuNumber cpu, CpuNumber by);
  bool NeedsReschedule(CpuNumber cpu) const { return At(cpu).needs_reschedule; }
  void ClearReschedule(CpuNumber cpu) { At(cpu).needs_reschedule = false; }
  void SendIpi(CpuNumber cpu, CpuNumber by, IpiReason reason);
  // The reasons that have arrived at `cpu`, which are forgotten by this.
  std::uint8_t TakeIpi(CpuNumber cpu);

  TimerId completion_timer(CpuNumber cpu) const { return At(cpu).completion; }
  TimerId tick_timer(CpuNumber cpu) const { return At(cpu).tick; }
  TimerId ipi_timer(CpuNumber cpu) const { return At(cpu).ipi; }

  // A task that may run on more than one CPU begins or ceases to wait for one.
  void ChangeWaiting(std::int64_t delta);

  Counters& counters() { return counters_; }
  const Counters& counters() const { return counters_; }
  Digest& digest() { return digest_; }
  const Digest& digest() const { return digest_; }

  // Accounts every CPU up to now. Overhead that reaches beyond now is cut off.
  void Finish();
  const CpuTimes& times(CpuNumber cpu) const { return At(cpu).times; }
  // CPU time that was idle while a task that was not bound to another CPU waited.
  SimDuration wasted() const { return wasted_; }
  // The last instant of such waste.
  SimTime last_wasted_at() const { return last_wasted_at_; }

 private:
  struct CpuState {
    Task* current = nullptr;
    bool is_idle = false;
    bool counts_as_idle = false;
    bool needs_reschedule = false;
    std::uint8_t ipi_reasons = 0;
    SimTime free_from;  // until then it does kernel work, or is accounted already
    SimTime lock_free_at;
    CpuTimes times;
    TimerId completion{};
    TimerId tick{};
    TimerId ipi{};
    std::vector<CpuNumber> siblings;
  };

  CpuState& At(CpuNumber cpu) { return cpus_[static_cast<std::size_t>(cpu)]; }
  const CpuState& At(CpuNumber cpu) const { return cpus_[static_cast<std::size_t>(cpu)]; }

  std::uint8_t CostClassOf(CpuNumber a, CpuNumber b) const {
    return cost_classes_[static_cast<std::size_t>(a) * cpus_.size() + static_cast<std::size_t>(b)];
  }
  void ClassifyCosts(const Topology& topology);
  void ChargeTime(CpuNumber cpu, SimDuration cost);
  void Account(CpuNumber cpu);
  void ArmCompletion(CpuNumber cpu);
  void SettleSiblings(CpuNumber cpu);
  void RearmSiblings(CpuNumber cpu);
  std::int64_t Speed(CpuNumber cpu) const;
  void SetCountsAsIdle(CpuState& cpu, bool counts);
  void AccountWaste();

  EventQueue events_;
  CostTable costs_;
  std::vector<Cpu> topology_cpus_;
  std::int64_t tick_hz_;
  SimDuration tick_period_;
  std::vector<CpuState> cpus_;
  // Of every pair of CPUs: a Distance, or above kRemote a farther pair of nodes. It indexes the
  // tables of costs.
  std::vector<std::uint8_t> cost_classes_;
  std::vector<std::int64_t> probe_ns_;
  std::vector<std::int64_t> refill_ns_;
  bool has_uniform_speed_ = true;
  std::deque<Task> tasks_;  // stable addresses
  Counters counters_;
  Digest digest_;
  std::int64_t idle_count_ = 0;
  std::int64_t waiting_count_ = 0;
  SimTime waste_accounted_;
  SimTime last_wasted_at_;
  SimDuration wasted_{0};
};

}  // namespace schedlab::sim
