#include "sim/fair/groups.h"

#include <algorithm>
#include <memory>

#include "core/check.h"
#include "sim/fair/state.h"

namespace schedlab::sim::fair {
namespace {

// The weight of a group on one CPU lies between these and its shares.
constexpr std::int64_t kLeastShares = 2;

std::unique_ptr<FairGroup> MakeGroup(State& state, FairGroup* parent) {
  auto group = std::make_unique<FairGroup>();
  const auto cpu_count = static_cast<std::size_t>(state.machine.cpu_count());
  group->parent = parent;
  group->queues.resize(cpu_count);
  group->entities.resize(cpu_count);
  for (std::size_t i = 0; i < cpu_count; ++i) {
    CfsQueue& above = parent != nullptr ? parent->queues[i] : state.queues[i].root;
    FairEntity& entity = group->entities[i];
    entity.parent = above.entity;
    entity.queue = &above;
    entity.own = &group->queues[i];
    group->queues[i].cpu = static_cast<CpuNumber>(i);
    group->queues[i].group = group.get();
    group->queues[i].entity = &entity;
  }
  return group;
}

FairGroup* FindGroup(State& state, const TaskGroup* settings) {
  if (settings == nullptr) return nullptr;
  const auto index = static_cast<std::size_t>(settings->index);
  SCHEDLAB_CHECK(index < state.groups.size());
  return state.groups[index].get();
}

}  // namespace

void ApplyGroup(State& state, const TaskGroup& settings) {
  const auto index = static_cast<std::size_t>(settings.index);
  if (index >= state.groups.size()) state.groups.resize(index + 1);
  if (settings.parent == nullptr) return;
  std::unique_ptr<FairGroup>& group = state.groups[index];
  if (group == nullptr) group = MakeGroup(state, FindGroup(state, settings.parent));
  group->shares = std::max(kLeastShares, settings.shares);
  for (CfsQueue& queue : group->queues) UpdateShares(queue);
}

CfsQueue& QueueOf(State& state, const Task& task, CpuNumber cpu) {
  FairGroup* const group = FindGroup(state, task.group);
  if (group == nullptr) return state.Queue(cpu).root;
  return group->queues[static_cast<std::size_t>(cpu)];
}

void ChangeWeight(FairEntity& entity, std::int64_t weight) {
  if (entity.is_queued) entity.queue->weight += weight - entity.weight;
  if (entity.is_queued && entity.queue->group != nullptr) {
    entity.queue->group->weight += weight - entity.weight;
  }
  entity.weight = weight;
}

void UpdateShares(CfsQueue& queue) {
  if (queue.group == nullptr) return;
  const FairGroup& group = *queue.group;
  const std::int64_t shares =
      group.weight == 0 ? group.shares : group.shares * queue.weight / group.weight;
  const std::int64_t weight = std::clamp(shares, kLeastShares, group.shares);
  if (weight != queue.entity->weight) ChangeWeight(*queue.entity, weight);
}

}  // namespace schedlab::sim::fair
