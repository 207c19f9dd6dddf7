#include "sim/run.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/check.h"
#include "core/limits.h"
#include "sim/make_policy.h"
#include "sim/metrics.h"

namespace schedlab::sim {
namespace {

// Nobody is lost, and every nanosecond of every CPU is accounted for exactly once.
void CheckBooks(Machine& machine, const Policy& policy) {
  for (CpuNumber cpu = 0; cpu < machine.cpu_count(); ++cpu) {
    const CpuTimes& times = machine.times(cpu);
    SCHEDLAB_CHECK(times.work + times.overhead + times.irq + times.idle + times.offline ==
                   machine.now().time_since_epoch());
  }
  std::int64_t runnable_count = 0;
  for (const Task& task : machine.tasks()) {
    const bool is_runnable = task.state == TaskState::kQueued || task.state == TaskState::kRunning;
    runnable_count += is_runnable ? 1 : 0;
  }
  std::int64_t queued_count = 0;
  for (CpuNumber cpu = 0; cpu < machine.cpu_count(); ++cpu) {
    queued_count += policy.QueuedCount(cpu);
  }
  SCHEDLAB_CHECK(queued_count == runnable_count);
  SCHEDLAB_CHECK(machine.counters().wakeups >= machine.counters().wakeups_local);
  policy.CheckInvariants();
}

Schedstat ReadSchedstat(const Machine& machine, const Policy& policy) {
  Schedstat schedstat{.at = machine.now(), .tick_hz = machine.tick_hz(), .cpus = {}};
  for (CpuNumber cpu = 0; cpu < machine.cpu_count(); ++cpu) {
    Schedstat::PerCpu per_cpu{machine.cpu_counters(cpu), policy.DomainReports(cpu)};
    per_cpu.counters.run_time = machine.times(cpu).work;
    schedstat.cpus.push_back(std::move(per_cpu));
  }
  return schedstat;
}

// The first few tasks that wait for ever, and what for.
std::string DescribeWaits(const Machine& machine, const Workload& workload) {
  constexpr std::int64_t kDescribed = 4;
  std::int64_t count = 0;
  std::string text;
  for (const Task& task : machine.tasks()) {
    const bool is_kernel_thread = task.session == kNoSession;
    if (is_kernel_thread || task.state != TaskState::kBlocked || ++count > kDescribed) continue;
    const std::string wait = workload.WaitOf(task);
    text += fmt::format("{}'{}' waits{}{}", text.empty() ? "" : "; ", task.name,
                        wait.empty() ? "" : " ", wait);
  }
  if (count > kDescribed) text += fmt::format("; and {} more", count - kDescribed);
  return text;
}

Status CheckDemand(const Workload& workload) {
  const TaskDemand demand = workload.Demand();
  if (demand.count <= kMaxTasksPerRun) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("the workload has {} tasks ({}); a run takes at most {}", demand.count,
                          demand.reason, kMaxTasksPerRun));
}

}  // namespace

Result<RunResult> Run(const RunSetup& setup, Workload& workload, std::stop_token stop) {
  if (const Status valid = Validate(setup.topology); !valid) return Fail(valid.error());
  if (setup.duration <= SimDuration{0} || setup.duration.count() > kMaxSimulatedNs) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the duration of {} ns is outside of 1 to {}", setup.duration.count(),
                            kMaxSimulatedNs));
  }
  // What would happen after the end is nothing wrong here; those who take it from people refuse it.
  if (const Status valid = Validate(setup.hotplug, setup.topology, kMaxSimulatedNs + 1); !valid) {
    return Fail(valid.error());
  }
  if (const Status valid = Validate(setup.irq_sources, setup.topology); !valid) {
    return Fail(valid.error());
  }
  if (const Status small = CheckDemand(workload); !small) return Fail(small.error());
  const Topology topology = TopologyFor(setup.policy, setup.topology);
  Machine machine(topology, setup.observer);
  const Result<std::unique_ptr<Policy>> policy = MakePolicy(setup.policy, machine);
  if (!policy) return Fail(policy.error());
  Kernel kernel(topology, machine, **policy, workload, setup.seed);
  kernel.AddDisturbances(setup.hotplug, setup.irq_sources);

  const Result<RunVerdict> verdict =
      kernel.Run(SimTime(setup.duration), setup.event_limit, std::move(stop));
  if (!verdict) return Fail(verdict.error());
  CheckBooks(machine, **policy);
  if (setup.deadlock != nullptr && *verdict == RunVerdict::kDeadlock) {
    *setup.deadlock = DescribeWaits(machine, workload);
  }
  if (setup.schedstat != nullptr) *setup.schedstat = ReadSchedstat(machine, **policy);
  RunResult result{.digest = machine.digest().value(),
                   .verdict = *verdict,
                   .event_count = kernel.event_count(),
                   .simulated_ns = Ns(kernel.now()),
                   .metrics = {}};
  AddMachineMetrics(machine, result.metrics);
  (*policy)->AddMetrics(result.metrics);
  workload.AddMetrics(kernel, result.metrics);
  return result;
}

}  // namespace schedlab::sim
