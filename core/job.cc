#include "core/job.h"

#include "core/run.h"

namespace schedlab {

std::string_view ToString(RunState state) {
  switch (state) {
    case RunState::kQueued:
      return "queued";
    case RunState::kLeased:
      return "leased";
    case RunState::kSucceeded:
      return "succeeded";
    case RunState::kFailed:
      return "failed";
    case RunState::kCancelled:
      return "cancelled";
  }
  return "";
}

std::string_view ToString(JobState state) {
  switch (state) {
    case JobState::kRunning:
      return "running";
    case JobState::kSucceeded:
      return "succeeded";
    case JobState::kFailed:
      return "failed";
    case JobState::kCancelled:
      return "cancelled";
  }
  return "";
}

JobState StateFromRuns(const RunCounts& counts) {
  if (counts.queued + counts.leased > 0) return JobState::kRunning;
  return counts.failed + counts.cancelled > 0 ? JobState::kFailed : JobState::kSucceeded;
}

}  // namespace schedlab
