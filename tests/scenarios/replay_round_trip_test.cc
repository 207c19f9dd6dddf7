// A simulated run, written as ftrace would, imported and replayed where it came from.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "ingest/sched_trace.h"
#include "sim/make_workload.h"
#include "sim/output/ftrace_text.h"
#include "sim/output/trace_recorder.h"
#include "sim/run.h"
#include "sim/workloads/replay.h"
#include "sim/workloads/scripted.h"
#include "tests/support/topologies.h"
#include "tests/unit/sim/runs.h"

namespace schedlab {
namespace {

constexpr sim::SimDuration kLongEnough{60'000'000'000};

// What a run was and what a tracing tool would show of it.
struct Recorded {
  RunResult result;
  std::string text;
};

Recorded Record(const Topology& topology, const PolicySpec& policy, sim::Workload& workload) {
  Recorded recorded;
  sim::SimTrace trace(static_cast<std::int32_t>(topology.cpus.size()), 10'000'000);
  sim::TraceRecorder recorder(trace);
  recorded.result = sim::Run({.topology = topology,
                              .policy = policy,
                              .duration = kLongEnough,
                              .seed = 1,
                              .observer = &recorder},
                             workload, {})
                        .value();
  trace.Close(sim::SimTime(sim::SimDuration(recorded.result.simulated_ns)));
  EXPECT_EQ(trace.dropped_count(), 0);
  sim::WriteFtraceText(trace, [&](std::string_view bytes) { recorded.text += bytes; });
  return recorded;
}

struct RoundTrip {
  Recorded original;
  ingest::ImportedRecording imported;
  Recorded replayed;
  ingest::ImportedRecording imported_again;
};

RoundTrip Replay(const Topology& topology, const PolicySpec& policy, sim::Workload& workload) {
  RoundTrip trip;
  trip.original = Record(topology, policy, workload);
  trip.imported = ingest::ImportRecording(trip.original.text).value();
  sim::Replay replay(sim::Parameters::Resolve({.name = "replay", .parameters = {}, .document = {}},
                                              sim::Replay::kRules)
                         .value(),
                     trip.imported.trace);
  trip.replayed = Record(topology, policy, replay);
  trip.imported_again = ingest::ImportRecording(trip.replayed.text).value();
  return trip;
}

std::vector<std::int64_t> SortedWork(const WorkloadTrace& trace) {
  std::vector<std::int64_t> work;
  for (const TraceTask& task : trace.tasks) work.push_back(TotalsOf(task).run_ns);
  std::sort(work.begin(), work.end());
  return work;
}

// The largest difference of the run times of two tasks of equal rank.
std::int64_t LargestDifference(const WorkloadTrace& a, const WorkloadTrace& b) {
  const std::vector<std::int64_t> left = SortedWork(a);
  const std::vector<std::int64_t> right = SortedWork(b);
  EXPECT_EQ(left.size(), right.size());
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    largest = std::max(largest, std::abs(left[i] - right[i]));
  }
  return largest;
}

double ElapsedRatio(const RoundTrip& trip) {
  return static_cast<double>(trip.replayed.result.simulated_ns) /
         static_cast<double>(trip.imported.trace.span_ns);
}

sim::ScriptStep WorkStep(std::int64_t us) {
  return {.kind = sim::ScriptStep::Kind::kRun, .duration = sim::SimDuration(us * 1'000)};
}
sim::ScriptStep SleepStep(std::int64_t us) {
  return {.kind = sim::ScriptStep::Kind::kSleep, .duration = sim::SimDuration(us * 1'000)};
}
sim::ScriptStep WakeStep(std::size_t target) {
  return {.kind = sim::ScriptStep::Kind::kWake, .target = target};
}
sim::ScriptStep BlockStep() { return {.kind = sim::ScriptStep::Kind::kBlock}; }

// Tasks with a CPU for each, whose times are whole microseconds, as the text has them.
TEST(ReplayRoundTripTest, UndisturbedTasksDoExactlyTheSameAgain) {
  sim::Scripted workload({
      {.name = "ping",
       .attributes = {},
       .cpus = {},
       .steps = {WorkStep(100), WakeStep(1), BlockStep()},
       .repeat_count = 50},
      {.name = "pong",
       .attributes = {},
       .cpus = {},
       .steps = {BlockStep(), WorkStep(70), WakeStep(0)},
       .repeat_count = 50},
      {.name = "clock",
       .attributes = {},
       .cpus = {},
       .steps = {WorkStep(30), SleepStep(400)},
       .repeat_count = 20},
  });

  const RoundTrip trip =
      Replay(testing::FreeTopology("core:4"), sim::ShippedPolicy("linux-fair@v3.13"), workload);

  EXPECT_EQ(SortedWork(trip.imported.trace),
            (std::vector<std::int64_t>{600'000, 3'500'000, 5'000'000}));
  EXPECT_EQ(SortedWork(trip.imported_again.trace), SortedWork(trip.imported.trace));
  EXPECT_DOUBLE_EQ(ElapsedRatio(trip), 1);
  EXPECT_EQ(trip.imported.counts.contradiction_count, 0);
  EXPECT_EQ(trip.imported.counts.unexplained_wakeup_count, 0);
}

// The text cuts times to microseconds, so that a task may be off by a few.
TEST(ReplayRoundTripTest, SpinnersThatShareCpusTakeAsLong) {
  const Topology topology = testing::FreeTopology("core:4");
  const PolicySpec policy = sim::ShippedPolicy("linux-fair@v3.13");
  const auto workload =
      sim::MakeWorkload({.name = "spinners",
                         .parameters = {{"tasks_count", 10}, {"work_per_task_ns", 200'000'000}},
                         .document = {}},
                        1, 4);

  const RoundTrip trip = Replay(topology, policy, **workload);

  EXPECT_LE(LargestDifference(trip.imported.trace, trip.imported_again.trace), 5'000);
  EXPECT_NEAR(ElapsedRatio(trip), 1, 0.05);
  EXPECT_EQ(trip.replayed.result.verdict, RunVerdict::kCompleted);
  EXPECT_DOUBLE_EQ(trip.replayed.result.metrics.at("replayed_work_ratio"), 1);
}

TEST(ReplayRoundTripTest, HackbenchTakesAsLongAndLosesNoWork) {
  const Topology topology = testing::FreeTopology("package:2 core:4");
  const PolicySpec policy = sim::ShippedPolicy("linux-fair@v3.13");
  const auto workload = sim::MakeWorkload(
      {.name = "hackbench",
       .parameters = {{"groups_count", 2}, {"pairs_count", 5}, {"loops_count", 50}},
       .document = {}},
      1, 8);

  const RoundTrip trip = Replay(topology, policy, **workload);

  EXPECT_EQ(trip.imported.trace.tasks.size(), 21U);
  EXPECT_EQ(trip.imported.counts.contradiction_count, 0);
  EXPECT_EQ(trip.imported.counts.unexplained_wakeup_count, 0);
  EXPECT_LE(LargestDifference(trip.imported.trace, trip.imported_again.trace), 5'000);
  EXPECT_NEAR(ElapsedRatio(trip), 1, 0.05);
  EXPECT_EQ(trip.replayed.result.verdict, RunVerdict::kCompleted);
  EXPECT_DOUBLE_EQ(trip.replayed.result.metrics.at("replayed_work_ratio"), 1);
}

}  // namespace
}  // namespace schedlab
