#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "server/store/job_store.h"
#include "tests/cluster/dice.h"

namespace schedlab::testing {

// What a cluster must never do, collected where it happens.
using Violations = std::vector<std::string>;

// The store as a coordinator sees it: it may be away, before a call or after its commit, and every
// lease and receipt that passes is checked against those before.
class WatchedJobStore final : public server::JobStore {
 public:
  // Told of the store's decisions: "lease of run 1 attempt 1 expired".
  using Narrator = std::function<void(const std::string& text)>;

  WatchedJobStore(server::JobStore& inner, Dice& dice, Violations& violations, Narrator narrate);

  // The probability that a call fails, half of the time after its commit.
  void set_failure_probability(double probability) { failure_probability_ = probability; }

  Result<server::CreatedJob> CreateJob(const server::NewJob& job) override;
  Result<Job> GetJob(JobId id) override;
  Result<std::vector<Job>> GetJobs(std::span<const JobId> ids) override;
  Result<server::Page<Job>> ListJobs(const std::string& project,
                                     const server::PageRequest& page) override;
  Result<server::Page<Run>> ListRuns(JobId id, const server::PageRequest& page) override;
  Result<Job> CancelJob(JobId id) override;
  Result<server::LeaseReconciliation> Reconcile(const server::WorkerStatus& status) override;
  Result<server::AcquiredLeases> AcquireLeases(const WorkerIdentity& worker,
                                               std::int32_t count) override;
  Result<std::vector<ReportDisposition>> CompleteAttempts(
      const std::string& worker_name, std::span<const AttemptReport> reports) override;
  Result<std::int64_t> CountQueued(const WorkerIdentity& worker, std::int64_t limit) override;
  Result<server::SweepOutcome> ExpireLeases() override;
  Result<server::QueueSnapshot> ReadQueue() override;
  Result<std::vector<Worker>> ListWorkers() override;

 private:
  struct Holder {
    AttemptRef attempt;
    std::string worker_name;
    std::string incarnation;
  };

  // Makes the call, unless the store is away; then perhaps loses its answer.
  template <class T>
  Result<T> Pass(const std::function<Result<T>()>& call);
  void SeeAcquired(const WorkerIdentity& worker, const Lease& lease);
  void SeeRedelivered(const WorkerIdentity& worker, const Lease& lease);
  void SeeReceipt(const AttemptReport& report, ReportDisposition disposition);

  server::JobStore& inner_;
  Dice& dice_;
  Violations& violations_;
  const Narrator narrate_;
  double failure_probability_ = 0;
  std::map<RunId, Holder> latest_;      // the last attempt acquired at each run
  std::map<RunId, AttemptRef> ranked_;  // whose report ended the run
  std::map<AttemptRef, ReportDisposition> dispositions_;
};

}  // namespace schedlab::testing
