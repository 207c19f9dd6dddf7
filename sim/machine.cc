#include "sim/machine.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/check.h"

namespace schedlab::sim {
namespace {

// Speeds are in capacity units (1024 = full) times permille of work left by SMT sharing.
constexpr std::int64_t kFullSpeed = 1024 * 1000;

Distance Between(const Cpu& a, const Cpu& b) {
  if (a.core == b.core) return a.thread == b.thread ? Distance::kSameCpu : Distance::kSameCore;
  if (a.llc == b.llc) return Distance::kSameLlc;
  return a.node == b.node ? Distance::kSameNode : Distance::kRemote;
}

}  // namespace

void PassCounters::Add(const PassCounters& other) {
  count += other.count;
  balanced += other.balanced;
  failed += other.failed;
  gained += other.gained;
  imbalance_load += other.imbalance_load;
  imbalance_util += other.imbalance_util;
  imbalance_task += other.imbalance_task;
  imbalance_misfit += other.imbalance_misfit;
  hot_gained += other.hot_gained;
  no_busy_queue += other.no_busy_queue;
  no_busy_group += other.no_busy_group;
  moved_passes += other.moved_passes;
}

Machine::Machine(const Topology& topology, Observer* observer)
    : observer_(observer),
      costs_(topology.costs),
      topology_cpus_(topology.cpus),
      core_threads_(topology.cpus.size()),
      node_distances_(topology.node_distances),
      tick_hz_(topology.tick_hz),
      tick_period_(1'000'000'000 / topology.tick_hz),
      cpus_(topology.cpus.size()),
      online_(static_cast<std::int32_t>(topology.cpus.size())),
      idle_(static_cast<std::int32_t>(topology.cpus.size())),
      all_cpus_(static_cast<std::int32_t>(topology.cpus.size())),
      cost_classes_(topology.cpus.size() * topology.cpus.size()),
      probe_ns_{0, costs_.probe_same_core_ns, costs_.probe_same_llc_ns, costs_.probe_same_node_ns,
                costs_.probe_remote_ns},
      refill_ns_{0, 0, costs_.refill_same_llc_ns, costs_.refill_same_node_ns,
                 costs_.refill_remote_ns} {
  ClassifyCosts(topology);
  for (std::size_t a = 0; a < cpus_.size(); ++a) {
    for (std::size_t b = 0; b < cpus_.size(); ++b) {
      const bool is_one_core = topology_cpus_[a].core == topology_cpus_[b].core;
      if (is_one_core) core_threads_[a].push_back(static_cast<CpuNumber>(b));
      const Distance distance =
          DistanceBetween(static_cast<CpuNumber>(a), static_cast<CpuNumber>(b));
      if (distance == Distance::kSameCore && costs_.smt_slowdown_permille > 0) {
        cpus_[a].siblings.push_back(static_cast<CpuNumber>(b));
        has_uniform_speed_ = false;
      }
    }
    has_uniform_speed_ = has_uniform_speed_ && topology_cpus_[a].capacity == 1024;
    const auto number = static_cast<std::int32_t>(a);
    online_.Add(number);
    all_cpus_.Add(number);
    cpus_[a].completion = AddTimer(TimerKind::kCompletion, number);
    cpus_[a].ipi = AddTimer(TimerKind::kIpi, number);
    cpus_[a].tick = AddTimer(TimerKind::kTick, number);
  }
}

void Machine::ClassifyCosts(const Topology& topology) {
  const std::int32_t nearest = NearestNodeDistance(topology);
  std::map<std::int32_t, std::uint8_t> class_of_distance = {
      {nearest, static_cast<std::uint8_t>(Distance::kRemote)}};
  const auto cost_at = [nearest](std::int32_t distance, std::int64_t same_node_ns,
                                 std::int64_t remote_ns) {
    return RemoteCost(same_node_ns, remote_ns, distance, nearest);
  };
  std::vector<std::vector<std::uint8_t>> class_of_nodes;
  for (const auto& row : topology.node_distances) {
    std::vector<std::uint8_t>& classes = class_of_nodes.emplace_back();
    for (const std::int32_t distance : row) {
      const auto [known, is_new] =
          class_of_distance.emplace(distance, static_cast<std::uint8_t>(probe_ns_.size()));
      classes.push_back(known->second);
      if (!is_new) continue;
      probe_ns_.push_back(cost_at(distance, costs_.probe_same_node_ns, costs_.probe_remote_ns));
      refill_ns_.push_back(cost_at(distance, costs_.refill_same_node_ns, costs_.refill_remote_ns));
    }
  }
  for (std::size_t a = 0; a < cpus_.size(); ++a) {
    const Cpu& from = topology_cpus_[a];
    for (std::size_t b = 0; b < cpus_.size(); ++b) {
      const Cpu& to = topology_cpus_[b];
      const Distance distance = Between(from, to);
      cost_classes_[a * cpus_.size() + b] =
          distance == Distance::kRemote ? class_of_nodes[static_cast<std::size_t>(from.node)]
                                                        [static_cast<std::size_t>(to.node)]
                                        : static_cast<std::uint8_t>(distance);
    }
  }
}

TimerId Machine::AddTimer(TimerKind kind, std::int32_t index) {
  owners_.push_back({kind, index});
  return events_.AddTimer();
}

std::int32_t Machine::AddPolicyTimer(CpuNumber cpu) {
  const auto number = static_cast<std::int32_t>(policy_timers_.size());
  policy_timers_.push_back({AddTimer(TimerKind::kPolicy, number), cpu});
  return number;
}

void Machine::ArmPolicyTimer(std::int32_t timer, SimTime at) {
  events_.Arm(policy_timers_[static_cast<std::size_t>(timer)].id, at);
}

void Machine::DisarmPolicyTimer(std::int32_t timer) {
  events_.Disarm(policy_timers_[static_cast<std::size_t>(timer)].id);
}

bool Machine::IsPolicyTimerArmed(std::int32_t timer) const {
  return events_.IsArmed(policy_timers_[static_cast<std::size_t>(timer)].id);
}

Task& Machine::AddTask(std::string_view name, const CpuSet& allowed) {
  Task& task = tasks_.emplace_back();
  task.index = static_cast<std::int32_t>(tasks_.size()) - 1;
  task.name = std::string(name);
  task.address_space = task.index;
  task.affinity = Intern(allowed);
  task.allowed = task.affinity;
  task.online = &online_;
  task.allowed_count = allowed.Count();
  task.timer = AddTimer(TimerKind::kTask, task.index);
  return task;
}

bool Machine::HasBusySibling(CpuNumber cpu) const {
  const std::vector<CpuNumber>& siblings = At(cpu).siblings;
  return std::any_of(siblings.begin(), siblings.end(),
                     [&](CpuNumber sibling) { return At(sibling).current != nullptr; });
}

CpuNumber Machine::OnlineFor(CpuNumber cpu) const {
  if (IsOnline(cpu)) return cpu;
  CpuNumber nearest = online_.First();
  for (CpuNumber other = nearest; other != kNoCpu; other = online_.NextFrom(other + 1)) {
    if (DistanceBetween(cpu, other) < DistanceBetween(cpu, nearest)) nearest = other;
  }
  return nearest;
}

void Machine::SetOffline(CpuNumber cpu) {
  CpuState& state = At(cpu);
  SCHEDLAB_CHECK(state.current == nullptr);
  Account(cpu);
  if (IsIdle(cpu)) LeaveIdle(cpu);
  state.needs_reschedule = false;
  state.ipi_reasons = 0;
  state.is_taking_ipi = false;
  events_.Disarm(state.ipi);
  events_.Disarm(state.tick);
  online_.Remove(cpu);
}

void Machine::SetOnline(CpuNumber cpu) {
  Account(cpu);
  online_.Add(cpu);
}

void Machine::StartRunning(CpuNumber cpu, Task& task) {
  Account(cpu);
  SettleSiblings(cpu);
  At(cpu).current = &task;
  ArmCompletion(cpu);
  RearmSiblings(cpu);
}

void Machine::StopRunning(CpuNumber cpu) {
  Account(cpu);
  SettleSiblings(cpu);
  At(cpu).current = nullptr;
  events_.Disarm(At(cpu).completion);
  RearmSiblings(cpu);
}

void Machine::StartStep(CpuNumber cpu, SimDuration work) {
  At(cpu).current->work_left = std::min(work, kEndless);
  ArmCompletion(cpu);
}

void Machine::EndStep(Task& task) {
  const bool executes = At(task.cpu).current == &task;
  if (executes) Account(task.cpu);
  task.work_left = SimDuration{0};
  if (executes) ArmCompletion(task.cpu);
}

void Machine::FinishStep(CpuNumber cpu) { Account(cpu); }

void Machine::EnterIdle(CpuNumber cpu) {
  CpuState& state = At(cpu);
  idle_.Add(cpu);
  state.idle_from = free_from(cpu);
  SetCountsAsIdle(state, !state.needs_reschedule);
}

bool Machine::IsTakenOff(CpuNumber cpu) const {
  const CpuState& state = At(cpu);
  return costs_.idle_preempted_ns > 0 && IsIdle(cpu) &&
         now() - state.idle_from >= SimDuration(costs_.idle_preempted_ns);
}

void Machine::LeaveIdle(CpuNumber cpu) {
  CpuState& state = At(cpu);
  idle_.Remove(cpu);
  SetCountsAsIdle(state, false);
}

void Machine::ChargeIrq(CpuNumber cpu, SimDuration duration) {
  ChargeTime(cpu, duration);
  At(cpu).times.overhead -= duration;
  At(cpu).times.irq += duration;
}

void Machine::ChargeCaches(CpuNumber cpu, const Task& task) {
  const bool is_from_elsewhere = task.ran_on != kNoCpu && task.ran_on != cpu;
  std::int64_t cost_ns =
      is_from_elsewhere ? RefillCost(task.ran_on, cpu) * task.footprint_permille / 1000 : 0;
  if (costs_.cold_switch_ns > 0) {
    const bool was_here_lately = At(cpu).warm_tasks.Touch(task.index);
    if (is_from_elsewhere || !was_here_lately) cost_ns = std::max(cost_ns, costs_.cold_switch_ns);
  }
  Charge(cpu, cost_ns);
}

void Machine::ChargeAddressSpace(CpuNumber cpu, const Task& task) {
  CpuState& state = At(cpu);
  if (state.address_space == task.address_space) return;
  state.address_space = task.address_space;
  Charge(cpu, costs_.mm_switch_ns);
  if (costs_.cold_mm_switch_ns > 0 && !state.warm_address_spaces.Touch(task.address_space)) {
    Charge(cpu, costs_.cold_mm_switch_ns);
  }
}

// From `start` until the lock can be had.
SimDuration Machine::WaitFor(QueueLock& lock, SimTime start) {
  const auto first = std::upper_bound(lock.breaks.begin(), lock.breaks.end(), start);
  lock.breaks.erase(lock.breaks.begin(), first);
  const SimTime entry = lock.breaks.empty() ? lock.free_at : lock.breaks.front();
  if (entry <= start) return SimDuration{0};
  return entry - start + SimDuration(costs_.queue_lock_contended_ns);
}

// Who holds the lock with breaks goes on later by `duration`, at that CPU's expense.
void Machine::EnterAtBreak(QueueLock& lock, SimDuration duration) {
  for (QueueLock* const held : {&lock, &At(lock.partner).lock}) {
    for (SimTime& at : held->breaks) at += duration;
    held->free_at += duration;
  }
  counters_.lock_wait += duration;
  ChargeTime(lock.holder, duration);
}

void Machine::ChargeLock(CpuNumber by, CpuNumber cpu, std::int64_t hold_ns) {
  const std::int64_t total = costs_.queue_lock_ns + hold_ns;
  if (total == 0) return;
  QueueLock& lock = At(cpu).lock;
  const SimTime start = std::max(now(), At(by).free_from);
  const SimDuration wait = WaitFor(lock, start);
  counters_.lock_wait += wait;
  if (lock.breaks.empty()) {
    lock.free_at = start + wait + SimDuration(total);
  } else {
    EnterAtBreak(lock, SimDuration(costs_.queue_lock_contended_ns + total));
  }
  ChargeTime(by, wait + SimDuration(total));
}

void Machine::ChargeTwoLocks(CpuNumber by, CpuNumber first, CpuNumber second,
                             const std::vector<std::int64_t>& holds_ns) {
  QueueLock& a = At(first).lock;
  QueueLock& b = At(second).lock;
  const SimTime start = std::max(now(), At(by).free_from);
  SimDuration wait = WaitFor(a, start);
  wait = std::max(wait, WaitFor(b, start));
  SimTime end = start + wait;
  std::vector<SimTime> breaks;
  for (const std::int64_t hold_ns : holds_ns) {
    if (end > start + wait) breaks.push_back(end);
    end += SimDuration(2 * costs_.queue_lock_ns + hold_ns);
  }
  const SimDuration total = end - start - wait;
  if (total == SimDuration{0}) return;
  counters_.lock_wait += wait;
  for (QueueLock* const lock : {&a, &b}) {
    if (!lock->breaks.empty()) EnterAtBreak(*lock, total);
  }
  a = {.free_at = std::max(a.free_at, end), .breaks = breaks, .holder = by, .partner = second};
  b = {.free_at = std::max(b.free_at, end), .breaks = breaks, .holder = by, .partner = first};
  ChargeTime(by, wait + total);
}

void Machine::HoldOwnLock(CpuNumber cpu, SimTime from) {
  const SimTime until = At(cpu).free_from;
  if (until > from) At(cpu).lock.free_at = std::max(At(cpu).lock.free_at, until);
}

void Machine::RequestReschedule(CpuNumber cpu, CpuNumber by) {
  CpuState& state = At(cpu);
  if (state.needs_reschedule || !IsOnline(cpu)) return;
  state.needs_reschedule = true;
  if (IsIdle(cpu)) SetCountsAsIdle(state, false);
  if (cpu != by) SendIpi(cpu, by, IpiReason::kReschedule);
}

void Machine::SendIpi(CpuNumber cpu, CpuNumber by, IpiReason reason) {
  if (!IsOnline(cpu)) return;
  CpuState& state = At(cpu);
  ++counters_.ipis;
  const bool is_on_its_way = state.ipi_reasons != 0;
  state.ipi_reasons = static_cast<std::uint8_t>(state.ipi_reasons | static_cast<unsigned>(reason));
  if (is_on_its_way) return;
  events_.Arm(state.ipi, std::max(now(), At(by).free_from) + SimDuration(costs_.ipi_ns));
  if (cpu != by) Charge(by, costs_.ipi_send_ns);
}

bool Machine::ReceiveIpi(CpuNumber cpu) {
  CpuState& state = At(cpu);
  if (costs_.ipi_receive_ns == 0 || state.is_taking_ipi) {
    state.is_taking_ipi = false;
    return true;
  }
  state.is_taking_ipi = true;
  Charge(cpu, costs_.ipi_receive_ns);
  events_.Arm(state.ipi, free_from(cpu));
  return false;
}

std::uint8_t Machine::TakeIpi(CpuNumber cpu) {
  const std::uint8_t reasons = At(cpu).ipi_reasons;
  At(cpu).ipi_reasons = 0;
  return reasons;
}

void Machine::NoteMigration(const Task& task, CpuNumber from, CpuNumber to) {
  ++migration_count_;
  if (observer_ != nullptr) observer_->Migrated(now(), task, from, to);
}

void Machine::ChangeWaiting(std::int64_t delta) {
  AccountWaste();
  waiting_count_ += delta;
}

void Machine::SetThrottled(Task& task, bool is_throttled) {
  if (task.CountsAsWaiting()) ChangeWaiting(-1);
  task.is_throttled = is_throttled;
  if (task.CountsAsWaiting()) ChangeWaiting(1);
}

void Machine::Finish() {
  AccountWaste();
  for (CpuNumber cpu = 0; cpu < cpu_count(); ++cpu) {
    Account(cpu);
    CpuState& state = At(cpu);
    const SimDuration beyond = state.free_from - now();
    const SimDuration cut = std::min(beyond, state.times.overhead);
    state.times.overhead -= cut;
    state.times.irq -= beyond - cut;
    state.free_from = now();
  }
}

// Requires that the speed of `cpu` has not changed since it was accounted last.
void Machine::AccountSpan(CpuNumber cpu) {
  CpuState& state = At(cpu);
  const SimDuration span = now() - state.free_from;
  state.free_from = now();
  if (state.current == nullptr) {
    (IsOnline(cpu) ? state.times.idle : state.times.offline) += span;
    return;
  }
  state.times.work += span;
  const bool is_by_time = has_uniform_speed_ || state.current->is_timed;
  const SimDuration done = is_by_time ? span : SimDuration(span.count() * Speed(cpu) / kFullSpeed);
  // Rounding up in TimeFor may let the last step end a nanosecond late.
  const SimDuration credited = std::min(done, state.current->work_left);
  state.current->work_left -= credited;
  state.current->work_done += credited;
}

// Rounded up: a step is not over before all of its work is done.
SimDuration Machine::TimeFor(CpuNumber cpu, SimDuration work) const {
  const std::int64_t speed = Speed(cpu);
  return SimDuration((work.count() * kFullSpeed + speed - 1) / speed);
}

void Machine::SettleSiblings(CpuNumber cpu) {
  for (const CpuNumber sibling : At(cpu).siblings) Account(sibling);
}

void Machine::RearmSiblings(CpuNumber cpu) {
  for (const CpuNumber sibling : At(cpu).siblings) {
    if (At(sibling).current != nullptr) ArmCompletion(sibling);
  }
}

std::int64_t Machine::Speed(CpuNumber cpu) const {
  std::int64_t permille = 1000;
  for (const CpuNumber sibling : At(cpu).siblings) {
    if (At(sibling).current == nullptr) continue;
    permille = std::max<std::int64_t>(1, 1000 - costs_.smt_slowdown_permille);
  }
  return topology_cpus_[static_cast<std::size_t>(cpu)].capacity * permille;
}

void Machine::SetCountsAsIdle(CpuState& cpu, bool counts) {
  if (cpu.counts_as_idle == counts) return;
  AccountWaste();
  cpu.counts_as_idle = counts;
  idle_count_ += counts ? 1 : -1;
}

void Machine::AccountWaste() {
  const std::int64_t wasted_cpus = std::min(idle_count_, waiting_count_);
  const SimDuration span = now() - waste_accounted_;
  waste_accounted_ = now();
  if (wasted_cpus == 0 || span == SimDuration{0}) return;
  wasted_ += span * wasted_cpus;
  last_wasted_at_ = now();
}

}  // namespace schedlab::sim
