#include "sim/fair/state.h"

namespace schedlab::sim::fair {
namespace {

bool ReadsAverages(const Switches& switches) {
  return switches.load_view == LoadView::kPeltAll ||
         switches.wake_idle_search == WakeIdleSearch::kSisUtil ||
         switches.idlest_group_rule != IdlestGroupRule::kAverageLoad ||
         switches.group_capacity == GroupCapacity::kUtilization ||
         switches.asym_capacity == AsymCapacity::kMisfit ||
         switches.classification >= Classification::kGroupTypes;
}

}  // namespace

State::State(Machine& the_machine, const Switches& the_switches)
    : machine(the_machine),
      switches(the_switches),
      tunables(MakeTunables(the_switches, the_machine.cpu_count())),
      tracks_averages(ReadsAverages(the_switches)),
      domains(the_machine, the_switches),
      queues(static_cast<std::size_t>(the_machine.cpu_count())),
      task_counts(queues.size()),
      higher(the_machine, the_switches.capacity_model),
      tickless(the_machine.cpu_count()),
      balance(the_machine.cpu_count()) {
  for (std::size_t i = 0; i < queues.size(); ++i) {
    queues[i].root.cpu = static_cast<CpuNumber>(i);
    queues[i].max_newidle_cost = tunables.migration_cost;
    const bool starts_busy = switches.newidle_gate == NewidleGate::kAvgIdleFromZero;
    queues[i].average_idle = starts_busy ? SimDuration{0} : 2 * tunables.migration_cost;
  }
}

}  // namespace schedlab::sim::fair
