#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/linux/deadline_bandwidth.h"
#include "sim/linux/deadline_server.h"
#include "sim/random_stream.h"
#include "tests/unit/sim/scripted_runs.h"

namespace schedlab::sim::linux {
namespace {

TEST(DeadlineBandwidthTest, WhatIsPromisedNeverExceeds95Percent) {
  DeadlineBandwidth bandwidth(2, FairServerMode::kOff);

  EXPECT_TRUE(bandwidth.Reserve(0, Deadline(95 * kMs, 100 * kMs, 100 * kMs)).has_value());
  EXPECT_TRUE(bandwidth.Reserve(0, Deadline(95 * kMs, 100 * kMs, 100 * kMs)).has_value());
  const Result<std::int64_t> more = bandwidth.Reserve(0, Deadline(kMs, 100 * kMs, 100 * kMs));
  ASSERT_FALSE(more.has_value());
  EXPECT_EQ(more.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(more.error().message,
            "1000000 ns in each 100000000 ns would take the deadline tasks from 1.900 to 1.910 "
            "CPUs, of which they may have 1.900 (95 % of 2)");
}

TEST(DeadlineBandwidthTest, AReservationIsReplacedAndReleased) {
  DeadlineBandwidth bandwidth(1, FairServerMode::kOff);
  const std::int64_t half = *bandwidth.Reserve(0, Deadline(50 * kMs, 100 * kMs, 100 * kMs));
  const std::int64_t most = *bandwidth.Reserve(half, Deadline(90 * kMs, 100 * kMs, 100 * kMs));

  EXPECT_EQ(bandwidth.reserved(), BandwidthOf(90, 100));
  bandwidth.Release(most);
  EXPECT_EQ(bandwidth.reserved(), 0);
}

TEST(DeadlineBandwidthTest, WhatWasPromisedIsKeptByASmallerMachine) {
  DeadlineBandwidth bandwidth(2, FairServerMode::kOff);
  const std::int64_t most = *bandwidth.Reserve(0, Deadline(95 * kMs, 100 * kMs, 100 * kMs));
  ASSERT_TRUE(bandwidth.Reserve(0, Deadline(50 * kMs, 100 * kMs, 100 * kMs)).has_value());
  bandwidth.SetCpuCount(1);

  EXPECT_TRUE(bandwidth.Reserve(most, Deadline(90 * kMs, 100 * kMs, 100 * kMs)).has_value());
  EXPECT_FALSE(bandwidth.Reserve(0, Deadline(kMs, 100 * kMs, 100 * kMs)).has_value());
}

TEST(DeadlineBandwidthTest, AFairServerTakes5Percent) {
  DeadlineBandwidth bandwidth(1, FairServerMode::kOn);

  EXPECT_FALSE(bandwidth.Reserve(0, Deadline(91 * kMs, 100 * kMs, 100 * kMs)).has_value());
  EXPECT_TRUE(bandwidth.Reserve(0, Deadline(90 * kMs, 100 * kMs, 100 * kMs)).has_value());
}

Task TaskOf(SimDuration runtime, SimDuration deadline, SimDuration period) {
  Task task;
  task.attributes = Deadline(runtime, deadline, period);
  return task;
}

TEST(DeadlineServerTest, AWokenTaskKeepsWhatItHasIfThatIsNotMoreThanItsShare) {
  Task task = TaskOf(4 * kMs, 10 * kMs, 10 * kMs);
  StartServer(task, SimTime(SimDuration{0}));
  task.dl.runtime_left = 2 * kMs;
  WakeServer(task, SimTime(5 * kMs));

  EXPECT_EQ(task.dl.runtime_left, 2 * kMs);
  EXPECT_EQ(task.dl.deadline, SimTime(10 * kMs));
}

TEST(DeadlineServerTest, AWokenTaskStartsAnewWhereItsRestWouldBeMoreThanItsShare) {
  Task task = TaskOf(4 * kMs, 10 * kMs, 10 * kMs);
  StartServer(task, SimTime(SimDuration{0}));
  task.dl.runtime_left = 2 * kMs;
  WakeServer(task, SimTime(6 * kMs));

  EXPECT_EQ(task.dl.runtime_left, 4 * kMs);
  EXPECT_EQ(task.dl.deadline, SimTime(16 * kMs));
}

TEST(DeadlineServerTest, AConstrainedTaskGetsItsShareOfWhatIsLeft) {
  Task task = TaskOf(4 * kMs, 10 * kMs, 20 * kMs);
  StartServer(task, SimTime(SimDuration{0}));
  WakeServer(task, SimTime(5 * kMs));

  EXPECT_EQ(task.dl.runtime_left, 2 * kMs);
  EXPECT_EQ(task.dl.deadline, SimTime(10 * kMs));
}

TEST(DeadlineServerTest, ADebtOfSeveralPeriodsPostponesTheDeadlineByAsMany) {
  Task task = TaskOf(4 * kMs, 10 * kMs, 10 * kMs);
  StartServer(task, SimTime(SimDuration{0}));
  task.dl.runtime_left = -5 * kMs;
  ReplenishServer(task, SimTime(10 * kMs));

  EXPECT_EQ(task.dl.runtime_left, 3 * kMs);
  EXPECT_EQ(task.dl.deadline, SimTime(30 * kMs));
}

// Random tasks that use all of their runtime, up to 95 % of one CPU.
Script AdmittedSet(std::uint64_t seed) {
  RandomStream random(seed, "task set");
  Script script;
  std::int64_t left = 950;
  while (left > 20) {
    const std::int64_t permille = std::min(left, 20 + random.Below(300));
    left -= permille;
    const SimDuration period = (10 + random.Below(90)) * kMs;
    const SimDuration work = period * permille / 1000;
    script.tasks.push_back(Periodic(fmt::format("t{}", left), work, period));
    script.tasks.back().attributes = Deadline(work, period, period);
  }
  script.tasks.push_back(Hog("hog"));
  script.tasks.push_back(Hog("rt hog"));
  script.tasks.back().attributes = Fifo(99);
  return script;
}

class DeadlineClassTest : public ::testing::TestWithParam<const char*> {};

// Case F4.
TEST_P(DeadlineClassTest, NoAdmittedTaskMissesAndHogsHaveTheRest) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Script script = AdmittedSet(seed);
    const PolicySpec policy = BarePolicy("linux-fair", {{"deadline_enforcement", GetParam()}});
    const ScriptedOutcome outcome = RunScript({"package:1", policy, 3'000 * kMs, seed}, script);

    SimDuration total{0};
    for (const SimDuration work : outcome.work_done) total += work;
    EXPECT_EQ(total, 3'000 * kMs);
    EXPECT_TRUE(outcome.refusals.empty()) << "seed " << seed;
    for (std::size_t i = 0; i + 2 < script.tasks.size(); ++i) {
      EXPECT_LE(outcome.longest[i], script.tasks[i].steps[1].duration) << "seed " << seed;
      EXPECT_GE(outcome.activations[i], 3'000 * kMs / script.tasks[i].steps[1].duration - 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Enforcements, DeadlineClassTest, ::testing::Values("tick", "exact"));

TEST(DeadlineClassIsolationTest, AnOverrunningTaskHasItsShareAndNoMore) {
  Script script;
  script.tasks = {Hog("greedy"), Hog("fair")};
  script.tasks[0].attributes = Deadline(10 * kMs, 40 * kMs, 40 * kMs);
  const PolicySpec policy = BarePolicy("linux-fair", {{"deadline_enforcement", "exact"}});
  const ScriptedOutcome outcome = RunScript({"package:1", policy, 4'000 * kMs}, script);

  EXPECT_EQ(outcome.work_done[0], 1'000 * kMs);
  EXPECT_EQ(outcome.result.metrics.at("dl_throttles"), 100);
}

// Where a running task is stopped at ticks only, what it was over is missing from what follows.
TEST(DeadlineClassIsolationTest, TicksKeepItToItsShareInTheLongRun) {
  Script script;
  script.tasks = {Hog("greedy"), Hog("fair")};
  script.tasks[0].attributes = Deadline(10 * kMs, 40 * kMs, 40 * kMs);
  const ScriptedOutcome outcome =
      RunScript({"package:1", BarePolicy("linux-fair", {}), 40'000 * kMs}, script);

  EXPECT_NEAR(static_cast<double>(Ns(outcome.work_done[0])) / 40e9, 0.25, 0.001);
}

TEST(DeadlineClassIsolationTest, ATaskThatMayNotRunEverywhereIsRefused) {
  Script script;
  script.tasks = {Hog("bound")};
  script.tasks[0].cpus = {0};
  script.tasks[0].attributes = Deadline(10 * kMs, 40 * kMs, 40 * kMs);
  const ScriptedOutcome outcome =
      RunScript({"package:2", BarePolicy("linux-fair", {}), 100 * kMs}, script);

  ASSERT_EQ(outcome.refusals.size(), 1U);
  EXPECT_EQ(outcome.refusals[0].message,
            "a deadline task must be allowed on all 2 CPUs; 'bound' is on 1");
}

// Global EDF on two CPUs: what is not throttled executes, on one CPU or the other.
TEST(DeadlineClassIsolationTest, TwoCpusServeThreeTasksOfOneHalf) {
  Script script;
  script.tasks = {Hog("a"), Hog("b"), Hog("c"), Hog("fair")};
  for (std::size_t i = 0; i < 3; ++i) {
    script.tasks[i].attributes = Deadline(20 * kMs, 40 * kMs, 40 * kMs);
  }
  const PolicySpec policy = BarePolicy("linux-fair", {{"deadline_enforcement", "exact"}});
  const ScriptedOutcome outcome = RunScript({"package:2", policy, 4'000 * kMs}, script);

  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GE(outcome.work_done[i], 1'960 * kMs);
    EXPECT_LE(outcome.work_done[i], 2'000 * kMs);
  }
}

}  // namespace
}  // namespace schedlab::sim::linux
