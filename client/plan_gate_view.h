#pragma once

#include <string>

#include "stats/gate_plan.h"

namespace schedlab::client {

// What is asked, the runs with one look at the end, and a row for each planned look.
std::string RenderGatePlan(const stats::GateQuestion& question, const stats::GatePlan& plan);

// The same as JSON, shares as ratios.
std::string GatePlanDocument(const stats::GateQuestion& question, const stats::GatePlan& plan);

}  // namespace schedlab::client
