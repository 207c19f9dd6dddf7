#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/executor.h"
#include "core/ids.h"
#include "core/policy_spec.h"
#include "core/result.h"
#include "core/run_result.h"
#include "core/scenario.h"

namespace schedlab {

enum class RunState { kQueued, kLeased, kSucceeded, kFailed, kCancelled };

// The whole life of a run; any transition not named here is a bug or a late message.
constexpr bool CanMove(RunState from, RunState to) {
  switch (from) {
    case RunState::kQueued:
      return to == RunState::kLeased || to == RunState::kCancelled;
    case RunState::kLeased:
      return to != RunState::kLeased;
    case RunState::kSucceeded:
    case RunState::kFailed:
    case RunState::kCancelled:
      return false;
  }
  return false;
}

// "queued", "leased", "succeeded", "failed" or "cancelled".
std::string_view ToString(RunState state);

// Everything that determines what one run does. Two runs with equal specs have equal results.
struct RunSpec {
  Executor executor = Executor::kSim;
  std::string engine_version;
  PolicySpec policy;
  Scenario scenario;
  std::int64_t seed = 0;  // not negative

  friend bool operator==(const RunSpec&, const RunSpec&) = default;
};

// A run as users see it.
struct Run {
  RunId id;
  std::string policy;
  std::string revision;
  std::string variant;
  std::string topology;
  std::string workload;
  std::int32_t repetition = 0;
  std::int64_t seed = 0;
  RunState state = RunState::kQueued;
  std::int32_t attempt = 0;  // 0 = never leased
  std::optional<RunResult> result;
  std::string failure;

  friend bool operator==(const Run&, const Run&) = default;
};

}  // namespace schedlab
