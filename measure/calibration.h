#pragma once

#include <functional>
#include <string_view>

#include "core/result.h"
#include "measure/effort.h"
#include "measure/measurements.h"
#include "measure/sys_topology.h"

namespace schedlab::measure {

// Called before each measurement with what it is.
using ProgressFunction = std::function<void(std::string_view what)>;

// Measures this machine with those CPUs of `machine` that this process may run on. Takes all of two
// CPUs, and gives no useful numbers where they have other work. What needs two CPUs is left out
// where there is one.
Result<Measurements> Calibrate(const SysTopology& machine, const Effort& effort,
                               const ProgressFunction& progress);

}  // namespace schedlab::measure
