#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// Virtual time of one queue under EEVDF (Linux 6.6 to 6.12): every entity is owed the service that
// it is behind the average, and asks for it in requests with a deadline.

// The books of the waiting ones, for the average.
void AddToAverage(CfsQueue& queue, const FairEntity& entity);
void RemoveFromAverage(CfsQueue& queue, const FairEntity& entity);

// The average vruntime of all entities of `queue` by weight, rounded down.
std::int64_t AverageVruntime(const CfsQueue& queue);

// What `entity` of `queue` is owed, bounded by two requests or one tick.
std::int64_t LagOf(const State& state, const CfsQueue& queue, const FairEntity& entity);

// Whether it is owed anything: not ahead of the average. Exact, without division.
bool IsEligible(const CfsQueue& queue, const FairEntity& entity);

// Moves the origin of the averages up to the least vruntime.
void FollowLeastVruntime(CfsQueue& queue);

// The length of a request of `entity`.
SimDuration RequestOf(const State& state, const FairEntity& entity);

enum class Start : std::uint8_t { kNew, kReturning };

// Gives `entity`, which is not queued, its vruntime and deadline in `queue`.
void PlaceByLag(const State& state, const CfsQueue& queue, FairEntity& entity, Start start);

// Keeps the lag of an entity that is about to leave `queue`; and what is left of its request where
// it is to return at once.
void KeepLag(const State& state, const CfsQueue& queue, FairEntity& entity, bool is_moved);

// Begins the next request of `entity` if the present one is served. Returns whether it was.
bool RenewDeadline(const State& state, FairEntity& entity);

struct Request {
  std::int64_t vruntime = 0;
  std::int64_t deadline = 0;
};

// The request of a queued entity once it has another weight: its lag and what is left of the
// request stay the same in real time.
Request Rescaled(const State& state, const FairEntity& entity, std::int64_t weight);

// The eligible entity of `queue` with the earliest deadline, the current one included; null where
// the queue is empty.
FairEntity* EarliestEligible(const State& state, const CfsQueue& queue);

// Whether `candidate` may end the protection of the current entity by its shorter request.
bool MayBreakParity(const State& state, const CfsQueue& queue, const FairEntity& candidate);

}  // namespace schedlab::sim::fair
