#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/cluster/cluster_coordinator.h"
#include "tests/cluster/cluster_worker.h"
#include "tests/cluster/dice.h"
#include "tests/cluster/loopback.h"
#include "tests/cluster/timeline.h"
#include "tests/cluster/watched_job_store.h"
#include "tests/support/builders.h"
#include "tests/support/fake_clock.h"
#include "tests/support/in_memory_job_store.h"

namespace schedlab::testing {

// A store, a coordinator and workers on one timeline, joined by a loopback network: the rules of
// the real ones, in one thread, as a function of a seed.
class Cluster {
 public:
  Cluster(std::uint64_t seed, Workbook workbook);

  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  ClusterWorker& AddWorker(const std::string& name, std::int32_t slot_count);
  // Stores a job; repeats the request where the store's answer is lost.
  JobId Submit(const JobShape& shape);
  void Cancel(JobId job);

  Timeline& timeline() { return timeline_; }
  Dice& dice() { return dice_; }
  WatchedJobStore& store() { return store_; }
  Loopback& network() { return network_; }
  ClusterCoordinator& coordinator() { return coordinator_; }
  std::vector<std::unique_ptr<ClusterWorker>>& workers() { return workers_; }
  ClusterWorker* FindWorker(const std::string& name);

  std::vector<Run> RunsOf(JobId job);
  // Every job has ended and no worker holds anything.
  bool IsAtRest();
  // Notes what the store must never show: an ended run that changes, a lease without a live run.
  void CheckRuns();

  Violations& violations() { return violations_; }
  const std::vector<std::string>& story() const { return story_; }

 private:
  void Narrate(const std::string& text);

  FakeClock clock_;
  Timeline timeline_;
  Dice dice_;
  const Workbook workbook_;
  Violations violations_;
  std::vector<std::string> story_;
  InMemoryJobStore inner_store_;
  WatchedJobStore store_;
  ClusterCoordinator coordinator_;
  Loopback network_;
  std::set<AttemptRef> started_;
  std::vector<std::unique_ptr<ClusterWorker>> workers_;
  std::vector<JobId> jobs_;
  std::map<RunId, Run> ended_;
};

}  // namespace schedlab::testing
