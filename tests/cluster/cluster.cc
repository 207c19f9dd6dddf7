#include "tests/cluster/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/limits.h"

namespace schedlab::testing {
namespace {

constexpr int kMaxSubmits = 1000;

bool HasEnded(const Run& run) {
  return run.state != RunState::kQueued && run.state != RunState::kLeased;
}

}  // namespace

Cluster::Cluster(std::uint64_t seed, Workbook workbook)
    : timeline_(clock_),
      dice_(seed),
      workbook_(std::move(workbook)),
      inner_store_(clock_),
      store_(inner_store_, dice_, violations_, [this](const std::string& text) { Narrate(text); }),
      coordinator_(store_, timeline_, dice_),
      network_(timeline_, dice_, coordinator_) {}

ClusterWorker& Cluster::AddWorker(const std::string& name, std::int32_t slot_count) {
  WorkerIdentity identity = MakeWorker(name);
  identity.slot_count = slot_count;
  workers_.push_back(std::make_unique<ClusterWorker>(
      ClusterWorkerOptions{.identity = identity, .seed = dice_.Number()},
      ClusterParts{.timeline = timeline_,
                   .network = network_,
                   .workbook = workbook_,
                   .violations = violations_,
                   .started = started_,
                   .narrate = [this](const std::string& text) { Narrate(text); }}));
  workers_.back()->Start();
  return *workers_.back();
}

JobId Cluster::Submit(const JobShape& shape) {
  const server::NewJob job = MakeJob(shape);
  for (int i = 0; i < kMaxSubmits; ++i) {
    const Result<server::CreatedJob> created = store_.CreateJob(job);
    if (!created) continue;
    if (std::find(jobs_.begin(), jobs_.end(), created->job.id) == jobs_.end()) {
      jobs_.push_back(created->job.id);
    }
    return created->job.id;
  }
  SCHEDLAB_CHECK(false);
}

void Cluster::Cancel(JobId job) {
  Narrate(fmt::format("user: cancels job {}", job.value));
  for (int i = 0; i < kMaxSubmits; ++i) {
    if (store_.CancelJob(job)) return;
  }
}

ClusterWorker* Cluster::FindWorker(const std::string& name) {
  for (const auto& worker : workers_) {
    if (worker->name() == name) return worker.get();
  }
  return nullptr;
}

std::vector<Run> Cluster::RunsOf(JobId job) {
  Result<server::Page<Run>> page = inner_store_.ListRuns(job, {.size = kMaxPageSize, .token = {}});
  SCHEDLAB_CHECK(page.has_value());
  return std::move(page->items);
}

bool Cluster::IsAtRest() {
  for (const JobId id : jobs_) {
    if (inner_store_.GetJob(id)->state == JobState::kRunning) return false;
  }
  return std::all_of(workers_.begin(), workers_.end(),
                     [](const auto& worker) { return worker->held_count() == 0; });
}

void Cluster::CheckRuns() {
  std::int64_t leased_count = 0;
  std::set<RunId> seen;
  for (const JobId job : jobs_) {
    for (const Run& run : RunsOf(job)) {
      if (!seen.insert(run.id).second) continue;
      leased_count += run.state == RunState::kLeased ? 1 : 0;
      if (run.result.has_value() != (run.state == RunState::kSucceeded)) {
        violations_.push_back(fmt::format("run {} is {} {} a result", run.id.value,
                                          ToString(run.state), run.result ? "with" : "without"));
      }
      const auto before = ended_.find(run.id);
      if (before != ended_.end() && !(before->second == run)) {
        violations_.push_back(fmt::format("run {} changed after it had ended", run.id.value));
      }
      if (HasEnded(run)) ended_.emplace(run.id, run);
    }
  }
  if (inner_store_.ReadQueue()->leased_count != leased_count) {
    violations_.emplace_back("a run is leased that belongs to no job");
  }
}

void Cluster::Narrate(const std::string& text) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(timeline_.now());
  story_.push_back(fmt::format("{}ms {}", ms.count(), text));
}

}  // namespace schedlab::testing
