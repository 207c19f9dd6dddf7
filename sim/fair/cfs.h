#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// Virtual time of one queue under CFS: who is due, for how long, and who starts where.

std::int64_t ToVirtual(SimDuration real, std::int64_t weight);

// Follows the least vruntime of the queue, never back.
void UpdateMinVruntime(CfsQueue& queue);

// The part of one latency period that is due to `entity` of `queue`, down through the groups above
// it. It counts as queued.
SimDuration SliceOf(const State& state, const CfsQueue& queue, const FairEntity& entity);

// 1: `candidate` is behind `current` by more than the wakeup granularity; -1: it is not behind.
int CompareForPreemption(const State& state, const FairEntity& current,
                         const FairEntity& candidate);

// Gives an entity that has slept, or a new one, its vruntime in `queue`. A new one may trade its
// place with the current entity; PlaceNewEntity() returns whether it did.
void PlaceWoken(const State& state, const CfsQueue& queue, FairEntity& entity);
bool PlaceNewEntity(const State& state, const CfsQueue& queue, FairEntity& entity);

// Forgets `entity` as a buddy, here and in the groups above for which it was the reason.
void ClearBuddies(FairEntity& entity);
void SetNextBuddy(FairEntity& entity);
void SetSkipBuddy(FairEntity& entity);

// What a wakeup means for the buddies of the queues of `current`: `candidate`, in the same queue as
// its ancestor, preempts it or does not.
void NotePreemptionCheck(const State& state, FairEntity& current, FairEntity& candidate,
                         bool preempts);

// Whether the current `entity` has had its turn.
bool HasHadItsTurn(const State& state, FairEntity& entity);

// The waiting entity of `queue` to execute next. Requires: there is one.
FairEntity& ChooseNext(const State& state, const CfsQueue& queue);

}  // namespace schedlab::sim::fair
