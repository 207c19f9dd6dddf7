#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/disturbance.h"
#include "core/executor.h"
#include "core/ids.h"

namespace schedlab {

// Whether the runs of different revisions have noise of their own, or share it repetition by
// repetition (common random numbers) and are judged as pairs.
enum class SeedMode { kIndependent, kPaired };

struct PolicySelection {
  std::string policy;
  std::string revisions;  // "v3.12", "23f0d2093c78~", "v3.11..v3.13"; see ResolveRevisions()
  std::map<std::string, std::string> switches;

  friend bool operator==(const PolicySelection&, const PolicySelection&) = default;
};

struct WorkloadSelection {
  std::string workload;
  std::map<std::string, std::int64_t> parameters;
  std::int64_t duration_ns = 0;  // 0 = the workload's default
  std::string document{};        // WorkloadSpec::document
  std::vector<HotplugEvent> hotplug{};
  std::vector<IrqSource> irq_sources{};

  friend bool operator==(const WorkloadSelection&, const WorkloadSelection&) = default;
};

// What a user submits: (policies and yardsticks) x (topologies x workloads) x repetitions.
struct JobSpec {
  std::string project;
  std::string suite;
  Executor executor = Executor::kSim;
  std::vector<PolicySelection> policies;
  std::vector<std::string> topologies;
  std::vector<WorkloadSelection> workloads;
  std::int32_t repetitions = 0;
  SeedMode seed_mode = SeedMode::kIndependent;
  std::string salt;
  std::vector<std::string> metrics;  // headline metrics to judge; empty = those of each workload
  // Policies without a history, of any project, that run in every scenario too, never judged: what
  // comparisons show beside the policies, such as the oracle.
  std::vector<std::string> yardsticks = {};

  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

enum class JobState { kRunning, kSucceeded, kFailed, kCancelled };

// "running", "succeeded", "failed" or "cancelled".
std::string_view ToString(JobState state);

struct RunCounts {
  std::int64_t queued = 0;
  std::int64_t leased = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;

  std::int64_t total() const { return queued + leased + succeeded + failed + cancelled; }

  friend bool operator==(const RunCounts&, const RunCounts&) = default;
};

// The state of a job that is not cancelled, from where its runs stand.
JobState StateFromRuns(const RunCounts& counts);

struct Job {
  JobId id;
  JobSpec spec;
  JobState state = JobState::kRunning;
  RunCounts run_counts;
  std::int64_t cached_run_count = 0;
  WallTime created_at;
  std::optional<WallTime> finished_at;
  bool is_analyzed = false;
  std::string first_failure;
  std::string analysis_failure;  // why an analysed job could not be analysed

  friend bool operator==(const Job&, const Job&) = default;
};

}  // namespace schedlab
