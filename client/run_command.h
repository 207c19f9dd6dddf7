#pragma once

#include <string>
#include <string_view>

#include "core/job.h"
#include "core/run.h"

namespace schedlab::client {

// The workload of `spec` that `run` is of, told by its scenario's digest where several have one
// name; nullptr where it cannot be told. Points into `spec`.
const WorkloadSelection* SelectionOf(const Run& run, const JobSpec& spec,
                                     std::string_view scenario_digest);

// The command that repeats `run` of a job with `spec` on this machine:
// "schedlab sim run --topology kvm-16x1 --workload fs_mark --policy linux-fair@v3.11 --seed 7".
// `scenario_digest` is the run's: it tells which of several workloads of one name was run. Empty
// where none of them was.
std::string ReproduceCommand(const Run& run, const JobSpec& spec, std::string_view scenario_digest);

}  // namespace schedlab::client
