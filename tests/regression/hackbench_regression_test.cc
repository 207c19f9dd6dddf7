// hackbench four times slower, Linux 3.3 to 3.4-rc2 (April 2012): in a task group the tasks of a
// long queue are each so light that the balancer of 3.4-rc leaves them alone. Sums over all CPUs:
// single CPUs differ wildly. Quick runs are shorter and have fewer groups than the tables.

#include <gtest/gtest.h>

#include "tests/regression/extent.h"
#include "tests/regression/measurement.h"

namespace schedlab::sim {
namespace {

using Switches = std::map<std::string, std::string>;

constexpr auto kBefore = "linux-fair-3.4@v3.3";
constexpr auto kBad = "linux-fair-3.4@367456c756a6";
constexpr auto kHalfFixed = "linux-fair-3.4@5d6523ebd2f6";
constexpr auto kFixed = "linux-fair-3.4@v3.4";

Case Groups(const char* policy, const Switches& switches = {}) {
  return {.topology = "snb-ep-2s",
          .workload = "hackbench",
          .parameters = {{"groups_count", Sized(40, 100)},
                         {"loops_count", Sized(60, 300)},
                         {"fork_work_ns", 70'000},
                         {"start_work_ns", 80'000},
                         {"write_work_ns", 900},
                         {"read_work_ns", 1'150},
                         {"task_group_flag", 1}},
          .policy = policy,
          .switches = switches};
}

Case With(Case one, const std::string& parameter, std::int64_t value) {
  one.parameters[parameter] = value;
  return one;
}

// Times as long, by messages.
Estimate Slowdown(const Case& candidate, const Case& baseline) {
  return RatioOf(candidate, baseline, "messages_per_sec");
}

Estimate SlowdownWith(const char* policy, const std::string& parameter, std::int64_t value) {
  return Slowdown(With(Groups(policy), parameter, value), With(Groups(kBefore), parameter, value));
}

// Reported: x 4; ten seeds give x 6.4.
TEST(HackbenchTest, InATaskGroupTheBadCommitIsSeveralTimesSlower) {
  ExpectWithin(Slowdown(Groups(kBad), Groups(kBefore)), 2.5, 14);
}

TEST(HackbenchTest, TheHalfFixIsSlowToo) {
  ExpectWithin(Slowdown(Groups(kHalfFixed), Groups(kBefore)), 1.5, 10);
}

TEST(HackbenchTest, TheFixIsAsFastAsBefore) {
  ExpectWithin(Slowdown(Groups(kFixed), Groups(kBefore)), 0.9, 1.15);
}

TEST(HackbenchTest, TheBadCommitCallsSchedule5TimesAsOftenOrMore) {
  ExpectWithin(RatioOf(Groups(kBefore), Groups(kBad), "sched_count"), 5, 100);
}

TEST(HackbenchTest, TheHalfFixCallsSchedule5TimesAsOftenOrMore) {
  ExpectWithin(RatioOf(Groups(kBefore), Groups(kHalfFixed), "sched_count"), 5, 100);
}

TEST(HackbenchTest, TheBadCommitLeavesCpusIdle100TimesAsOftenOrMore) {
  ExpectWithin(RatioOf(Groups(kBefore), Groups(kBad), "sched_goidle"), 100, 2'000);
}

TEST(HackbenchTest, TheHalfFixLeavesCpusIdle30TimesAsOftenOrMore) {
  ExpectWithin(RatioOf(Groups(kBefore), Groups(kHalfFixed), "sched_goidle"), 30, 2'000);
}

// By the bad commit, of wakeups that this level is the lowest to hold.
Estimate RiseOfWakeups(const std::string& level) {
  return RatioOf(Groups(kBefore), Groups(kBad), "wakeups_remote/" + level);
}

TEST(HackbenchTest, RemoteWakeupsRiseBelowACache) { ExpectWithin(RiseOfWakeups("MC"), 10, 1'000); }

TEST(HackbenchTest, RemoteWakeupsRiseBetweenNodes) {
  ExpectWithin(RiseOfWakeups("NUMA"), 1.5, 1'000);
}

TEST(HackbenchTest, RemoteWakeupsRiseBetweenThreads) {
  ExpectWithin(RiseOfWakeups("SMT"), 3, 1'000);
}

TEST(HackbenchTest, RemoteWakeupsRiseMostBelowACache) {
  ExpectWithin(RiseOfWakeups("MC") - RiseOfWakeups("SMT"), 1, 1'000);
  ExpectWithin(RiseOfWakeups("MC") - RiseOfWakeups("NUMA"), 1, 1'000);
}

// Reported: more between nodes.
TEST(HackbenchTest, RemoteWakeupsRiseMoreBetweenThreadsThanBetweenNodes) {
  ExpectWithin(RiseOfWakeups("SMT") - RiseOfWakeups("NUMA"), 0, 100);
}

// Of the newly idle passes of a kernel.
Estimate Gained(const char* policy) {
  return ShareOf(Groups(policy), "lb_gained_newidle", "lb_count_newidle");
}

TEST(HackbenchTest, TheBadCommitsNewlyIdlePassesGainNothing) {
  ExpectWithin(Gained(kBad), 0, 0.01);
}

TEST(HackbenchTest, TheHalfFixsNewlyIdlePassesGainNearlyNothing) {
  ExpectWithin(Gained(kHalfFixed), {.row = {0, 0.01}, .quick = {0, 0.06}});
}

TEST(HackbenchTest, NewlyIdlePassesGainedBefore) { ExpectWithin(Gained(kBefore), 0.1, 5); }

TEST(HackbenchTest, TheBadCommitsNewlyIdlePassesCountAsBalancedNotAsFailed) {
  ExpectWithin(ShareOf(Groups(kBad), "lb_balanced_newidle", "lb_count_newidle"), 0.95, 1);
}

// Of the newly idle passes of a kernel: those that moved nothing.
Estimate Fruitless(const char* policy) {
  Estimate share;
  for (const Sample& sample : SamplesOf(Groups(policy))) {
    share.by_seed.push_back((sample.at("lb_balanced_newidle") + sample.at("lb_failed_newidle")) /
                            sample.at("lb_count_newidle"));
  }
  return share;
}

TEST(HackbenchTest, TheBadCommitsNewlyIdlePassesMoveNothing) {
  ExpectWithin(Fruitless(kBad), 0.99, 1);
}

TEST(HackbenchTest, TheHalfFixsNewlyIdlePassesMoveNothing) {
  ExpectWithin(Fruitless(kHalfFixed), 0.99, 1);
}

// Reported for a run in full: x 15 to 30.
TEST(HackbenchTest, TheBadCommitsNewlyIdlePassesBecomeMore) {
  ExpectWithin(RatioOf(Groups(kBefore), Groups(kBad), "lb_count_newidle"), 1, 15);
}

TEST(HackbenchTest, TheHalfFixsNewlyIdlePassesBecomeMore) {
  ExpectWithin(RatioOf(Groups(kBefore), Groups(kHalfFixed), "lb_count_newidle"), 1, 15);
}

// Of all CPU time.
Estimate LockWait(const char* policy) {
  Estimate share;
  for (const Sample& sample : SamplesOf(Groups(policy))) {
    share.by_seed.push_back(sample.at("newidle_lock_wait_sec") / sample.at("simulated_sec") / 32);
  }
  return share;
}

TEST(HackbenchTest, BeforeNewlyIdlePullsWaitForLocksLessThanAHundredthOfTheTime) {
  ExpectWithin(LockWait(kBefore), 0, 0.01);
}

TEST(HackbenchTest, InTheBadCommitTheyWaitMuchLonger) {
  ExpectWithin(LockWait(kBad), 0.01, 0.15);
  ExpectWithin(RatioOf(Groups(kBefore), Groups(kBad), "newidle_lock_wait_sec"), 5, 2'000);
}

TEST(HackbenchInTheRootGroupTest, TheBadCommitIsAsFast) {
  ExpectWithin(SlowdownWith(kBad, "task_group_flag", 0), 0.9, 1.1);
}

TEST(HackbenchInTheRootGroupTest, TheHalfFixIsAsFast) {
  ExpectWithin(SlowdownWith(kHalfFixed, "task_group_flag", 0), 0.9, 1.1);
}

TEST(HackbenchInTheRootGroupTest, TheFixIsAsFast) {
  ExpectWithin(SlowdownWith(kFixed, "task_group_flag", 0), 0.9, 1.1);
}

// With at most 64 tasks none is light; with 80 few are.
Estimate SlowdownOfFew(std::int64_t group_count) {
  Case before = With(Groups(kBefore), "groups_count", group_count);
  before.parameters["loops_count"] = 1'000;
  Case half_fixed = before;
  half_fixed.policy = kHalfFixed;
  return Slowdown(half_fixed, before);
}

TEST(HackbenchOfFewTasksTest, OneGroupIsAsFast) {
  ExpectWithin(SlowdownOfFew(1), {.row = {0.9, 1.1}, .quick = {0.85, 1.15}});
}

TEST(HackbenchOfFewTasksTest, TwoGroupsAreAsFast) {
  ExpectWithin(SlowdownOfFew(2), {.row = {0.9, 1.1}, .quick = {0.85, 1.15}});
}

TEST(HackbenchWithoutTest, TheFilterOfLightTasksTheBadCommitIsAsFast) {
  ExpectWithin(Slowdown(Groups(kBad, {{"small_task_filter", "off"}}), Groups(kBefore)), 0.9, 1.1);
}

TEST(HackbenchWithoutTest, TheFilterOfLightTasksTheHalfFixIsAsFast) {
  ExpectWithin(Slowdown(Groups(kHalfFixed, {{"small_task_filter", "off"}}), Groups(kBefore)), 0.9,
               1.1);
}

// A queue of which all tasks were filtered then counts as failed, and failures lift the filter.
TEST(HackbenchWithoutTest, QueuesThatCountAsPinnedTheHalfFixIsAsFast) {
  ExpectWithin(
      Slowdown(Groups(kHalfFixed, {{"all_pinned_rule", "affinity_first"}}), Groups(kBefore)),
      {.row = {0.95, 1.1}, .quick = {0.9, 1.45}});
}

TEST(HackbenchWithoutTest, AForkPhaseTheBadCommitLosesLittle) {
  ExpectWithin(SlowdownWith(kBad, "even_start_flag", 1), 0.95, 1.3);
}

TEST(HackbenchWithoutTest, AForkPhaseTheHalfFixLosesLittle) {
  ExpectWithin(SlowdownWith(kHalfFixed, "even_start_flag", 1), 0.95, 1.3);
}

TEST(HackbenchWithoutTest, AnUnboundedWalkTheHalfFixIsStillSlow) {
  ExpectWithin(Slowdown(Groups(kHalfFixed, {{"pull_bound", "min_32_nr_running"}}), Groups(kBefore)),
               1.5, 15);
}

TEST(HackbenchWithoutTest, NewTasksAtTheTailTheHalfFixIsStillSlow) {
  ExpectWithin(Slowdown(Groups(kHalfFixed, {{"pull_list", "per_cpu_head"}}), Groups(kBefore)), 1.5,
               10);
}

}  // namespace
}  // namespace schedlab::sim
