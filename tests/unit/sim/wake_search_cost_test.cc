// tbench on Linux 2.6.33-rc1 (December 2009): a search for an idle CPU at each wakeup that crosses
// caches. What it costs comes out where the two ends of a connection are held apart; by the rules
// alone they come to share a CPU, and then nothing is searched. docs/fidelity.md has the numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/sim/seeded_runs.h"

namespace schedlab::sim {
namespace {

constexpr auto kBefore = "linux-fair-2.6.33@v2.6.32";
constexpr auto kBad = "linux-fair-2.6.33@v2.6.33-rc1";
constexpr std::uint64_t kSeedCount = 3;

using Overrides = std::map<std::string, std::string>;

Scenario Tbench(const std::string& topology, std::int64_t pair_count,
                std::int64_t rr_priority = 0) {
  Scenario scenario = ShippedScenario(topology, "tbench",
                                      {{"pairs_count", pair_count}, {"rr_priority", rr_priority}});
  scenario.duration_ns = 1'000'000'000;
  return scenario;
}

// Without affine wakeups both ends stay where the balancer puts them; a search still takes place,
// and what it finds is not used.
Results RunApart(const Scenario& scenario, const std::string& wake_idle_search) {
  const Overrides switches = {{"wake_affine", "off"}, {"wake_idle_search", wake_idle_search}};
  return RunSeeds(scenario, ShippedPolicy(kBefore, switches), kSeedCount);
}

// Computed once for all the tests.
const Results& ApartWithoutSearch() {
  static const Results kResults = RunApart(Tbench("tulsa-4s", 32), "none");
  return kResults;
}

const Results& ApartWithSearch() {
  static const Results kResults = RunApart(Tbench("tulsa-4s", 32), "prefer_sibling_climbing");
  return kResults;
}

TEST(WakeSearchCostTest, BothEndsOfAConnectionComeToShareACpu) {
  const Results before = RunSeeds(Tbench("tulsa-4s", 32), ShippedPolicy(kBefore), kSeedCount);
  const Results bad = RunSeeds(Tbench("tulsa-4s", 32), ShippedPolicy(kBad), kSeedCount);

  EXPECT_LT(Mean(before, "wakeups_off_llc_ratio"), 0.05);
  EXPECT_LT(Mean(bad, "wakeups_off_llc_ratio"), 0.05);
}

TEST(WakeSearchCostTest, HeldApartOnFourSocketsTheSearchCostsPercentsOfThroughput) {
  const double change =
      RelativeChange(ApartWithoutSearch(), ApartWithSearch(), "megabytes_per_sec");

  EXPECT_LT(change, -0.01);
  EXPECT_GT(change, -0.06);
}

TEST(WakeSearchCostTest, ContextSwitchesGoDownWithThroughput) {
  EXPECT_LT(RelativeChange(ApartWithoutSearch(), ApartWithSearch(), "context_switches_per_sec"),
            -0.01);
}

TEST(WakeSearchCostTest, QueueLocksAreWaitedForMore) {
  EXPECT_GT(RelativeChange(ApartWithoutSearch(), ApartWithSearch(), "lock_wait_sec"), 0.3);
}

TEST(WakeSearchCostTest, WhereReadingAnotherQueueIsFreeTheSearchIsToo) {
  Scenario scenario = Tbench("tulsa-4s", 32);
  scenario.topology.costs.probe_same_core_ns = 0;
  scenario.topology.costs.probe_same_llc_ns = 0;
  scenario.topology.costs.probe_same_node_ns = 0;

  const double change =
      RelativeChange(RunApart(scenario, "none"), RunApart(scenario, "prefer_sibling_climbing"),
                     "megabytes_per_sec");

  EXPECT_LT(std::abs(change), 0.001);
}

TEST(WakeSearchCostTest, InTheRealTimeClassTheSearchDoesNotTakePlace) {
  const Scenario scenario = Tbench("tulsa-4s", 32, 20);
  const Results before = RunSeeds(scenario, ShippedPolicy(kBefore), kSeedCount);
  const Results searching =
      RunSeeds(scenario, ShippedPolicy(kBefore, {{"wake_idle_search", "prefer_sibling_climbing"}}),
               kSeedCount);

  EXPECT_DOUBLE_EQ(RelativeChange(before, searching, "megabytes_per_sec"), 0);
}

TEST(WakeSearchCostTest, OnOneDesktopCpuTheBadKernelLosesLessThanAPercent) {
  const Scenario scenario = Tbench("core2-quad", 8);
  const Results before = RunSeeds(scenario, ShippedPolicy(kBefore), kSeedCount);
  const Results bad = RunSeeds(scenario, ShippedPolicy(kBad), kSeedCount);

  EXPECT_LT(std::abs(RelativeChange(before, bad, "megabytes_per_sec")), 0.01);
}

}  // namespace
}  // namespace schedlab::sim
