#pragma once

#include <stop_token>
#include <variant>

#include "core/lease.h"
#include "core/run.h"
#include "core/run_result.h"

namespace schedlab::worker {

using AttemptOutcome = std::variant<RunResult, AttemptFailure>;

// Executes one attempt. Returns soon after `stop` is requested; the outcome is then discarded.
// Thread-safe: every slot calls the same one.
class RunExecutor {
 public:
  virtual ~RunExecutor() = default;
  virtual AttemptOutcome Execute(const RunSpec& spec, std::stop_token stop) = 0;
};

}  // namespace schedlab::worker
