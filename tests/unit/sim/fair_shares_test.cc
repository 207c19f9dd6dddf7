// Who gets how much: closed forms for whole runs of the fair class.

#include <gtest/gtest.h>

#include <numeric>
#include <tuple>
#include <vector>

#include "tests/unit/sim/mix.h"

namespace schedlab::sim {
namespace {

using std::chrono::milliseconds;
using Switch = std::map<std::string, std::string>;

const Switch kEevdf = {{"pick", "eevdf"}};
const Switch k612 = {{"pick", "eevdf"},
                     {"delay_dequeue", "on"},
                     {"preempt_short", "on"},
                     {"relative_deadline", "on"}};

double SumOf(const std::vector<double>& work, std::size_t first, std::size_t count) {
  const auto begin = work.begin() + static_cast<std::ptrdiff_t>(first);
  return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(count), 0.0);
}

class EveryPickTest : public ::testing::TestWithParam<Switch> {
 protected:
  std::vector<double> WorkOf(MixRun run) {
    for (const auto& [name, value] : GetParam()) run.switches[name] = value;
    return RunMix(run).work;
  }
};
INSTANTIATE_TEST_SUITE_P(Picks, EveryPickTest, ::testing::Values(Switch{}, kEevdf, k612));

TEST_P(EveryPickTest, TwoEqualTasksGetHalfEach) {
  const std::vector<double> work =
      WorkOf({.tasks = {Nice(0), Nice(0)}, .duration = milliseconds(500)});

  EXPECT_NEAR(work[0], 250, 5);
  EXPECT_NEAR(work[1], 250, 5);
}

TEST_P(EveryPickTest, NiceMinus3Gets194PercentOfNice0) {
  const std::vector<double> work =
      WorkOf({.tasks = {Nice(-3), Nice(0)}, .duration = milliseconds(2'000)});

  EXPECT_NEAR(work[0] / work[1], 1991.0 / 1024, 0.06);
}

TEST_P(EveryPickTest, ThreeNiceLevelsShareByTheirWeights) {
  const std::vector<double> work =
      WorkOf({.tasks = {Nice(5), Nice(2), Nice(0)}, .duration = milliseconds(3'000)});

  EXPECT_NEAR(work[1] / work[0], 655.0 / 335, 0.1);
  EXPECT_NEAR(work[2] / work[0], 1024.0 / 335, 0.15);
}

TEST_P(EveryPickTest, TheIdlePolicyGetsThreeParts) {
  const MixTask idle = {.attributes = {.policy = SchedPolicy::kIdle}};
  const std::vector<double> work =
      WorkOf({.tasks = {Nice(0), idle}, .duration = milliseconds(10'000)});

  EXPECT_NEAR(work[1], 10'000 * 3.0 / 1027, 8);
}

TEST_P(EveryPickTest, GroupsShareByTheirSharesNotByTheirTasks) {
  std::vector<MixTask> tasks = {{.group = 1}};
  for (int i = 0; i < 10; ++i) tasks.push_back({.group = 2});
  const std::vector<double> work = WorkOf({.groups = {{.shares = 2'048}, {.shares = 1'024}},
                                           .tasks = tasks,
                                           .duration = milliseconds(6'000)});

  EXPECT_NEAR(work[0], 4'000, 60);
  EXPECT_NEAR(SumOf(work, 1, 10), 2'000, 60);
  EXPECT_NEAR(work[5], 200, 30);
}

TEST_P(EveryPickTest, NestedGroupsDivideWhatTheirParentGets) {
  const std::vector<double> work =
      WorkOf({.groups = {{.shares = 1'024},
                         {.shares = 1'024},
                         {.parent = 1, .shares = 1'024},
                         {.parent = 1, .shares = 3'072}},
              .tasks = {{.group = 2}, {.group = 3}, {.group = 4}, {.group = 4}},
              .duration = milliseconds(8'000)});

  EXPECT_NEAR(work[0], 4'000, 80);
  EXPECT_NEAR(work[1], 1'000, 60);
  EXPECT_NEAR(work[2] + work[3], 3'000, 60);
}

TEST_P(EveryPickTest, ATaskBesideAGroupIsOneOfTheSameQueue) {
  const std::vector<double> work = WorkOf({.groups = {{.shares = 3'072}},
                                           .tasks = {{.group = 1}, {.group = 1}, Nice(0)},
                                           .duration = milliseconds(4'000)});

  EXPECT_NEAR(work[2], 1'000, 40);
}

// One group of one task per CPU against a group of three: the latter weighs a quarter on each.
TEST_P(EveryPickTest, TheSharesOfAGroupAreSpreadOverItsCpus) {
  std::vector<MixTask> tasks;
  for (const CpuNumber cpu : {0, 1, 2, 3}) tasks.push_back({.group = 1, .cpus = {cpu}});
  tasks.push_back({.group = 2, .cpus = {0}});
  const std::vector<double> work = WorkOf({.shape = "package:4",
                                           .groups = {{.shares = 1'024}, {.shares = 1'024}},
                                           .tasks = tasks,
                                           .duration = milliseconds(5'000)});

  // On CPU 0 the first group weighs 256, the second 1024.
  EXPECT_NEAR(work[0], 1'000, 100);
  EXPECT_NEAR(work[4], 4'000, 100);
}

TEST_P(EveryPickTest, SleepersKeepTheirTimeUnderLoad) {
  MixTask sleeper = Nice(0);
  sleeper.run = milliseconds(2);
  sleeper.sleep = milliseconds(18);
  const std::vector<double> work =
      WorkOf({.tasks = {sleeper, Nice(0), Nice(0)}, .duration = milliseconds(2'000)});

  EXPECT_GT(work[0], 150);
}

TEST_P(EveryPickTest, ManySleepersOnManyCpusAreAllAccounted) {
  std::vector<MixTask> tasks;
  for (int i = 0; i < 60; ++i) {
    tasks.push_back({.attributes = {.nice = i % 7 - 3},
                     .group = static_cast<std::size_t>(i % 4),
                     .run = SimDuration(300'000 + 70'000 * i),
                     .sleep = SimDuration(900'000 + 50'000 * i)});
  }
  const std::vector<double> work =
      WorkOf({.shape = "package:2 core:4",
              .groups = {{}, {.parent = 1}, {.quota = milliseconds(150)}},
              .tasks = tasks,
              .duration = milliseconds(2'000)});

  EXPECT_LE(SumOf(work, 0, work.size()), 16'000);
  EXPECT_GT(SumOf(work, 0, work.size()), 8'000);
}

TEST_P(EveryPickTest, HalfACpuOfQuotaIsExactToASlice) {
  const std::vector<double> work =
      WorkOf({.groups = {{.quota = milliseconds(50)}}, .tasks = {{.group = 1}}});

  EXPECT_NEAR(work[0], 500, 5);
}

TEST_P(EveryPickTest, TheQuotaIsForAllCpusTogether) {
  std::vector<MixTask> tasks;
  for (const CpuNumber cpu : {0, 1, 2, 3}) tasks.push_back({.group = 1, .cpus = {cpu}});
  const std::vector<double> work = WorkOf({.shape = "package:4",
                                           .groups = {{.quota = milliseconds(100)}},
                                           .tasks = tasks,
                                           .duration = milliseconds(2'000)});

  EXPECT_NEAR(SumOf(work, 0, 4), 2'000, 30);
}

TEST_P(EveryPickTest, TheQuotaOfAParentBindsItsChildren) {
  const std::vector<double> work =
      WorkOf({.groups = {{.quota = milliseconds(20)}, {.parent = 1}, {.parent = 1}},
              .tasks = {{.group = 2}, {.group = 3}, Nice(0)},
              .duration = milliseconds(2'000)});

  EXPECT_NEAR(work[0] + work[1], 400, 10);
  EXPECT_NEAR(work[2], 1'600, 10);
}

TEST(FairSharesTest, SessionsHalveACpuWithAutogroup) {
  std::vector<MixTask> tasks(10, MixTask{.session = 1});
  tasks[0].session = 2;
  const MixResult off = RunMix({.tasks = tasks, .duration = milliseconds(4'000)});
  const MixResult on =
      RunMix({.switches = {{"autogroup", "on"}}, .tasks = tasks, .duration = milliseconds(4'000)});

  EXPECT_NEAR(off.work[0], 400, 40);
  EXPECT_NEAR(on.work[0], 2'000, 40);
}

TEST(FairSharesTest, AutogroupLeavesTasksOfCgroupsAlone) {
  std::vector<MixTask> tasks(4, MixTask{.group = 1, .session = 1});
  tasks[0].session = 2;
  const MixResult on = RunMix({.switches = {{"autogroup", "on"}},
                               .groups = {{}},
                               .tasks = tasks,
                               .duration = milliseconds(4'000)});

  EXPECT_NEAR(on.work[0], 1'000, 40);
}

TEST(FairSharesTest, ThrottledTimeIsWhatTheQuotaLeavesOfTheRun) {
  const MixResult half = RunMix({.groups = {{.quota = milliseconds(50)}}, .tasks = {{.group = 1}}});

  EXPECT_NEAR(half.result.metrics.at("throttled_seconds"), 0.5, 0.01);
}

TEST(FairSharesTest, ATaskThatWaitsForItsQuotaWastesNoCpu) {
  const MixResult half = RunMix(
      {.shape = "package:2", .groups = {{.quota = milliseconds(50)}}, .tasks = {{.group = 1}}});

  EXPECT_NEAR(half.work[0], 500, 5);
  EXPECT_NEAR(half.result.metrics.at("wasted_cpu_seconds"), 0, 0.001);
}

TEST(FairSharesTest, AFurtherClockReadIsChargedToTheWaker) {
  MixRun run = {.shape = "package:1", .tasks = {Nice(0)}};
  run.tasks[0].run = milliseconds(1);
  run.tasks[0].sleep = milliseconds(1);
  const double one = RunMix(run).result.metrics.at("overhead_ratio");
  run.costs.clock_read_ns = 100'000;
  const double still_one = RunMix(run).result.metrics.at("overhead_ratio");
  run.switches = {{"clock_reads_per_wakeup", "two_if_moved"}};
  const double moved = RunMix(run).result.metrics.at("overhead_ratio");
  run.switches = {{"clock_reads_per_wakeup", "two"}};
  const double two = RunMix(run).result.metrics.at("overhead_ratio");

  EXPECT_EQ(still_one, one);
  EXPECT_EQ(moved, one);
  EXPECT_GT(two, one + 0.03);
}

TEST(FairSharesTest, WithoutBandwidthQuotasAreIgnored) {
  const MixResult result = RunMix({.switches = {{"bandwidth", "none"}},
                                   .groups = {{.quota = milliseconds(50)}},
                                   .tasks = {{.group = 1}}});

  EXPECT_NEAR(result.work[0], 1'000, 1);
}

// Eight tasks that need 4 ms of 5 in each period: what each CPU keeps back is lost where slices
// expire, and is the start of the next period where they do not.
TEST(FairSharesTest, ExpiringSlicesThrottleTasksThatKeptOnesDoNot) {
  MixRun run = {.shape = "package:8",
                .groups = {{.quota = milliseconds(5)}},
                .tasks = {},
                .duration = milliseconds(4'000)};
  for (const CpuNumber cpu : {0, 1, 2, 3, 4, 5, 6, 7}) {
    run.tasks.push_back(
        {.group = 1, .cpus = {cpu}, .run = SimDuration(500'000), .sleep = SimDuration(99'500'000)});
  }
  const MixResult expiring = RunMix(run);
  run.switches = {{"bandwidth", "kept_slices"}};
  const MixResult kept = RunMix(run);

  EXPECT_GT(expiring.result.metrics.at("throttled_seconds"),
            2 * kept.result.metrics.at("throttled_seconds"));
}

}  // namespace
}  // namespace schedlab::sim
