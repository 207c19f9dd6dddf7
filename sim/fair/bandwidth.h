#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// CFS bandwidth: a group may execute for a quota of CPU time in each period, over all CPUs. Its
// queues draw slices of that; one that gets none is throttled until the next period.

void SetQuota(State& state, FairGroup& group, SimDuration quota, SimDuration period);

// The current entity of `queue` has executed for `ran`. Returns whether the queue has run out.
bool ChargeRuntime(State& state, CfsQueue& queue, SimDuration ran);

// Whether `queue` may not execute, nor get any runtime.
bool IsOutOfRuntime(const State& state, const CfsQueue& queue);

// `queue` waits for runtime from now on. Requires: its entity is not queued.
void NoteThrottled(State& state, CfsQueue& queue);

// `queue` has run empty: gives back what it does not need.
void ReturnRuntime(State& state, CfsQueue& queue);

// A policy timer has fired; returns false where it is none of these.
bool BandwidthTimerFired(State& state, std::int32_t timer);

// CPU time that queues with runnable tasks have been throttled for, over all groups and CPUs.
SimDuration ThrottledTime(const State& state);

}  // namespace schedlab::sim::fair
