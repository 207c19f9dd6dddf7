#include "measure/place.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace schedlab::measure {
namespace {

int NumberOf(FairPolicy policy) {
  switch (policy) {
    case FairPolicy::kNormal:
      return SCHED_OTHER;
    case FairPolicy::kBatch:
      return SCHED_BATCH;
    case FairPolicy::kIdle:
      return SCHED_IDLE;
  }
  return SCHED_OTHER;
}

}  // namespace

std::vector<std::int32_t> AllowedCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<std::int32_t> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (std::int32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

Status BindThread(pid_t thread, std::int32_t cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(thread, sizeof set, &set) == 0) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("this process may not run on CPU {}: {}", cpu, std::strerror(errno)));
}

Status BindThisThread(std::int32_t cpu) { return BindThread(0, cpu); }

void AllowThisThread(const std::vector<std::int32_t>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const std::int32_t cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  sched_setaffinity(0, sizeof set, &set);
}

Status SetThisPolicy(FairPolicy policy) {
  const sched_param parameters{};
  if (sched_setscheduler(0, NumberOf(policy), &parameters) == 0) return {};
  return Fail(ErrorCode::kPermissionDenied,
              fmt::format("this thread may not change its policy: {}", std::strerror(errno)));
}

pid_t ThisThread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

}  // namespace schedlab::measure
