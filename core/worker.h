#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/executor.h"
#include "core/result.h"

namespace schedlab {

enum class WorkerState { kActive, kDraining, kLost };

// "active", "draining" or "lost".
std::string_view ToString(WorkerState state);

// What a worker says of itself with every call.
struct WorkerIdentity {
  std::string name;         // unique in the fleet, stable over restarts
  std::string incarnation;  // new with every process
  std::string build_version;
  std::vector<Executor> executors;
  std::string engine_version;
  std::int32_t slot_count = 0;
  bool is_draining = false;

  friend bool operator==(const WorkerIdentity&, const WorkerIdentity&) = default;
};

// Why a process is refused whose name a newer process has taken over: kAborted, which nothing else
// answers to a worker.
Error SupersededError(std::string_view worker_name);

// A worker as users see it.
struct Worker {
  WorkerIdentity identity;
  WorkerState state = WorkerState::kActive;
  std::int32_t leased_count = 0;
  WallTime last_seen_at;

  friend bool operator==(const Worker&, const Worker&) = default;
};

}  // namespace schedlab
