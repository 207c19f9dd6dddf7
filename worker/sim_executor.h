#pragma once

#include "worker/run_executor.h"

namespace schedlab::worker {

// Executes runs by simulation. A run that the simulator refuses fails for good: another attempt
// would be refused too.
class SimExecutor final : public RunExecutor {
 public:
  AttemptOutcome Execute(const RunSpec& spec, std::stop_token stop) override;
};

}  // namespace schedlab::worker
