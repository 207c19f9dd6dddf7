#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/disturbance.h"
#include "core/policy_spec.h"
#include "core/result.h"
#include "core/run_result.h"
#include "core/topology.h"
#include "sim/event_limit.h"
#include "sim/kernel.h"
#include "sim/workload.h"

namespace schedlab::sim {

// What is held fixed in a run, with a workload that is made already.
struct RunSetup {
  const Topology& topology;
  const PolicySpec& policy;
  SimDuration duration;
  std::uint64_t seed = 0;
  Observer* observer = nullptr;     // may be null
  Schedstat* schedstat = nullptr;   // filled at the end of the run; may be null
  std::string* deadlock = nullptr;  // of a run that ends in one: who waits for what; may be null
  std::int64_t event_limit = kDefaultEventLimit;
  std::vector<HotplugEvent> hotplug = {};
  std::vector<IrqSource> irq_sources = {};
};

// Executes `workload`, whatever made it. Simulate() is built on this.
Result<RunResult> Run(const RunSetup& setup, Workload& workload, std::stop_token stop);

}  // namespace schedlab::sim
