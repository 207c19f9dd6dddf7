#include "worker/sim_executor.h"

#include <cstdint>
#include <utility>

#include "ingest/documents.h"
#include "sim/simulate.h"

namespace schedlab::worker {

AttemptOutcome SimExecutor::Execute(const RunSpec& spec, std::stop_token stop) {
  const Result<ingest::ParsedDocument> parsed = ingest::ParseDocument(spec.scenario.workload);
  if (!parsed) return AttemptFailure{.message = parsed.error().message, .is_retryable = false};
  Result<RunResult> result =
      sim::Simulate(spec.scenario, spec.policy, static_cast<std::uint64_t>(spec.seed),
                    std::move(stop), {}, parsed->document);
  if (result) return *std::move(result);
  Error& error = result.error();
  return AttemptFailure{.message = std::move(error.message),
                        .is_retryable = error.code == ErrorCode::kCancelled};
}

}  // namespace schedlab::worker
