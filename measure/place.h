#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "core/result.h"

namespace schedlab::measure {

// The fair policies: a batch task preempts nobody when it wakes, an idle one is preempted by all.
enum class FairPolicy : std::uint8_t { kNormal, kBatch, kIdle };

// The CPUs that this process may run on, ascending.
std::vector<std::int32_t> AllowedCpus();

// Binds a thread to one CPU; 0 = the calling one. kInvalidArgument names the CPU.
Status BindThread(pid_t thread, std::int32_t cpu);
Status BindThisThread(std::int32_t cpu);

// Lets the calling thread run on `cpus`, as far as it may.
void AllowThisThread(const std::vector<std::int32_t>& cpus);

Status SetThisPolicy(FairPolicy policy);

// The kernel's number of the calling thread.
pid_t ThisThread();

}  // namespace schedlab::measure
