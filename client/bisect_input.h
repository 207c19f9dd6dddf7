#pragma once

#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "core/bisection.h"
#include "core/result.h"

namespace schedlab::client {

// What the options of `bisect start` ask. With --from-alert, the alert's strongest regressed cell
// gives every parameter that no option gives, the ends of the commit interval included.
Result<BisectionQuestion> ReadBisection(Coordinator& coordinator,
                                        const BisectStartOptions& options);

}  // namespace schedlab::client
