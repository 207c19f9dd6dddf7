#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace schedlab {

// How a run came to its end.
enum class RunVerdict : std::uint8_t {
  kCompleted,   // the workload has done its work
  kTimeLimit,   // its duration is over
  kDeadlock,    // every task that is left waits for ever
  kEventLimit,  // too many events, or time does not advance
};

// What one run measured. A metric that the run could not measure is absent, never 0.
struct RunResult {
  std::uint64_t digest = 0;  // of everything the run did, in order
  RunVerdict verdict = RunVerdict::kCompleted;
  // Events that changed the state of the scheduler or of a task: a tick that did not is none.
  std::int64_t event_count = 0;
  std::int64_t simulated_ns = 0;
  std::map<std::string, double> metrics;  // by the names of catalog/metrics.toml, in its units

  friend bool operator==(const RunResult&, const RunResult&) = default;
};

}  // namespace schedlab
