#pragma once

#include "client/coordinator.h"
#include "client/regression_report.h"

namespace schedlab::client {

// What the coordinator has stored about an alert, for a page of text.
Result<RegressionReport> ReadRegression(Coordinator& coordinator, const Alert& alert);

}  // namespace schedlab::client
