#pragma once

#include <string>
#include <vector>

#include "core/policy_spec.h"
#include "core/result.h"
#include "core/topology.h"
#include "sim/workloads/scripted.h"

namespace schedlab::scenarios {

// A scenario file: what is simulated above a line of four dashes, what comes out below it.
//
//   topology cpus=2                     or shape="package:2 core:2"; costs are 0
//   housekeeping 4s                     default: none
//   policy linux-fair election=inverted
//   duration 50ms
//   show totals                         instead of each switch: the CPU time of each task
//   task a nice=-3 cpus=0,1 start=0 arrive=1ms repeat=3 : run 5ms, sleep 10ms, wake b, block
//
// `repeat` is 1 by default and may be `forever`; without `start` a task is placed as CPU 0's child.
struct ScenarioFile {
  std::string text;  // all above the dashes, as it stands
  Topology topology;
  PolicySpec policy;
  sim::SimDuration duration{0};
  bool shows_totals = false;
  std::vector<sim::ScriptedTask> tasks;
  std::string expected;
};

// Fails with the line of the first mistake.
Result<ScenarioFile> ParseScenario(const std::string& text);

// What the simulation prints. Runs it twice and fails if their digests differ.
Result<std::string> RunScenario(const ScenarioFile& scenario);

}  // namespace schedlab::scenarios
