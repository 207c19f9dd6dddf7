#include "core/worker.h"

#include <fmt/format.h>

namespace schedlab {

std::string_view ToString(WorkerState state) {
  switch (state) {
    case WorkerState::kActive:
      return "active";
    case WorkerState::kDraining:
      return "draining";
    case WorkerState::kLost:
      return "lost";
  }
  return "";
}

Error SupersededError(std::string_view worker_name) {
  return {ErrorCode::kAborted,
          fmt::format("a newer process took over the worker name '{}': choose another --name",
                      worker_name)};
}

}  // namespace schedlab
