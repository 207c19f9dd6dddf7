// Linux 3.12-rc1: "sched: Factor out code to should_we_balance()" inverted the election of the CPU
// that balances. fs_mark on a 16-CPU guest lost 26 % at the same CPU time per file. Nothing here is
// fitted to that loss: what follows must come out of the mechanisms, whatever the seed.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/regression/extent.h"
#include "tests/regression/measurement.h"

namespace schedlab::sim {
namespace {

using Switches = std::map<std::string, std::string>;

constexpr auto kParent = "linux-fair@95a79b805b93";
constexpr auto kInverted = "linux-fair@23f0d2093c78";
constexpr auto kFix = "linux-fair@b0cff9d88ce2";
constexpr auto kRelease = "linux-fair@v3.11";

Case FsMark(const char* policy, const char* topology = "kvm-16x1", const Switches& switches = {}) {
  return {.topology = topology,
          .workload = "fs_mark",
          .parameters = {{"iterations_count", Sized(1, 3)}},
          .policy = policy,
          .switches = switches};
}

// Packages of several CPUs that share a cache, as in the shipped guest of 4 packages of 4.
Case FsMarkOnShape(const char* policy, const char* shape) {
  Case one = FsMark(policy, "kvm-4x4");
  one.shape = shape;
  return one;
}

Estimate Loss(const Switches& switches) {
  return ChangeOf(FsMark(kParent, "kvm-16x1", switches), FsMark(kInverted, "kvm-16x1", switches),
                  "files_per_sec");
}

TEST(FsMarkTest, TheInvertedElectionLosesBetween15And30Percent) {
  ExpectWithin(Loss({}), {.row = {-0.30, -0.15}, .quick = {-0.31, -0.15}});
}

TEST(FsMarkTest, TheCpuTimePerFileStaysWithin3Percent) {
  ExpectWithin(ChangeOf(FsMark(kParent), FsMark(kInverted), "cpu_time_per_op_ns"), -0.03, 0.03);
}

TEST(FsMarkTest, IdleTimeGrowsBy15To30Points) {
  ExpectWithin(GrowthOf(FsMark(kParent), FsMark(kInverted), "idle_ratio"), 0.15, 0.30);
}

TEST(FsMarkTest, CpusAreIdleWhileTasksWait) {
  ExpectWithin(RatioOf(FsMark(kParent), FsMark(kInverted), "wasted_cpu_seconds"), 3, 20);
}

TEST(FsMarkTest, TasksWaitLongerForACpu) {
  ExpectWithin(RatioOf(FsMark(kParent), FsMark(kInverted), "run_delay_sec"), 1.5, 20);
}

TEST(FsMarkTest, AllIdlePassesAreRefused) {
  ExpectWithin(ShareOf(FsMark(kInverted), "lb_balanced_idle", "lb_count_idle"), 1, 1);
}

TEST(FsMarkTest, AllBusyPassesAreRefused) {
  ExpectWithin(ShareOf(FsMark(kInverted), "lb_balanced_busy", "lb_count_busy"), 1, 1);
}

TEST(FsMarkTest, RefusedPassesLookForNoGroupAndGainNothing) {
  ExpectWithin(ValueOf(FsMark(kInverted), "lb_nobusyg_idle/PKG"), 0, 0);
  ExpectWithin(ValueOf(FsMark(kInverted), "lb_nobusyg_busy/PKG"), 0, 0);
  ExpectWithin(ValueOf(FsMark(kInverted), "lb_failed_idle"), 0, 0);
  ExpectWithin(ValueOf(FsMark(kInverted), "lb_gained_idle"), 0, 0);
  ExpectWithin(ValueOf(FsMark(kInverted), "lb_gained_busy"), 0, 0);
}

TEST(FsMarkTest, IdlePassesBecomeMore) {
  ExpectWithin(RatioOf(FsMark(kParent), FsMark(kInverted), "lb_count_idle"), 3, 100);
}

TEST(FsMarkTest, KicksBecomeMore) {
  ExpectWithin(RatioOf(FsMark(kParent), FsMark(kInverted), "nohz_kicks"), 1.5, 30);
}

TEST(FsMarkTest, NewlyIdlePullsBecomeMore) {
  ExpectWithin(RatioOf(FsMark(kParent), FsMark(kInverted), "lb_gained_newidle"), 2, 30);
}

TEST(FsMarkTest, PassesAboveTheLowestLevelBecomeFewer) {
  const Estimate passes =
      RatioOf(FsMark(kParent, "kvm-4x4"), FsMark(kInverted, "kvm-4x4"), "lb_count_idle/PKG");

  ExpectWithin(passes, 0, 0.1);
}

// The sharpest check of the mechanism: the whole difference is the kick of idle CPUs.
TEST(FsMarkTest, WithoutKicksTheCorrectElectionFallsToTheLevelOfTheInvertedOne) {
  const Case without = FsMark(kParent, "kvm-16x1", {{"nohz_kick", "off"}});

  ExpectWithin(ChangeOf(FsMark(kInverted), without, "files_per_sec"),
               {.row = {-0.05, 0.05}, .quick = {-0.08, 0.08}});
}

TEST(FsMarkTest, TheFixEqualsTheParentInEveryRun) {
  EXPECT_EQ(SamplesOf(FsMark(kParent)), SamplesOf(FsMark(kFix)));
}

TEST(FsMarkTest, TheFixIsAsFastAsTheReleaseBefore) {
  ExpectWithin(ChangeOf(FsMark(kRelease), FsMark(kFix), "files_per_sec"),
               {.row = {-0.01, 0.01}, .quick = {-0.02, 0.02}});
}

Estimate LossOfTheFirstHalfSecond() {
  Case parent = FsMark(kParent);
  Case inverted = FsMark(kInverted);
  parent.duration_ns = inverted.duration_ns = 500'000'000;
  return ChangeOf(parent, inverted, "files_per_sec");
}

TEST(FsMarkTest, TheLossBuildsUpOverSeconds) {
  ExpectWithin(Loss({}) - LossOfTheFirstHalfSecond(), -0.31, -0.08);
}

// The share of the seeds that lose more than this.
Estimate SeedsBelow(Estimate losses, double change) {
  for (double& loss : losses.by_seed) loss = loss < change ? 1 : 0;
  return losses;
}

// One seed in ten piles its tasks up from the start.
TEST(FsMarkTest, InTheFirstHalfSecondMostSeedsLoseLessThan10Percent) {
  ExpectWithin(SeedsBelow(LossOfTheFirstHalfSecond(), -0.10), 0, 0.1);
}

// The seed that piles its tasks up from the start never gets rid of them without these pulls.
TEST(FsMarkWithoutTest, NewlyIdlePullsMostSeedsLoseLessThan14Percent) {
  Case parent = FsMark(kParent, "kvm-16x1", {{"newidle", "off"}});
  Case inverted = FsMark(kInverted, "kvm-16x1", {{"newidle", "off"}});
  parent.parameters["iterations_count"] = inverted.parameters["iterations_count"] = Sized(2, 3);

  const Estimate loss = ChangeOf(parent, inverted, "files_per_sec");
  ExpectWithin(SeedsBelow(loss, -0.14), 0, 0.1);
  ExpectWithin(SeedsBelow(loss, -0.02), 1, 1);
}

TEST(FsMarkWithoutTest, TheCacheHotRuleMostOfTheLossIsGone) {
  ExpectWithin(Loss({{"cache_hot", "off"}}), -0.12, 0.01);
}

TEST(FsMarkWithoutTest, TheGateOfNewlyIdlePullsTheLossIsSmaller) {
  ExpectWithin(Loss({{"newidle_gate", "none"}}), -0.20, -0.08);
}

TEST(FsMarkWithoutTest, AffineWakeupsItStillLoses) {
  ExpectWithin(Loss({{"wake_affine", "off"}}), -0.26, -0.10);
}

Estimate LossByInterruptWakeups(std::int64_t permille) {
  Case parent = FsMark(kParent);
  Case inverted = FsMark(kInverted);
  parent.parameters["irq_wakeups_permille"] = permille;
  inverted.parameters["irq_wakeups_permille"] = permille;
  return ChangeOf(parent, inverted, "files_per_sec");
}

TEST(FsMarkWithoutTest, WakeupsByInterruptsItStillLoses) {
  ExpectWithin(LossByInterruptWakeups(0), -0.26, -0.12);
}

TEST(FsMarkTest, TwiceAsManyWakeupsByInterruptsLoseAThird) {
  ExpectWithin(LossByInterruptWakeups(20), {.row = {-0.36, -0.26}, .quick = {-0.38, -0.26}});
}

TEST(FsMarkTest, TwiceAsManyWakeupsByInterruptsLoseMore) {
  ExpectWithin(LossByInterruptWakeups(20) - Loss({}), -0.2, 0);
}

TEST(FsMarkOfOneCacheTest, TheSearchOfWakeupsRepairsAllBut3Percent) {
  const Estimate change =
      ChangeOf(FsMark(kParent, "kvm-1x16"), FsMark(kInverted, "kvm-1x16"), "files_per_sec");

  ExpectWithin(change, -0.03, 0.01);
}

// Within 6 points: the losses of both differ by as much from seed to seed.
TEST(FsMarkOfOneCacheTest, WithoutThatSearchItLosesAsMuchAsWithoutACache) {
  const Switches none = {{"wake_idle_search", "none"}};
  const Estimate change = ChangeOf(FsMark(kParent, "kvm-1x16", none),
                                   FsMark(kInverted, "kvm-1x16", none), "files_per_sec");

  ExpectWithin(change - Loss({}), {.row = {-0.06, 0.06}, .quick = {-0.1, 0.1}});
}

Estimate LossOnShape(const char* shape) {
  return ChangeOf(FsMarkOnShape(kParent, shape), FsMarkOnShape(kInverted, shape), "files_per_sec");
}

TEST(FsMarkOfSeveralCachesTest, FourOfFourLoseAtMost3Percent) {
  ExpectWithin(LossOnShape("package:4 core:4"), -0.03, 0.01);
}

TEST(FsMarkOfSeveralCachesTest, TwoOfEightLoseAtMost3Percent) {
  ExpectWithin(LossOnShape("package:2 core:8"), -0.03, 0.01);
}

TEST(FsMarkOfSeveralCachesTest, EightOfTwoLose1To11Percent) {
  ExpectWithin(LossOnShape("package:8 core:2"), {.row = {-0.11, -0.01}, .quick = {-0.12, 0.01}});
}

// 200 tasks on 16 CPUs: 12 a CPU.
class OversubscribedTest : public ::testing::TestWithParam<const char*> {};

TEST_P(OversubscribedTest, HackbenchHardlyChanges) {
  const Case parent = {.topology = GetParam(), .workload = "hackbench", .policy = kParent};
  Case inverted = parent;
  inverted.policy = kInverted;

  ExpectWithin(ChangeOf(parent, inverted, "messages_per_sec"), -0.04, 0.04);
}

// 16 spinners, started on 4 CPUs of 16. Housekeeping wakes every CPU once in 4 s.
class StackedSpinnersTest : public ::testing::TestWithParam<const char*> {
 protected:
  static Case Stack(const char* policy, std::int64_t housekeeping_period_ns) {
    return {.topology = GetParam(),
            .housekeeping_period_ns = housekeeping_period_ns,
            .workload = "spinners",
            .parameters = {{"tasks_count", 16}, {"start_cpus_count", 4}},
            .duration_ns = 10'000'000'000,
            .policy = policy};
  }
};

TEST_P(StackedSpinnersTest, TheCorrectElectionSpreadsThemIn100Milliseconds) {
  ExpectWithin(ValueOf(Stack(kParent, 0), "last_wasted_at_sec"), 0, 0.1);
}

TEST_P(StackedSpinnersTest, TheInvertedElectionNeverSpreadsThem) {
  ExpectWithin(ValueOf(Stack(kInverted, 0), "last_wasted_at_sec"), 10, 10);
  ExpectWithin(ValueOf(Stack(kInverted, 0), "idle_ratio"), 0.749, 0.751);
}

TEST_P(StackedSpinnersTest, HousekeepingRepairsThemInOneRound) {
  ExpectWithin(ValueOf(Stack(kInverted, 4'000'000'000), "last_wasted_at_sec"), 1, 4.1);
}

TEST_P(StackedSpinnersTest, SpreadOverAllCpusFromTheStartTheyAllExecute) {
  Case inverted = Stack(kInverted, 0);
  inverted.parameters = {{"tasks_count", 17}, {"start_cpus_count", 16}};

  ExpectWithin(ValueOf(inverted, "idle_ratio"), 0, 0.001);
}

std::string NameOf(const ::testing::TestParamInfo<const char*>& param) {
  std::string name = param.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

const auto kGuests = ::testing::Values("kvm-16x1", "kvm-1x16", "kvm-4x4");
INSTANTIATE_TEST_SUITE_P(Guests, OversubscribedTest, kGuests, NameOf);
INSTANTIATE_TEST_SUITE_P(Guests, StackedSpinnersTest, kGuests, NameOf);

}  // namespace
}  // namespace schedlab::sim
