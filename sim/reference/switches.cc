#include "sim/reference/switches.h"

#include <array>

namespace schedlab::sim::reference {

std::span<const KnownSwitch<SharedSwitches>> RoundRobinSwitches() {
  static const std::vector<KnownSwitch<SharedSwitches>> kKnown = {
      {"quantum",
       {"4ms", "1ms", "10ms", "100ms"},
       SetSwitch<SharedSwitches, &SharedSwitches::quantum>},
  };
  return kKnown;
}

std::span<const KnownSwitch<StealingSwitches>> WorkStealingSwitches() {
  static const std::vector<KnownSwitch<StealingSwitches>> kKnown = {
      {"victim", {"nearest", "longest"}, SetSwitch<StealingSwitches, &StealingSwitches::victim>},
  };
  return kKnown;
}

SimDuration LengthOf(Quantum quantum) {
  constexpr std::array kLengths = {SimDuration{4'000'000}, SimDuration{1'000'000},
                                   SimDuration{10'000'000}, SimDuration{100'000'000}};
  return kLengths[static_cast<std::size_t>(quantum)];
}

}  // namespace schedlab::sim::reference
