#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/store/job_store.h"

namespace schedlab::testing {

// A small job that needs no catalog: revisions x topologies x repetitions of workload "fs_mark".
struct JobShape {
  std::string request_id = "request-1";
  std::string project = "linux";
  std::vector<std::string> revisions = {"aaaaaaaa"};  // ordinals count from 0
  std::vector<std::string> topologies = {"kvm-16x1"};
  std::int32_t repetitions = 1;
  std::string salt = {};
  std::string engine_version = "1";
  std::vector<std::string> judged_metrics = {"files_per_sec"};
};

// Its metrics are files_per_sec, cpu_time_per_op_ns and idle_ratio.
server::NewJob MakeJob(const JobShape& shape);

WorkerIdentity MakeWorker(const std::string& name);

// A result with every metric of MakeJob().
RunResult MakeResult(double files_per_sec);

// Reports of a lease.
AttemptReport Succeeded(const Lease& lease, double files_per_sec = 100);
AttemptReport Failed(const Lease& lease, const std::string& message);
AttemptReport FailedForNow(const Lease& lease, const std::string& message);

}  // namespace schedlab::testing
