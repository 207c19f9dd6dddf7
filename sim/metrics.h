#pragma once

#include <map>
#include <string>

#include "sim/machine.h"

namespace schedlab::sim {

// What every run measures, whatever its policy and workload; what it could not measure is left out.
void AddMachineMetrics(const Machine& machine, std::map<std::string, double>& metrics);

}  // namespace schedlab::sim
