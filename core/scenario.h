#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/disturbance.h"
#include "core/topology.h"

namespace schedlab {

// What tasks arrive and what they do: the name of a generator and its parameters, whose names end
// in their unit (`_ns`, `_count`, `_permille`). A parameter left out has its catalog default.
struct WorkloadSpec {
  std::string name;
  std::map<std::string, std::int64_t> parameters;
  // The text that a generator which takes one executes, such as an rt-app file; its format follows
  // from the name (WorkloadDefinition::document_format). In a job, at
  // most kMaxDocumentBytes.
  std::string document{};

  friend bool operator==(const WorkloadSpec&, const WorkloadSpec&) = default;
};

// What is held fixed when policies are compared.
struct Scenario {
  Topology topology;
  WorkloadSpec workload;
  // Simulated time after which the run ends; workloads of a fixed amount of work may end before.
  std::int64_t duration_ns = 0;
  std::vector<HotplugEvent> hotplug = {};  // in order of time
  std::vector<IrqSource> irq_sources = {};

  friend bool operator==(const Scenario&, const Scenario&) = default;
};

}  // namespace schedlab
