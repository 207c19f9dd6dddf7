#pragma once

#include <cstdint>
#include <span>

#include "sim/known_switch.h"
#include "sim/sim_time.h"

namespace schedlab::sim::reference {

enum class Quantum : std::uint8_t { k4Ms, k1Ms, k10Ms, k100Ms };
enum class Victim : std::uint8_t { kNearest, kLongest };

// Of round-robin and oracle.
struct SharedSwitches {
  Quantum quantum{};
};

// Of work-stealing.
struct StealingSwitches {
  Victim victim{};
};

struct NoSwitches {};

std::span<const KnownSwitch<SharedSwitches>> RoundRobinSwitches();
std::span<const KnownSwitch<StealingSwitches>> WorkStealingSwitches();

SimDuration LengthOf(Quantum quantum);

}  // namespace schedlab::sim::reference
