#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/disturbance.h"
#include "core/policy_spec.h"
#include "core/result.h"
#include "core/topology.h"
#include "sim/workloads/scripted.h"

namespace schedlab::scenarios {

// A scenario file: what is simulated above a line of four dashes, what comes out below it. Its
// grammar is in docs/scenarios.md.
struct ScenarioFile {
  enum class Show { kSwitches, kTotals, kResponses };

  std::string text;  // all above the dashes, as it stands
  Topology topology;
  PolicySpec policy;
  sim::SimDuration duration{0};
  std::uint64_t seed = 1;
  Show show = Show::kSwitches;
  std::vector<HotplugEvent> hotplug;
  std::vector<IrqSource> irq_sources;
  sim::Script script;
  std::string expected;
};

// Fails with the line of the first mistake. What it returns can be run.
Result<ScenarioFile> ParseScenario(const std::string& text);

// What the simulation prints. Runs it twice and fails if their digests differ.
Result<std::string> RunScenario(const ScenarioFile& scenario);

}  // namespace schedlab::scenarios
