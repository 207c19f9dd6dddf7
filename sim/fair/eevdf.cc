#include "sim/fair/eevdf.h"

#include <algorithm>

#include "sim/fair/cfs.h"

namespace schedlab::sim::fair {
namespace {

struct WeightedSum {
  Wide sum = 0;
  std::int64_t weight = 0;
};

// Of the vruntimes from min_vruntime on, the current entity's among them.
WeightedSum SumOf(const CfsQueue& queue) {
  WeightedSum total{queue.waiting_sum, queue.waiting_weight};
  if (queue.current != nullptr && queue.current->is_queued) {
    const std::int64_t weight = queue.current->weight;
    total.sum += Wide{queue.current->vruntime - queue.min_vruntime} * weight;
    total.weight += weight;
  }
  return total;
}

bool IsEligibleAt(const CfsQueue& queue, const WeightedSum& total, std::int64_t vruntime) {
  return total.sum >= Wide{vruntime - queue.min_vruntime} * total.weight;
}

std::int64_t VirtualRequest(const State& state, const FairEntity& entity) {
  return ToVirtual(RequestOf(state, entity), entity.weight);
}

// The first of the waiting ones, by deadline, that is eligible.
FairEntity* FirstEligible(const CfsQueue& queue, const WeightedSum& total) {
  return queue.waiting.FirstWith(
      [&](std::int64_t vruntime) { return IsEligibleAt(queue, total, vruntime); });
}

}  // namespace

void AddToAverage(CfsQueue& queue, const FairEntity& entity) {
  queue.waiting_weight += entity.weight;
  queue.waiting_sum += Wide{entity.vruntime - queue.min_vruntime} * entity.weight;
}

void RemoveFromAverage(CfsQueue& queue, const FairEntity& entity) {
  queue.waiting_weight -= entity.weight;
  queue.waiting_sum -= Wide{entity.vruntime - queue.min_vruntime} * entity.weight;
}

std::int64_t AverageVruntime(const CfsQueue& queue) {
  WeightedSum total = SumOf(queue);
  if (total.weight == 0) return queue.min_vruntime;
  if (total.sum < 0) total.sum -= total.weight - 1;
  return queue.min_vruntime + static_cast<std::int64_t>(total.sum / total.weight);
}

std::int64_t LagOf(const State& state, const CfsQueue& queue, const FairEntity& entity) {
  const SimDuration most = std::max(2 * RequestOf(state, entity), state.machine.tick_period());
  const std::int64_t limit = ToVirtual(most, entity.weight);
  return std::clamp(AverageVruntime(queue) - entity.vruntime, -limit, limit);
}

bool IsEligible(const CfsQueue& queue, const FairEntity& entity) {
  return IsEligibleAt(queue, SumOf(queue), entity.vruntime);
}

void FollowLeastVruntime(CfsQueue& queue) {
  const bool has_current = queue.current != nullptr && queue.current->is_queued;
  std::int64_t least = has_current ? queue.current->vruntime : queue.min_vruntime;
  if (!queue.waiting.empty()) {
    const std::int64_t least_waiting = queue.waiting.least_vruntime();
    least = has_current ? std::min(least, least_waiting) : least_waiting;
  }
  const std::int64_t step = least - queue.min_vruntime;
  if (step <= 0) return;
  queue.waiting_sum -= Wide{queue.waiting_weight} * step;
  queue.min_vruntime = least;
}

SimDuration RequestOf(const State& state, const FairEntity& entity) {
  return entity.slice > SimDuration{0} ? entity.slice : state.tunables.base_slice;
}

// Joining moves the average towards the entity; the lag is enlarged so that it is, afterwards, what
// it was when it left.
void PlaceByLag(const State& state, const CfsQueue& queue, FairEntity& entity, Start start) {
  const std::int64_t average = AverageVruntime(queue);
  std::int64_t lag = 0;
  const bool keeps_lag = state.switches.place_lag == OnOff::kOn && start == Start::kReturning;
  if (keeps_lag && queue.entity_count > 0) {
    const std::int64_t weight = SumOf(queue).weight;
    const Wide enlarged = Wide{entity.lag} * (weight + entity.weight);
    lag = static_cast<std::int64_t>(enlarged / std::max<std::int64_t>(1, weight));
  }
  entity.vruntime = average - lag;
  if (entity.has_relative_deadline) {
    entity.has_relative_deadline = false;
    entity.deadline += entity.vruntime;
    return;
  }
  const std::int64_t request = VirtualRequest(state, entity);
  entity.deadline = entity.vruntime + (start == Start::kNew ? request / 2 : request);
}

void KeepLag(const State& state, const CfsQueue& queue, FairEntity& entity, bool is_moved) {
  entity.lag = LagOf(state, queue, entity);
  if (!is_moved || state.switches.relative_deadline == OffOn::kOff) return;
  entity.deadline -= entity.vruntime;
  entity.has_relative_deadline = true;
}

bool RenewDeadline(const State& state, FairEntity& entity) {
  if (entity.vruntime < entity.deadline) return false;
  entity.deadline = entity.vruntime + VirtualRequest(state, entity);
  return true;
}

Request Rescaled(const State& state, const FairEntity& entity, std::int64_t weight) {
  const CfsQueue& queue = *entity.queue;
  const std::int64_t average = AverageVruntime(queue);
  const Wide lag = Wide{LagOf(state, queue, entity)} * entity.weight / weight;
  const Wide left = Wide{entity.deadline - average} * entity.weight / weight;
  return {average - static_cast<std::int64_t>(lag), average + static_cast<std::int64_t>(left)};
}

FairEntity* EarliestEligible(const State& state, const CfsQueue& queue) {
  FairEntity* current = queue.current;
  if (current != nullptr && !current->is_queued) current = nullptr;
  if (queue.entity_count == 1) return current != nullptr ? current : queue.waiting.first();
  const WeightedSum total = SumOf(queue);
  if (current != nullptr && !IsEligibleAt(queue, total, current->vruntime)) current = nullptr;
  const bool is_protected = current != nullptr && state.switches.run_to_parity == OnOff::kOn &&
                            current->picked_deadline == current->deadline;
  if (is_protected) return current;
  FairEntity* const best = FirstEligible(queue, total);
  if (best == nullptr) return current;
  return current != nullptr && current->deadline < best->deadline ? current : best;
}

bool MayBreakParity(const State& state, const CfsQueue& queue, const FairEntity& candidate) {
  const FairEntity& current = *queue.current;
  if (RequestOf(state, candidate) >= RequestOf(state, current)) return false;
  if (!IsEligible(queue, candidate)) return false;
  return candidate.deadline < current.deadline || !IsEligible(queue, current);
}

}  // namespace schedlab::sim::fair
