#pragma once

#include <string>

#include "core/job.h"
#include "core/run.h"

namespace schedlab::client {

// The command that repeats `run` of a job with `spec` on this machine:
// "schedlab sim run --topology kvm-16x1 --workload fs_mark --policy linux-fair@v3.11 --seed 7".
std::string ReproduceCommand(const Run& run, const JobSpec& spec);

}  // namespace schedlab::client
