#include "sim/fair/groups.h"

#include <algorithm>
#include <memory>

#include "core/check.h"
#include "sim/fair/bandwidth.h"
#include "sim/fair/load_tracking.h"
#include "sim/fair/queueing.h"
#include "sim/fair/state.h"

namespace schedlab::sim::fair {
namespace {

// The weight of a group on one CPU lies between this and its shares.
constexpr std::int64_t kLeastShares = 2;
// lazy_10ms: over how long a queue averages its load, and how much of a change its group ignores.
constexpr SimDuration kWindow{10'000'000};
constexpr std::int64_t kIgnoredWindowChange = 8;
// pelt: the same.
constexpr std::int64_t kIgnoredPeltChange = 64;
// rate_limited: between two updates, before scaling.
constexpr SimDuration kUpdateInterval{250'000};

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
    group->queues[i].averages.updated = state.machine.now();
  }
  if (state.switches.group_shares == GroupShares::kPelt) state.tracks_averages = true;
  return group;
}

FairGroup* FindGroup(State& state, const TaskGroup* settings) {
  if (settings == nullptr) return nullptr;
  const auto index = static_cast<std::size_t>(settings->index);
  SCHEDLAB_CHECK(index < state.groups.size());
  return state.groups[index].get();
}

FairGroup* SessionOf(State& state, const Task& task) {
  if (state.switches.autogroup == OffOn::kOff || task.session == kNoSession) return nullptr;
  std::unique_ptr<FairGroup>& group = state.sessions[task.session];
  if (group == nullptr) group = MakeGroup(state, nullptr);
  return group.get();
}

template <typename Visit>
void ForEachGroup(State& state, const Visit& visit) {
  for (const auto& group : state.groups) {
    if (group != nullptr) visit(*group);
  }
  for (const auto& session : state.sessions) visit(*session.second);
}

bool TellsNothing(const State& state, const CfsQueue& queue) {
  return state.switches.offline_group_load == OfflineGroupLoad::kForgotten &&
         !state.machine.online().Contains(queue.cpu);
}

void Tell(CfsQueue& queue, std::int64_t load) {
  queue.group->load_total += load - queue.told_load;
  queue.told_load = load;
}

enum class Threshold { kSome, kNone };

void TellPelt(CfsQueue& queue, Threshold threshold) {
  const std::int64_t load = queue.averages.load;
  const std::int64_t change = std::abs(load - queue.told_load);
  const bool is_small = change <= queue.told_load / kIgnoredPeltChange;
  if (threshold == Threshold::kNone || !is_small) Tell(queue, load);
}

void TellWindow(CfsQueue& queue, Threshold threshold) {
  const std::int64_t load = queue.window_sum / (Ns(queue.window) + 1);
  const std::int64_t change = std::abs(load - queue.told_load);
  const bool is_small = change <= queue.told_load / kIgnoredWindowChange;
  if (threshold == Threshold::kNone || !is_small) Tell(queue, load);
}

// A queue that was empty for four windows starts anew.
void ExtendWindow(CfsQueue& queue, SimTime now, Threshold threshold) {
  SimDuration passed = now - queue.window_updated;
  const bool is_stale =
      queue.window_updated > queue.last_loaded && now - queue.last_loaded > 4 * kWindow;
  if (is_stale) {
    queue.window = SimDuration{0};
    queue.window_sum = 0;
    passed = kWindow - SimDuration{1};
  }
  queue.window_updated = now;
  queue.window += passed;
  if (queue.weight > 0) {
    queue.last_loaded = now;
    queue.window_sum += passed.count() * queue.weight;
  }
  const bool folds = queue.window > kWindow || queue.window == SimDuration{0};
  if (threshold == Threshold::kNone || folds) TellWindow(queue, threshold);
  while (queue.window > kWindow) {
    queue.window /= 2;
    queue.window_sum /= 2;
  }
}

void Reweight(State& state, FairEntity& entity, std::int64_t weight) {
  if (weight == entity.weight) return;
  UpdateCurrent(state, entity.queue->cpu);
  ChangeWeight(state, entity, weight);
}

// The part of the shares that `load` of `total` is worth.
std::int64_t PartOf(const FairGroup& group, std::int64_t load, std::int64_t total) {
  std::int64_t part = group.shares * load;
  if (total > 0) part /= total;
  return std::clamp(part, kLeastShares, group.shares);
}

void SetOwnPart(State& state, CfsQueue& queue, std::int64_t load) {
  const FairGroup& group = *queue.group;
  const std::int64_t total = group.load_total - queue.told_load + load;
  Reweight(state, *queue.entity, PartOf(group, load, total));
}

// A CPU without tasks counts as if it had one, so that the next one does not start from nothing.
void SetAllParts(State& state, FairGroup& group) {
  const CpuSet& online = state.machine.online();
  const std::int64_t factor = state.tunables.scaling_factor;
  const SimTime now = state.machine.now();
  const bool is_first = group.shares_updated == SimTime();
  if (!is_first && now - group.shares_updated < kUpdateInterval * factor) return;
  group.shares_updated = now;
  const auto load_of = [](const CfsQueue& queue) {
    return queue.weight > 0 ? queue.weight : kWeightOfNice0;
  };
  std::int64_t total = 0;
  for (const CfsQueue& queue : group.queues) {
    if (online.Contains(queue.cpu)) total += load_of(queue);
  }
  for (CfsQueue& queue : group.queues) {
    Reweight(state, *queue.entity, PartOf(group, load_of(queue), total));
  }
}

}  // namespace

void ApplyGroup(State& state, const TaskGroup& settings) {
  const auto index = static_cast<std::size_t>(settings.index);
  if (index >= state.groups.size()) state.groups.resize(index + 1);
  if (settings.parent == nullptr) return;
  std::unique_ptr<FairGroup>& group = state.groups[index];
  if (group == nullptr) group = MakeGroup(state, FindGroup(state, settings.parent));
  group->shares = std::max(kLeastShares, settings.shares);
  group->shares_updated = SimTime();
  for (CfsQueue& queue : group->queues) UpdateShares(state, queue);
  SetQuota(state, *group, settings.quota, settings.period);
}

CfsQueue& QueueOf(State& state, const Task& task, CpuNumber cpu) {
  FairGroup* group = FindGroup(state, task.group);
  if (group == nullptr) group = SessionOf(state, task);
  if (group == nullptr) return state.Queue(cpu).root;
  return group->queues[static_cast<std::size_t>(cpu)];
}

void UpdateShares(State& state, CfsQueue& queue) {
  if (queue.group == nullptr) return;
  switch (state.switches.group_shares) {
    case GroupShares::kPelt:
      if (!TellsNothing(state, queue)) TellPelt(queue, Threshold::kSome);
      SetOwnPart(state, queue, std::max(queue.weight, queue.averages.load));
      return;
    case GroupShares::kLazy10ms:
      SetOwnPart(state, queue, queue.weight);
      return;
    case GroupShares::kRateLimited:
      SetAllParts(state, *queue.group);
      return;
  }
}

std::int64_t GroupLoadSeenFrom(const State& state, const CfsQueue& queue) {
  const FairGroup& group = *queue.group;
  switch (state.switches.group_shares) {
    case GroupShares::kPelt:
    case GroupShares::kLazy10ms:
      return group.load_total - queue.told_load + queue.weight;
    case GroupShares::kRateLimited:
      break;
  }
  std::int64_t total = 0;
  for (const CfsQueue& each : group.queues) total += each.weight;
  return total;
}

void NoteWeightChange(State& state, CfsQueue& queue) {
  if (queue.group == nullptr || state.switches.group_shares != GroupShares::kLazy10ms) return;
  ExtendWindow(queue, state.machine.now(), Threshold::kSome);
}

void RefreshShares(State& state, CpuNumber cpu) {
  const auto refresh = [&](FairGroup& group) {
    CfsQueue& queue = group.queues[static_cast<std::size_t>(cpu)];
    if (queue.is_throttled) return;
    if (state.switches.group_shares == GroupShares::kLazy10ms) {
      ExtendWindow(queue, state.machine.now(), Threshold::kNone);
    }
    if (state.switches.group_shares == GroupShares::kPelt) {
      TrackQueue(state, queue);
      TellPelt(queue, Threshold::kNone);
    }
    UpdateShares(state, queue);
  };
  ForEachGroup(state, refresh);
}

void NoteOffline(State& state, CpuNumber cpu) {
  if (state.switches.offline_group_load == OfflineGroupLoad::kKept) return;
  ForEachGroup(state,
               [cpu](FairGroup& group) { Tell(group.queues[static_cast<std::size_t>(cpu)], 0); });
}

}  // namespace schedlab::sim::fair
