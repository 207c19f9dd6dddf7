#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <set>
#include <string_view>
#include <vector>

#include "core/topology.h"
#include "sim/counters.h"
#include "sim/cpu_set.h"
#include "sim/digest.h"
#include "sim/event_queue.h"
#include "sim/observer.h"
#include "sim/recent.h"
#include "sim/task.h"

namespace schedlab::sim {

// Why a CPU is interrupted by another one.
enum class IpiReason : std::uint8_t { kReschedule = 1, kBalance = 2, kPush = 4, kWakeups = 8 };

// A waker says that it is about to block (WF_SYNC of Linux), so that its CPU is as good as free.
enum class WakeHint : std::uint8_t { kNone, kSync };

// Where a kernel action happens, and hence who pays for it.
struct Context {
  CpuNumber cpu = 0;
  const Task* task = nullptr;  // null in an interrupt
  WakeHint hint = WakeHint::kNone;
};

// The time of one CPU, split: all of them add up to the time of the run.
struct CpuTimes {
  SimDuration work{0};
  SimDuration overhead{0};
  SimDuration irq{0};  // interrupts of devices
  SimDuration idle{0};
  SimDuration offline{0};
};

// What a timer of the event queue is for. The digest names the kinds by these numbers.
enum class TimerKind : std::uint8_t {
  kCompletion,
  kIpi,
  kTick,
  kHousekeeping,
  kTask,
  kWorkload,
  kPolicy,
  kHotplug,
  kIrq,
};
struct TimerOwner {
  TimerKind kind;
  std::int32_t index;  // of a CPU, a task, or among the timers of its kind
};

// The hardware: CPUs that execute one task each, lose time to what the kernel charges, and
// interrupt one another. It knows nothing of queues or policies.
class Machine {
 public:
  // `observer` may be null and must outlive the machine.
  explicit Machine(const Topology& topology, Observer* observer = nullptr);

  EventQueue& events() { return events_; }
  SimTime now() const { return events_.now(); }
  std::int64_t tick_count() const { return Ns(now()) / Ns(tick_period_); }
  SimDuration tick_period() const { return tick_period_; }
  std::int64_t tick_hz() const { return tick_hz_; }

  std::int32_t cpu_count() const { return static_cast<std::int32_t>(cpus_.size()); }
  const std::vector<Cpu>& topology_cpus() const { return topology_cpus_; }
  // The threads of the core of `cpu`, itself among them, ascending.
  const std::vector<CpuNumber>& ThreadsOfCore(CpuNumber cpu) const {
    return core_threads_[static_cast<std::size_t>(cpu)];
  }
  const CostTable& costs() const { return costs_; }
  Distance DistanceBetween(CpuNumber a, CpuNumber b) const {
    return static_cast<Distance>(
        std::min(CostClassOf(a, b), static_cast<std::uint8_t>(Distance::kRemote)));
  }
  // What `by` pays for a read of the run queue of `cpu`.
  std::int64_t ProbeCost(CpuNumber by, CpuNumber cpu) const {
    return probe_ns_[CostClassOf(by, cpu)];
  }
  std::int64_t ProbesCost(CpuNumber by, const std::vector<CpuNumber>& cpus) const {
    std::int64_t cost_ns = 0;
    for (const CpuNumber cpu : cpus) cost_ns += ProbeCost(by, cpu);
    return cost_ns;
  }
  // What a task pays for its full footprint when it moves between two CPUs.
  std::int64_t RefillCost(CpuNumber from, CpuNumber to) const {
    return refill_ns_[CostClassOf(from, to)];
  }

  // SLIT units: 10 = local.
  std::int32_t NodeDistance(std::int32_t from, std::int32_t to) const {
    return node_distances_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }

  Observer* observer() const { return observer_; }

  TimerId AddTimer(TimerKind kind, std::int32_t index);
  const TimerOwner& OwnerOf(TimerId timer) const {
    return owners_[static_cast<std::size_t>(timer)];
  }

  // A timer of the policy; Policy::TimerFired() is called for `cpu`. Returns its number, from 0.
  std::int32_t AddPolicyTimer(CpuNumber cpu);
  void ArmPolicyTimer(std::int32_t timer, SimTime at);
  void DisarmPolicyTimer(std::int32_t timer);
  // From now on it fires on `cpu`.
  void MovePolicyTimer(std::int32_t timer, CpuNumber cpu) {
    policy_timers_[static_cast<std::size_t>(timer)].cpu = cpu;
  }
  bool IsPolicyTimerArmed(std::int32_t timer) const;
  CpuNumber CpuOfPolicyTimer(std::int32_t timer) const {
    return policy_timers_[static_cast<std::size_t>(timer)].cpu;
  }

  Task& AddTask(std::string_view name, const CpuSet& allowed);
  std::deque<Task>& tasks() { return tasks_; }
  const std::deque<Task>& tasks() const { return tasks_; }
  const CpuSet& AllCpus() const { return all_cpus_; }
  // The one set equal to `cpus` that tasks of this machine refer to.
  CpuSetRef Intern(const CpuSet& cpus) { return CpuSetRef(*interned_.insert(cpus).first); }

  const CpuSet& online() const { return online_; }
  bool IsOnline(CpuNumber cpu) const { return online_.Contains(cpu); }
  // Where an interrupt goes that is meant for `cpu`: another one that is near, if it is offline.
  CpuNumber OnlineFor(CpuNumber cpu) const;
  // Requires that `cpu` has no task. What was under way to it is lost.
  void SetOffline(CpuNumber cpu);
  // It is neither idle nor does it execute anything until EnterIdle() or StartRunning().
  void SetOnline(CpuNumber cpu);

  Task* current(CpuNumber cpu) const { return At(cpu).current; }
  // Has no task and has given up looking for one.
  bool IsIdle(CpuNumber cpu) const { return idle_.Contains(cpu); }

  // A virtual CPU that has been idle for so long that its host gave the real one to others.
  bool IsTakenOff(CpuNumber cpu) const;

  // Some CPU is idle and not about to run something.
  bool AnyIdle() const { return idle_count_ > 0; }
  // Another thread of its core executes a task, and slows this one down.
  bool HasBusySibling(CpuNumber cpu) const;

  // `cpu` begins to execute `task`; its step ends with the CPU's completion timer.
  void StartRunning(CpuNumber cpu, Task& task);
  // `cpu` executes no task from now on. Its work so far is credited.
  void StopRunning(CpuNumber cpu);
  // The running task of `cpu` has `work` to do from now on, at most kEndless.
  void StartStep(CpuNumber cpu, SimDuration work);
  // Its step ends now, or as soon as it executes again.
  void EndStep(Task& task);
  // Credits the running task up to now, when its completion timer fires.
  void FinishStep(CpuNumber cpu);
  void EnterIdle(CpuNumber cpu);
  void LeaveIdle(CpuNumber cpu);

  // `cpu` spends `cost` on kernel work before it goes on.
  void Charge(CpuNumber cpu, std::int64_t cost_ns) {
    if (cost_ns > 0) ChargeTime(cpu, SimDuration(cost_ns));
  }
  // A device interrupts `cpu` for `duration`.
  void ChargeIrq(CpuNumber cpu, SimDuration duration);
  // `by` reads the run queue of `cpu`.
  void ChargeProbe(CpuNumber by, CpuNumber cpu) { Charge(by, ProbeCost(by, cpu)); }
  void ChargeProbes(CpuNumber by, const std::vector<CpuNumber>& cpus) {
    Charge(by, ProbesCost(by, cpus));
  }
  // `cpu` turns to `task` and fetches what its caches do not have of it: after a migration its
  // footprint, and of the kernel's own part of a task that did not execute there lately. Requires
  // that `task.ran_on` is where it executed before.
  void ChargeCaches(CpuNumber cpu, const Task& task);
  // `cpu` turns to `task`: to another address space than it has used last, or not.
  void ChargeAddressSpace(CpuNumber cpu, const Task& task);
  // `by` takes the queue lock of `cpu` for `hold_ns`, after those who booked it before.
  void ChargeLock(CpuNumber by, CpuNumber cpu, std::int64_t hold_ns);
  // `by` takes the queue locks of two CPUs together, once for each of `holds_ns` in turn. Whoever
  // asks for one of them meanwhile gets in when they are next released.
  void ChargeTwoLocks(CpuNumber by, CpuNumber first, CpuNumber second,
                      const std::vector<std::int64_t>& holds_ns);
  // `cpu` has held its own queue lock ever since `from`.
  void HoldOwnLock(CpuNumber cpu, SimTime from);

  // `cpu` is to choose its task anew: at once where it is the caller itself, else by an interrupt.
  void RequestReschedule(CpuNumber cpu, CpuNumber by);
  bool NeedsReschedule(CpuNumber cpu) const { return At(cpu).needs_reschedule; }
  // It has chosen. One that stays idle, since others were faster, counts as idle again.
  void ClearReschedule(CpuNumber cpu) {
    CpuState& state = At(cpu);
    state.needs_reschedule = false;
    if (IsIdle(cpu)) SetCountsAsIdle(state, true);
  }
  void SendIpi(CpuNumber cpu, CpuNumber by, IpiReason reason);
  // The timer of the interrupts of `cpu` has fired. False where the CPU only begins to take it,
  // which it is charged for: then that timer fires once more.
  bool ReceiveIpi(CpuNumber cpu);
  // The reasons that have arrived at `cpu`, which are forgotten by this.
  std::uint8_t TakeIpi(CpuNumber cpu);

  TimerId completion_timer(CpuNumber cpu) const { return At(cpu).completion; }
  TimerId tick_timer(CpuNumber cpu) const { return At(cpu).tick; }
  TimerId ipi_timer(CpuNumber cpu) const { return At(cpu).ipi; }

  // A runnable task, or one that wakes, changes its CPU.
  void NoteMigration(const Task& task, CpuNumber from, CpuNumber to);
  std::int64_t migration_count() const { return migration_count_; }

  // A task for which CountsAsWaiting() holds begins or ceases to wait for a CPU.
  void ChangeWaiting(std::int64_t delta);
  void SetThrottled(Task& task, bool is_throttled);

  Counters& counters() { return counters_; }
  const Counters& counters() const { return counters_; }
  CpuCounters& cpu_counters(CpuNumber cpu) { return At(cpu).counters; }
  const CpuCounters& cpu_counters(CpuNumber cpu) const { return At(cpu).counters; }
  Digest& digest() { return digest_; }
  const Digest& digest() const { return digest_; }

  // Until then `cpu` does kernel work that it has been charged for.
  SimTime free_from(CpuNumber cpu) const { return std::max(now(), At(cpu).free_from); }

  // Accounts every CPU up to now. Overhead that reaches beyond now is cut off.
  void Finish();
  const CpuTimes& times(CpuNumber cpu) const { return At(cpu).times; }
  // CPU time that was idle while a task that was not bound to another CPU waited.
  SimDuration wasted() const { return wasted_; }
  // The last instant of such waste.
  SimTime last_wasted_at() const { return last_wasted_at_; }

 private:
  // How many tasks and address spaces the caches of a CPU keep well enough that a switch to one of
  // them costs no more than that back to the last one. From rings of processes and threads that
  // pass a byte on one CPU (Sapphire Rapids, Linux 6.18): a ring of two is warm, of three threads
  // two thirds of the way to cold, of four and up to eighty cold. Processes get dearer still up to
  // a ring of five; Linux on x86 itself keeps no more than six (TLB_NR_DYN_ASIDS of
  // arch/x86/include/asm/tlbflush.h).
  static constexpr std::size_t kWarmTasks = 2;
  static constexpr std::size_t kWarmAddressSpaces = 4;

  struct QueueLock {
    SimTime free_at;
    std::vector<SimTime> breaks;  // when the holder lets others in, ascending, before `free_at`
    CpuNumber holder = kNoCpu;    // of the breaks
    CpuNumber partner = kNoCpu;   // whose lock it holds too
  };

  // What every charge of time reads comes first, in one cache line.
  struct alignas(64) CpuState {
    Task* current = nullptr;
    bool counts_as_idle = false;
    bool needs_reschedule = false;
    bool is_taking_ipi = false;
    std::uint8_t ipi_reasons = 0;
    std::int32_t address_space = -1;  // that it has used last
    SimTime free_from;                // until then it does kernel work, or is accounted already
    TimerId completion{};
    TimerId tick{};
    TimerId ipi{};
    std::vector<CpuNumber> siblings;
    CpuTimes times;
    QueueLock lock;
    SimTime idle_from;              // where it is idle
    Recent<kWarmTasks> warm_tasks;  // by index
    Recent<kWarmAddressSpaces> warm_address_spaces;
    CpuCounters counters;
  };

  struct PolicyTimer {
    TimerId id;
    CpuNumber cpu;
  };

  CpuState& At(CpuNumber cpu) { return cpus_[static_cast<std::size_t>(cpu)]; }
  const CpuState& At(CpuNumber cpu) const { return cpus_[static_cast<std::size_t>(cpu)]; }

  std::uint8_t CostClassOf(CpuNumber a, CpuNumber b) const {
    return cost_classes_[static_cast<std::size_t>(a) * cpus_.size() + static_cast<std::size_t>(b)];
  }
  void ClassifyCosts(const Topology& topology);
  void ChargeTime(CpuNumber cpu, SimDuration cost) {
    Account(cpu);
    CpuState& state = At(cpu);
    state.times.overhead += cost;
    state.free_from += cost;
    if (state.current != nullptr) ArmCompletion(cpu);
  }
  SimDuration WaitFor(QueueLock& lock, SimTime start);
  void EnterAtBreak(QueueLock& lock, SimDuration duration);
  // The first charge of an event accounts what the CPU did before it.
  void Account(CpuNumber cpu) {
    if (now() > At(cpu).free_from) AccountSpan(cpu);
  }
  void AccountSpan(CpuNumber cpu);
  void ArmCompletion(CpuNumber cpu) {
    const CpuState& state = At(cpu);
    const bool is_by_time = has_uniform_speed_ || state.current->is_timed;
    const SimDuration left = state.current->work_left;
    events_.Arm(state.completion,
                std::max(now(), state.free_from) + (is_by_time ? left : TimeFor(cpu, left)));
  }
  SimDuration TimeFor(CpuNumber cpu, SimDuration work) const;
  void SettleSiblings(CpuNumber cpu);
  void RearmSiblings(CpuNumber cpu);
  std::int64_t Speed(CpuNumber cpu) const;
  void SetCountsAsIdle(CpuState& cpu, bool counts);
  void AccountWaste();

  EventQueue events_;
  std::vector<TimerOwner> owners_;  // by TimerId
  std::vector<PolicyTimer> policy_timers_;
  Observer* const observer_;
  CostTable costs_;
  std::vector<Cpu> topology_cpus_;
  std::vector<std::vector<CpuNumber>> core_threads_;  // by CPU
  std::vector<std::vector<std::int32_t>> node_distances_;
  std::int64_t tick_hz_;
  SimDuration tick_period_;
  std::vector<CpuState> cpus_;
  CpuSet online_;
  CpuSet idle_;
  CpuSet all_cpus_;
  std::set<CpuSet> interned_;  // stable addresses
  // Of every pair of CPUs: a Distance, or above kRemote a farther pair of nodes. It indexes the
  // tables of costs.
  std::vector<std::uint8_t> cost_classes_;
  std::vector<std::int64_t> probe_ns_;
  std::vector<std::int64_t> refill_ns_;
  bool has_uniform_speed_ = true;
  std::deque<Task> tasks_;  // stable addresses
  Counters counters_;
  Digest digest_;
  std::int64_t migration_count_ = 0;
  std::int64_t idle_count_ = 0;
  std::int64_t waiting_count_ = 0;
  SimTime waste_accounted_;
  SimTime last_wasted_at_;
  SimDuration wasted_{0};
};

}  // namespace schedlab::sim
