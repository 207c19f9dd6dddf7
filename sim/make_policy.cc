#include "sim/make_policy.h"

#include <fmt/format.h>

#include "sim/linux/linux_policy.h"
#include "sim/reference/local_queues.h"
#include "sim/reference/shared_queue.h"
#include "sim/reference/switches.h"

namespace schedlab::sim {
namespace {

using reference::LocalQueues;
using reference::SharedQueue;
using PolicyResult = Result<std::unique_ptr<Policy>>;

constexpr std::string_view kOracle = "oracle";

PolicyResult MakeLinux(const PolicySpec& spec, Machine& machine) {
  const Result<fair::Switches> switches = fair::ParseSwitches(spec);
  if (!switches) return Fail(switches.error());
  return std::make_unique<linux::LinuxPolicy>(machine, *switches);
}

Status RefuseSwitches(const PolicySpec& spec) {
  const auto parsed = ParseKnownSwitches<reference::NoSwitches>(spec, {});
  return parsed ? Status{} : Fail(parsed.error());
}

PolicyResult MakeShared(const PolicySpec& spec, Machine& machine) {
  const auto switches = ParseKnownSwitches(spec, reference::RoundRobinSwitches());
  if (!switches) return Fail(switches.error());
  const bool is_oracle = ImplementationOf(spec) == kOracle;
  const SharedQueue::Rules rules{
      .order = is_oracle ? SharedQueue::Order::kLeastServed : SharedQueue::Order::kArrival,
      .quantum = LengthOf(switches->quantum),
      .seeks_speed = is_oracle};
  return std::make_unique<SharedQueue>(machine, rules);
}

PolicyResult MakeStealing(const PolicySpec& spec, Machine& machine) {
  const auto switches = ParseKnownSwitches(spec, reference::WorkStealingSwitches());
  if (!switches) return Fail(switches.error());
  return std::make_unique<LocalQueues>(
      machine, LocalQueues::Rules{.steals = true, .victim = switches->victim});
}

}  // namespace

PolicyResult MakePolicy(const PolicySpec& spec, Machine& machine) {
  const std::string& name = ImplementationOf(spec);
  if (name == "linux-fair") return MakeLinux(spec, machine);
  if (name == "round-robin" || name == kOracle) return MakeShared(spec, machine);
  if (name == "work-stealing") return MakeStealing(spec, machine);
  if (name == "global-fifo" || name == "per-cpu-fifo") {
    if (const Status none = RefuseSwitches(spec); !none) return Fail(none.error());
    if (name == "global-fifo") {
      return std::make_unique<SharedQueue>(machine, SharedQueue::Rules{});
    }
    return std::make_unique<LocalQueues>(machine, LocalQueues::Rules{});
  }
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("there is no policy '{}'; the simulator has linux-fair, global-fifo, "
                          "per-cpu-fifo, round-robin, work-stealing and oracle",
                          name));
}

Topology TopologyFor(const PolicySpec& spec, const Topology& topology) {
  Topology used = topology;
  if (ImplementationOf(spec) != kOracle) return used;
  used.costs = {.smt_slowdown_permille = topology.costs.smt_slowdown_permille};
  used.housekeeping_period_ns = 0;
  return used;
}

}  // namespace schedlab::sim
