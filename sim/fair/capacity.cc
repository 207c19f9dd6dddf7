#include "sim/fair/capacity.h"

#include <algorithm>

namespace schedlab::sim::fair {

// update_group_power() of Linux 2.6.32 to 3.16, update_group_capacity() from then on: the lowest
// level measures its own CPU, the others add up what the CPUs of the group were last measured at.
void UpdatePower(State& state, const Pass& pass) {
  // 2.6.31 did not look at what real-time tasks take.
  if (state.switches.group_capacity == GroupCapacity::kOneWhereShared) return;
  if (state.machine.times(pass.cpu).irq > SimDuration{0}) state.higher.NoteInterrupts();
  if (!state.higher.has_taken_any()) return;
  Domain& domain = DomainOf(state, pass);
  Group& group = *domain.groups.front();
  const std::int64_t tick = state.machine.tick_count();
  if (pass.idle == IdleType::kNewlyIdle && tick < group.next_power_tick) return;
  group.next_power_tick = tick + std::max<std::int64_t>(1, state.TicksFromMs(domain.interval_ms));
  if (pass.level == 0) {
    const std::int64_t full = state.domains.FullPowerOf(pass.cpu);
    state.domains.SetPower(pass.cpu, state.higher.CapacityLeft(pass.cpu, full));
  }
  group.power = 0;
  for (const CpuNumber cpu : group.cpus) group.power += state.domains.PowerOf(cpu);
}

}  // namespace schedlab::sim::fair
