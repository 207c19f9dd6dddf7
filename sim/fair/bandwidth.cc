#include "sim/fair/bandwidth.h"

#include <algorithm>
#include <utility>

#include "sim/fair/queueing.h"

namespace schedlab::sim::fair {
namespace {

constexpr SimDuration kSlice{5'000'000};
constexpr SimDuration kKeptBack{1'000'000};    // by a queue that runs empty
constexpr SimDuration kSlackDelay{5'000'000};  // before returned runtime is handed out
constexpr CpuNumber kTimerCpu = 0;

bool HasQuota(const State& state, const CfsQueue& queue) {
  return queue.group != nullptr && queue.group->quota > SimDuration{0} &&
         state.switches.bandwidth != Bandwidth::kNone;
}

void StartPeriod(State& state, FairGroup& group) {
  group.runtime_left = group.quota;
  ++group.period_number;
  group.is_idle = true;
  state.machine.ArmPolicyTimer(group.period_timer, state.machine.now() + group.period);
}

bool HasExpired(const State& state, const CfsQueue& queue) {
  return state.switches.bandwidth == Bandwidth::kExpiringSlices &&
         queue.period_number != queue.group->period_number;
}

// Fills `queue` up to a slice, as far as its group can.
void Draw(State& state, CfsQueue& queue) {
  FairGroup& group = *queue.group;
  if (!state.machine.IsPolicyTimerArmed(group.period_timer)) StartPeriod(state, group);
  const SimDuration amount =
      std::min(group.runtime_left, std::max(SimDuration{0}, kSlice - queue.runtime_left));
  group.runtime_left -= amount;
  group.is_idle = false;
  queue.runtime_left += amount;
  queue.period_number = group.period_number;
}

void Release(State& state, CfsQueue& queue) {
  queue.group->throttled_time += state.machine.now() - queue.throttled_at;
  Unthrottle(state, queue);
  const RunQueue& run_queue = state.Queue(queue.cpu);
  const bool is_free = run_queue.current == nullptr && state.TaskCount(queue.cpu) > 0;
  if (is_free) state.machine.RequestReschedule(queue.cpu, kTimerCpu);
}

// To those that wait, in their order: what each owes, and a little to go on.
void HandOut(State& state, FairGroup& group) {
  const std::vector<CfsQueue*> waiting = std::exchange(group.throttled, {});
  for (CfsQueue* const queue : waiting) {
    const SimDuration owed = SimDuration{1} - queue->runtime_left;
    const SimDuration given = std::min(owed, group.runtime_left);
    group.runtime_left -= given;
    queue->runtime_left += given;
    queue->period_number = group.period_number;
    if (queue->runtime_left > SimDuration{0}) {
      Release(state, *queue);
    } else {
      group.throttled.push_back(queue);
    }
  }
}

void EndPeriod(State& state, FairGroup& group) {
  if (group.is_idle && group.throttled.empty()) return;
  StartPeriod(state, group);
  HandOut(state, group);
  if (!group.throttled.empty()) group.is_idle = false;
}

void AddTimers(State& state, FairGroup& group) {
  if (group.period_timer >= 0) return;
  group.period_timer = state.machine.AddPolicyTimer(kTimerCpu);
  group.slack_timer = state.machine.AddPolicyTimer(kTimerCpu);
  state.period_timers[group.period_timer] = &group;
  state.slack_timers[group.slack_timer] = &group;
}

}  // namespace

void SetQuota(State& state, FairGroup& group, SimDuration quota, SimDuration period) {
  if (group.quota == quota && group.period == period) return;
  group.quota = quota;
  group.period = period;
  if (quota > SimDuration{0}) {
    AddTimers(state, group);
    StartPeriod(state, group);
    HandOut(state, group);
    return;
  }
  for (CfsQueue& queue : group.queues) queue.runtime_left = SimDuration{0};
  for (CfsQueue* const queue : std::exchange(group.throttled, {})) Release(state, *queue);
}

bool ChargeRuntime(State& state, CfsQueue& queue, SimDuration ran) {
  if (!HasQuota(state, queue)) return false;
  if (HasExpired(state, queue)) queue.runtime_left = std::min(SimDuration{0}, queue.runtime_left);
  queue.runtime_left -= ran;
  if (queue.runtime_left > SimDuration{0}) return false;
  Draw(state, queue);
  return queue.runtime_left <= SimDuration{0};
}

bool IsOutOfRuntime(const State& state, const CfsQueue& queue) {
  return HasQuota(state, queue) && !queue.is_throttled && queue.runtime_left <= SimDuration{0};
}

void NoteThrottled(State& state, CfsQueue& queue) {
  queue.is_throttled = true;
  queue.throttled_at = state.machine.now();
  ++queue.group->throttle_count;
  queue.group->throttled.push_back(&queue);
}

void ReturnRuntime(State& state, CfsQueue& queue) {
  if (!HasQuota(state, queue) || queue.is_throttled || HasExpired(state, queue)) return;
  FairGroup& group = *queue.group;
  const SimDuration slack = queue.runtime_left - kKeptBack;
  if (slack <= SimDuration{0}) return;
  queue.runtime_left -= slack;
  group.runtime_left += slack;
  const bool is_worth_it = group.runtime_left > kSlice && !group.throttled.empty();
  if (!is_worth_it || state.machine.IsPolicyTimerArmed(group.slack_timer)) return;
  state.machine.ArmPolicyTimer(group.slack_timer, state.machine.now() + kSlackDelay);
}

bool BandwidthTimerFired(State& state, std::int32_t timer) {
  if (const auto found = state.period_timers.find(timer); found != state.period_timers.end()) {
    EndPeriod(state, *found->second);
    return true;
  }
  const auto found = state.slack_timers.find(timer);
  if (found == state.slack_timers.end()) return false;
  HandOut(state, *found->second);
  return true;
}

SimDuration ThrottledTime(const State& state) {
  SimDuration total{0};
  for (const auto& group : state.groups) {
    if (group == nullptr) continue;
    total += group->throttled_time;
    for (const CfsQueue* const queue : group->throttled) {
      total += state.machine.now() - queue->throttled_at;
    }
  }
  return total;
}

}  // namespace schedlab::sim::fair
