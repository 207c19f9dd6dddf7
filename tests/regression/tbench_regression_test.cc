// tbench on Linux 2.6.33-rc1 (December 2009): a search for an idle CPU at each wakeup that crosses
// caches. What it costs comes out where the two ends of a connection are held apart; by the rules
// alone they come to share a CPU, and then nothing is searched.

#include <gtest/gtest.h>

#include "tests/regression/extent.h"
#include "tests/regression/measurement.h"

namespace schedlab::sim {
namespace {

using Switches = std::map<std::string, std::string>;

constexpr auto kBefore = "linux-fair-2.6.33@v2.6.32";
constexpr auto kBad = "linux-fair-2.6.33@v2.6.33-rc1";
constexpr auto kFix = "linux-fair-2.6.33@50b926e43962";

constexpr auto kThroughput = "megabytes_per_sec";
constexpr auto kSwitches = "context_switches_per_sec";

Case Tbench(const char* policy, const char* topology = "tulsa-4s", std::int64_t pair_count = 32) {
  return {.topology = topology,
          .workload = "tbench",
          .parameters = {{"pairs_count", pair_count}},
          .duration_ns = Sized(600, 2'000) * 1'000'000,
          .policy = policy};
}

// Without affine wakeups both ends stay where the balancer puts them; a search still takes place
// and is paid for, and what it finds is not used.
Case Apart(Case one) {
  one.switches["wake_affine"] = "off";
  return one;
}

Case With(Case one, const Switches& switches) {
  for (const auto& [name, value] : switches) one.switches[name] = value;
  return one;
}

Case AsRealTime(Case one) {
  one.parameters["rr_priority"] = 20;
  return one;
}

// Of the kernel before with one change of the bad one.
Estimate Alone(const Switches& change) {
  return ChangeOf(Tbench(kBefore), With(Tbench(kBefore), change), kThroughput);
}
Estimate AloneApart(const Switches& change) {
  return ChangeOf(Apart(Tbench(kBefore)), Apart(With(Tbench(kBefore), change)), kThroughput);
}

const Switches kSearch = {{"wake_idle_search", "prefer_sibling_climbing"}};
const Switches kGate = {{"newidle_gate", "avg_idle"}};
const Switches kScaling = {{"tunable_scaling", "log_cap8"}};
const Switches kClock = {{"clock_reads_per_wakeup", "two"}};

TEST(TbenchByTheRulesTest, BothEndsOfAConnectionComeToShareACache) {
  ExpectWithin(ValueOf(Tbench(kBefore), "wakeups_off_llc_ratio"), 0, 0.03);
  ExpectWithin(ValueOf(Tbench(kBad), "wakeups_off_llc_ratio"), 0, 0.03);
}

// Reported: -4 %.
TEST(TbenchByTheRulesTest, TheBadKernelIsNotSlowerOnFourSockets) {
  ExpectWithin(ChangeOf(Tbench(kBefore), Tbench(kBad), kThroughput), 0, 0.09);
}

TEST(TbenchByTheRulesTest, SwitchesFollowThroughput) {
  ExpectWithin(ChangeOf(Tbench(kBefore), Tbench(kBad), kSwitches), -0.01, 0.09);
}

TEST(TbenchByTheRulesTest, TheFixIsWithin2Percent) {
  ExpectWithin(ChangeOf(Tbench(kBefore), Tbench(kFix), kThroughput), -0.02, 0.02);
}

TEST(TbenchByTheRulesTest, NehalemIsWithinAPercent) {
  ExpectWithin(
      ChangeOf(Tbench(kBefore, "nehalem-ep-2s"), Tbench(kBad, "nehalem-ep-2s"), kThroughput), -0.01,
      0.01);
}

TEST(TbenchByTheRulesTest, ADesktopIsWithinAPercent) {
  ExpectWithin(
      ChangeOf(Tbench(kBefore, "core2-quad", 8), Tbench(kBad, "core2-quad", 8), kThroughput), -0.01,
      0.01);
}

// Single runs differ by 1 %.
TEST(TbenchInTheRealTimeClassTest, TheBadKernelIsAsFast) {
  ExpectWithin(ChangeOf(AsRealTime(Tbench(kBefore)), AsRealTime(Tbench(kBad)), kThroughput),
               {.row = {-0.005, 0.005}, .quick = {-0.01, 0.01}});
}

TEST(TbenchInTheRealTimeClassTest, TheSearchAloneChangesNothing) {
  ExpectWithin(ChangeOf(AsRealTime(Tbench(kBefore)), AsRealTime(With(Tbench(kBefore), kSearch)),
                        kThroughput),
               0, 0);
}

// Held apart, one seed differs from the next by percents: what two say is noise (LongTest).
TEST(TbenchApartLongTest, OnFourSocketsTheBadKernelLoses2To6Percent) {
  ExpectWithin(ChangeOf(Apart(Tbench(kBefore)), Apart(Tbench(kBad)), kThroughput), -0.06, -0.02);
}

TEST(TbenchApartLongTest, SwitchesGoDownWithThroughput) {
  ExpectWithin(ChangeOf(Apart(Tbench(kBefore)), Apart(Tbench(kBad)), kSwitches), -0.06, -0.02);
}

TEST(TbenchApartLongTest, TheFixIsAtMost4PercentSlower) {
  ExpectWithin(ChangeOf(Apart(Tbench(kBefore)), Apart(Tbench(kFix)), kThroughput), -0.04, 0.02);
}

TEST(TbenchApartLongTest, NehalemLosesAtMost3Percent) {
  ExpectWithin(ChangeOf(Apart(Tbench(kBefore, "nehalem-ep-2s")),
                        Apart(Tbench(kBad, "nehalem-ep-2s")), kThroughput),
               -0.03, 0.03);
}

TEST(TbenchApartLongTest, ADesktopLosesAtMost3Percent) {
  ExpectWithin(ChangeOf(Apart(Tbench(kBefore, "core2-quad", 8)),
                        Apart(Tbench(kBad, "core2-quad", 8)), kThroughput),
               -0.03, 0.01);
}

TEST(TbenchApartTest, QueueLocksAreWaitedForMore) {
  ExpectWithin(
      RatioOf(Apart(Tbench(kBefore)), Apart(With(Tbench(kBefore), kSearch)), "lock_wait_sec"), 1.3,
      10);
}

TEST(TbenchByTheRulesTest, NewlyIdlePassesBecomeFewer) {
  ExpectWithin(RatioOf(Tbench(kBefore), Tbench(kBad), "lb_count_newidle"), 0, 0.95);
}

// Expected: far fewer.
TEST(TbenchApartTest, NewlyIdlePassesAreAboutAsMany) {
  ExpectWithin(RatioOf(Apart(Tbench(kBefore)), Apart(Tbench(kBad)), "lb_count_newidle"), 0.5, 1.5);
}

TEST(TbenchApartTest, RemoteWakeupsAcrossSocketsDoNotBecomeFewer) {
  ExpectWithin(RatioOf(Apart(Tbench(kBefore)), Apart(Tbench(kBad)), "wakeups_remote/PKG"), 0.9, 3);
}

TEST(TbenchApartTest, WakeupsLeaveTheCacheAtLeastAsOften) {
  ExpectWithin(RatioOf(Apart(Tbench(kBefore)), Apart(Tbench(kBad)), "wakeups_off_llc_ratio"), 0.95,
               3);
}

// Overhead of the machine for each wakeup: the search, all else on its path, waiting for locks.
Estimate OverheadPerWakeup(const Case& before, const Case& after) {
  Estimate ratio = RatioOf(before, after, "overhead_ratio");
  const Estimate wakeups = RatioOf(before, after, "wakeups_per_sec");
  for (std::size_t i = 0; i < ratio.by_seed.size(); ++i) ratio.by_seed[i] /= wakeups.by_seed[i];
  return ratio;
}

TEST(TbenchApartTest, AWakeupTakesLongerByTheSearch) {
  const Case before = Apart(Tbench(kBefore));

  ExpectWithin(OverheadPerWakeup(before, With(before, kSearch)), 1.05, 2);
}

// Of all wakeups, those that stay on the CPU that wakes.
Estimate LocalWakeups(const Case& one) { return ShareOf(one, "ttwu_local", "ttwu_count"); }

TEST(TbenchByTheRulesTest, SomewhatFewerWakeupsAreLocal) {
  ExpectWithin(LocalWakeups(Tbench(kBad)) - LocalWakeups(Tbench(kBefore)),
               {.row = {-0.05, 0}, .quick = {-0.05, 0.05}});
}

TEST(TbenchApartTest, FewerWakeupsAreLocal) {
  ExpectWithin(LocalWakeups(Apart(Tbench(kBad))) - LocalWakeups(Apart(Tbench(kBefore))),
               {.row = {-0.1, 0}, .quick = {-0.1, 0.1}});
}

// Expected: more under one load, fewer under another.
TEST(TbenchByTheRulesTest, AffineMovesDoNotBecomeFewerWithAnyLoad) {
  const auto change = [](std::int64_t pair_count) {
    return RatioOf(Tbench(kBefore, "tulsa-4s", pair_count), Tbench(kBad, "tulsa-4s", pair_count),
                   "wakeups_moved_affine_per_sec");
  };

  ExpectWithin(change(8), 1, 10);
  ExpectWithin(change(32), 1, 10);
  ExpectWithin(change(64), 1, 10);
}

TEST(TbenchContributorsTest, TheSearchAloneCostsNothingByTheRules) {
  ExpectWithin(Alone(kSearch), -0.01, 0.09);
}

TEST(TbenchContributorsTest, TheGateAloneCostsNothingByTheRules) {
  ExpectWithin(Alone(kGate), -0.01, 0.05);
}

TEST(TbenchContributorsTest, TheScalingAloneCostsNothingByTheRules) {
  ExpectWithin(Alone(kScaling), -0.005, 0.005);
}

TEST(TbenchContributorsTest, TheClockReadAloneCostsNothingWhereItIsFree) {
  ExpectWithin(Alone(kClock), 0, 0);
}

TEST(TbenchContributorsTest, AClockReadOf80NanosecondsCostsLessThanAPercent) {
  Case before = Tbench(kBefore);
  before.costs = {{"clock_read_ns", 80}};

  ExpectWithin(ChangeOf(before, With(before, kClock), kThroughput), -0.008, -0.001);
}

TEST(TbenchContributorsLongTest, TheSearchAloneCostsPercentsApart) {
  ExpectWithin(AloneApart(kSearch), -0.04, -0.005);
}

TEST(TbenchContributorsLongTest, TheGateAloneCostsLessThan4PercentApart) {
  ExpectWithin(AloneApart(kGate), -0.04, 0.02);
}

TEST(TbenchContributorsLongTest, TheScalingAloneIsWithin2PercentApart) {
  ExpectWithin(AloneApart(kScaling), -0.02, 0.02);
}

TEST(TbenchContributorsLongTest, EachAloneCostsLessThanAllTogetherApart) {
  const Estimate all = ChangeOf(Apart(Tbench(kBefore)), Apart(Tbench(kBad)), kThroughput);

  ExpectWithin(AloneApart(kSearch) - all, 0, 0.06);
  ExpectWithin(AloneApart(kGate) - all, 0, 0.06);
  ExpectWithin(AloneApart(kScaling) - all, 0, 0.06);
  ExpectWithin(AloneApart(kClock) - all, 0, 0.06);
}

// The search alone, apart, by the price of reading a queue on another socket.
Estimate LossByProbePrice(std::int64_t probe_ns) {
  Case before = Apart(Tbench(kBefore));
  before.costs = {{"probe_same_node_ns", probe_ns}};
  return ChangeOf(before, With(before, kSearch), kThroughput);
}

TEST(TbenchProbePriceTest, FreeProbesCostNothing) {
  Case before = Apart(Tbench(kBefore));
  before.costs = {{"probe_same_node_ns", 0}, {"probe_same_llc_ns", 0}, {"probe_same_core_ns", 0}};

  ExpectWithin(ChangeOf(before, With(before, kSearch), kThroughput), -0.001, 0.001);
}

TEST(TbenchProbePriceLongTest, Of100NanosecondsTheSearchCostsUpTo4Percent) {
  ExpectWithin(LossByProbePrice(100), -0.04, 0.005);
}

// The price that ships.
TEST(TbenchProbePriceLongTest, Of150NanosecondsTheSearchCosts1To4Percent) {
  ExpectWithin(AloneApart(kSearch), -0.04, -0.01);
}

TEST(TbenchProbePriceLongTest, Of250NanosecondsTheSearchCosts2To6Percent) {
  ExpectWithin(LossByProbePrice(250), -0.065, -0.02);
}

TEST(TbenchProbePriceLongTest, Of400NanosecondsTheSearchCosts4To9Percent) {
  ExpectWithin(LossByProbePrice(400), -0.09, -0.04);
}

}  // namespace
}  // namespace schedlab::sim
