#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/policy_spec.h"
#include "core/result.h"
#include "core/run_result.h"
#include "core/scenario.h"
#include "core/workload_document.h"
#include "sim/counters.h"
#include "sim/event_limit.h"
#include "sim/observer.h"
#include "sim/script_thread_report.h"

namespace schedlab::sim {

// What else is wanted of a run than its result; each may be null. Nothing of it changes the run,
// but that one with more events than the limit fails.
struct Watch {
  Observer* observer = nullptr;
  Schedstat* schedstat = nullptr;  // filled at the end of the run
  // Likewise, where the workload executes a script.
  std::vector<ScriptThreadReport>* script_threads = nullptr;
  std::int64_t event_limit = kDefaultEventLimit;
};

// Executes one run; `document` is that of the scenario's workload, parsed. A pure function of
// (scenario, policy, seed): the same result on every machine,
// compiler and build type. kInvalidArgument names what the simulator does not know or accept,
// kCancelled follows a stop request within a few thousand events; a run that dead-locks fails with
// kInvalidArgument where the workload has a document and with kFailedPrecondition elsewhere, one of
// too many events with kResourceExhausted.
Result<RunResult> Simulate(const Scenario& scenario, const PolicySpec& policy, std::uint64_t seed,
                           std::stop_token stop, const Watch& watch = {},
                           const WorkloadDocument& document = {});

}  // namespace schedlab::sim
