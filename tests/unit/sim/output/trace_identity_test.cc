// What a trace, the counters of /proc/schedstat and the metrics tell of one run has to be the same.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "sim/output/task_latency.h"
#include "sim/output/timehist.h"
#include "sim/run.h"
#include "sim/workloads/scripted.h"
#include "tests/support/topologies.h"
#include "tests/unit/sim/output/traces.h"

namespace schedlab::sim {
namespace {

class TraceIdentityTest : public ::testing::TestWithParam<const char*> {
 protected:
  static TracedRun Run(Costs costs) {
    return RunTraced(ShortHackbench(GetParam(), costs), ShippedPolicy("linux-fair@v3.11"), 1);
  }
};

std::int64_t CountOf(const SimTrace& trace, TraceEvent event) {
  std::int64_t count = 0;
  trace.ForEach([&](const TraceRecord& record) { count += record.event == event ? 1 : 0; });
  return count;
}

std::int64_t CountOf(const RunResult& result, const std::string& rate) {
  return std::llround(result.metrics.at(rate) * static_cast<double>(result.simulated_ns) / 1e9);
}

template <class Value>
auto Total(const Schedstat& schedstat, Value CpuCounters::*counter) {
  Value total{};
  for (const Schedstat::PerCpu& cpu : schedstat.cpus) total += cpu.counters.*counter;
  return total;
}

SimDuration Runtime(const SimTrace& trace) {
  SimDuration total{0};
  for (const TaskLatency& row : MeasureLatency(trace, LatencyRows::kByTask)) total += row.runtime;
  return total;
}

// Until the end of the trace, so that a CPU's stretches add up to it.
SimDuration IdleTime(const SimTrace& trace) {
  std::map<CpuNumber, SimTime> idle_since;
  for (CpuNumber cpu = 0; cpu < trace.cpu_count(); ++cpu) idle_since[cpu] = SimTime();
  SimDuration total{0};
  trace.ForEach([&](const TraceRecord& record) {
    if (record.event != TraceEvent::kSwitch) return;
    if (record.task == kIdleTask) total += record.at - idle_since.extract(record.cpu).mapped();
    if (record.other == kIdleTask) idle_since[record.cpu] = record.at;
  });
  for (const auto& since : idle_since) total += trace.end() - since.second;
  return total;
}

TEST_P(TraceIdentityTest, SwitchesOfTheTraceAreTheContextSwitches) {
  const TracedRun run = Run(Costs::kReal);

  const std::int64_t switches = CountOf(run.trace, TraceEvent::kSwitch);

  EXPECT_GT(switches, 1'000);
  EXPECT_EQ(switches, CountOf(run.result, "context_switches_per_sec"));
  EXPECT_EQ(switches, Total(run.schedstat, &CpuCounters::timeslices) +
                          Total(run.schedstat, &CpuCounters::idle_picks));
}

TEST_P(TraceIdentityTest, WakeupsOfTheTraceAreTheWakeupsOfTheCpus) {
  const TracedRun run = Run(Costs::kReal);

  const std::int64_t wakeups = CountOf(run.trace, TraceEvent::kWake);

  EXPECT_GT(wakeups, 100);
  EXPECT_EQ(wakeups, CountOf(run.result, "wakeups_per_sec"));
  EXPECT_EQ(wakeups, Total(run.schedstat, &CpuCounters::wakeups));
}

TEST_P(TraceIdentityTest, EveryTaskIsSwitchedInAsOftenAsItsStretchesTell) {
  const TracedRun run = Run(Costs::kReal);

  std::int64_t rows = 0;
  for (const TaskLatency& row : MeasureLatency(run.trace, LatencyRows::kByTask)) {
    rows += row.switch_count;
  }
  std::int64_t stretches = 0;
  const TimehistSummary summary = SummarizeStretches(run.trace);
  for (const StretchSummary& task : summary.tasks) stretches += task.count;
  for (const StretchSummary& idle : summary.idle) stretches += idle.count;

  EXPECT_EQ(rows, Total(run.schedstat, &CpuCounters::timeslices));
  EXPECT_EQ(stretches, CountOf(run.trace, TraceEvent::kSwitch));
}

TEST_P(TraceIdentityTest, DelaysOfTheTraceAreTheRunDelay) {
  const TracedRun run = Run(Costs::kReal);

  SimDuration delay{0};
  for (const TaskLatency& row : MeasureLatency(run.trace, LatencyRows::kByTask)) {
    delay += row.total_delay;
  }

  EXPECT_GT(delay, SimDuration{0});
  EXPECT_EQ(delay, Total(run.schedstat, &CpuCounters::run_delay));
  EXPECT_DOUBLE_EQ(static_cast<double>(Ns(delay)) / 1e9, run.result.metrics.at("run_delay_sec"));
}

TEST_P(TraceIdentityTest, RuntimeAndIdleTimeOfTheTraceAddUpToTheTimeOfAllCpus) {
  const TracedRun run = Run(Costs::kReal);

  const SimDuration all = run.trace.end().time_since_epoch() * run.trace.cpu_count();

  EXPECT_EQ(Runtime(run.trace) + IdleTime(run.trace), all);
}

// A kernel that costs nothing leaves only work and idleness.
TEST_P(TraceIdentityTest, WithoutCostsTheRuntimeOfTheTraceIsTheWork) {
  const TracedRun run = Run(Costs::kNone);

  EXPECT_EQ(Runtime(run.trace), Total(run.schedstat, &CpuCounters::run_time));
  EXPECT_DOUBLE_EQ(run.result.metrics.at("idle_ratio"),
                   static_cast<double>(Ns(IdleTime(run.trace))) /
                       static_cast<double>(run.result.simulated_ns * run.trace.cpu_count()));
}

// What the kernel does on a CPU that executes nothing is overhead, but no task's runtime.
TEST_P(TraceIdentityTest, WithCostsTheRuntimeOfTheTraceIsTheWorkAndOverheadOfTasks) {
  const TracedRun run = Run(Costs::kReal);

  const SimDuration all = run.trace.end().time_since_epoch() * run.trace.cpu_count();
  const auto busy = SimDuration(
      std::llround((1 - run.result.metrics.at("idle_ratio")) * static_cast<double>(Ns(all))));

  EXPECT_GT(Runtime(run.trace), Total(run.schedstat, &CpuCounters::run_time));
  EXPECT_LE(Runtime(run.trace), busy);
}

ScriptedTask Repeated(const std::string& name, std::vector<ScriptStep> steps) {
  ScriptedTask task;
  task.name = name;
  task.steps = std::move(steps);
  task.repeat_count = 20;
  return task;
}

TEST(TraceOfAScriptTest, TheRuntimeOfEachTaskIsItsWork) {
  using Kind = ScriptStep::Kind;
  const SimDuration ms{1'000'000};
  Scripted workload({
      Repeated("runner", {{Kind::kRun, 7 * ms, 0}}),
      Repeated("sleeper", {{Kind::kRun, 2 * ms, 0}, {Kind::kSleep, 3 * ms, 0}}),
      Repeated("waker", {{Kind::kRun, 1 * ms, 0}, {Kind::kWake, SimDuration{0}, 3}}),
      Repeated("woken", {{Kind::kRun, 1 * ms, 0}, {Kind::kBlock, SimDuration{0}, 0}}),
  });
  const Topology topology = testing::FreeTopology("core:2 pu:1");
  SimTrace trace(2);
  TraceRecorder recorder(trace);
  const RunResult result = sim::Run({.topology = topology,
                                     .policy = ShippedPolicy("linux-fair@v3.11"),
                                     .duration = 100 * ms,
                                     .seed = 1,
                                     .observer = &recorder},
                                    workload, {})
                               .value();
  trace.Close(SimTime(SimDuration(result.simulated_ns)));

  std::map<std::string, SimDuration> runtimes;
  for (const TaskLatency& row : MeasureLatency(trace, LatencyRows::kByName)) {
    runtimes[row.name] = row.runtime;
  }

  EXPECT_EQ(runtimes.at("runner"), workload.WorkDone()[0]);
  EXPECT_EQ(runtimes.at("sleeper"), workload.WorkDone()[1]);
  EXPECT_EQ(runtimes.at("waker"), workload.WorkDone()[2]);
  EXPECT_EQ(runtimes.at("woken"), workload.WorkDone()[3]);
}

INSTANTIATE_TEST_SUITE_P(Guests, TraceIdentityTest,
                         ::testing::Values("kvm-16x1", "kvm-1x16", "kvm-4x4"));

}  // namespace
}  // namespace schedlab::sim
