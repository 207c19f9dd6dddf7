// Linux 3.12-rc: "sched: Factor out code to should_we_balance()" inverted the election of the CPU
// that balances. fs_mark on a 16-CPU guest lost 26 % at the same CPU time per file. Nothing here is
// fitted to that loss: what follows must come out of the mechanisms, whatever the seed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/sim/seeded_runs.h"

namespace schedlab::sim {
namespace {

constexpr const char* kParent = "linux-fair@95a79b805b93";
constexpr const char* kInverted = "linux-fair@23f0d2093c78";
constexpr const char* kFix = "linux-fair@b0cff9d88ce2";

// Of candidate to baseline, seed by seed.
double LargestRatio(const Results& baseline, const Results& candidate, const std::string& metric) {
  double largest = 0;
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    const double ratio = candidate[i].metrics.at(metric) / baseline[i].metrics.at(metric);
    largest = std::max(largest, ratio);
  }
  return largest;
}

class FsMarkTest : public ::testing::Test {
 protected:
  // Computed once for all the tests: each set is ten whole runs.
  static const Results& Parent() {
    static const Results kResults = Run16x1(kParent, {});
    return kResults;
  }
  static const Results& Inverted() {
    static const Results kResults = Run16x1(kInverted, {});
    return kResults;
  }
  static Results Run16x1(const std::string& policy,
                         const std::map<std::string, std::string>& switches) {
    return RunSeeds(ShippedScenario("kvm-16x1", "fs_mark"), ShippedPolicy(policy, switches));
  }
};

TEST_F(FsMarkTest, TheInvertedElectionLosesBetween15And31Percent) {
  const double change = RelativeChange(Parent(), Inverted(), "files_per_sec");

  EXPECT_LE(change, -0.15);
  EXPECT_GE(change, -0.31);
}

TEST_F(FsMarkTest, EverySeedLosesMoreThanATenth) {
  EXPECT_LT(LargestRatio(Parent(), Inverted(), "files_per_sec"), 0.9);
}

TEST_F(FsMarkTest, TheCpuTimePerFileStaysWithin3Percent) {
  EXPECT_LT(std::abs(RelativeChange(Parent(), Inverted(), "cpu_time_per_op_ns")), 0.03);
}

TEST_F(FsMarkTest, IdleTimeGrowsBy10To30Points) {
  const double growth = Mean(Inverted(), "idle_ratio") - Mean(Parent(), "idle_ratio");

  EXPECT_GE(growth, 0.10);
  EXPECT_LE(growth, 0.30);
}

TEST_F(FsMarkTest, CpusAreIdleWhileTasksWait) {
  EXPECT_GT(Mean(Inverted(), "wasted_cpu_seconds"), 3 * Mean(Parent(), "wasted_cpu_seconds"));
}

TEST_F(FsMarkTest, EveryPeriodicAndIdlePassIsRefused) {
  EXPECT_GT(Mean(Inverted(), "lb_count_idle"), 0);
  EXPECT_EQ(Mean(Inverted(), "lb_balanced_idle"), Mean(Inverted(), "lb_count_idle"));
  EXPECT_EQ(Mean(Inverted(), "lb_balanced_busy"), Mean(Inverted(), "lb_count_busy"));
  EXPECT_EQ(Mean(Inverted(), "lb_gained_idle"), 0);
  EXPECT_EQ(Mean(Inverted(), "lb_gained_busy"), 0);
  EXPECT_EQ(Mean(Inverted(), "lb_failed_idle"), 0);
}

TEST_F(FsMarkTest, IdlePassesKicksAndNewlyIdlePullsBecomeMore) {
  EXPECT_GT(Mean(Inverted(), "lb_count_idle"), Mean(Parent(), "lb_count_idle"));
  EXPECT_GT(Mean(Inverted(), "nohz_kicks"), Mean(Parent(), "nohz_kicks"));
  EXPECT_GT(Mean(Inverted(), "lb_gained_newidle"), 2 * Mean(Parent(), "lb_gained_newidle"));
}

TEST_F(FsMarkTest, TheFixIsAsFastAsBefore) {
  const Scenario scenario = ShippedScenario("kvm-16x1", "fs_mark", {{"iterations_count", 1}});
  const Results release = RunSeeds(scenario, ShippedPolicy("linux-fair@v3.11"));
  const Results fix = RunSeeds(scenario, ShippedPolicy(kFix));

  EXPECT_LT(std::abs(RelativeChange(release, fix, "files_per_sec")), 0.03);
}

// The sharpest check of the mechanism: the whole difference is the kick of idle CPUs.
TEST_F(FsMarkTest, WithoutKicksTheCorrectElectionFallsToTheLevelOfTheInvertedOne) {
  const Results without = Run16x1(kParent, {{"nohz_kick", "off"}});

  EXPECT_LT(std::abs(RelativeChange(Inverted(), without, "files_per_sec")), 0.06);
}

TEST(FsMarkOfOneCacheTest, TheSearchOfWakeupsRepairsAllBut3Percent) {
  const Scenario scenario = ShippedScenario("kvm-1x16", "fs_mark", {{"iterations_count", 1}});
  const Results parent = RunSeeds(scenario, ShippedPolicy(kParent));
  const Results inverted = RunSeeds(scenario, ShippedPolicy(kInverted));

  EXPECT_GT(RelativeChange(parent, inverted, "files_per_sec"), -0.03);
}

TEST(FsMarkOfOneCacheTest, WithoutThatSearchItLosesAsMuchAsWithoutACache) {
  const Scenario scenario = ShippedScenario("kvm-1x16", "fs_mark", {{"iterations_count", 1}});
  const Results parent = RunSeeds(scenario, ShippedPolicy(kParent, {{"wake_idle_search", "none"}}));
  const Results inverted =
      RunSeeds(scenario, ShippedPolicy(kInverted, {{"wake_idle_search", "none"}}));

  EXPECT_LT(RelativeChange(parent, inverted, "files_per_sec"), -0.15);
}

TEST(HackbenchTest, AnOversubscribedRunDoesNotChange) {
  const Scenario scenario = ShippedScenario("kvm-16x1", "hackbench");
  const Results parent = RunSeeds(scenario, ShippedPolicy(kParent));
  const Results inverted = RunSeeds(scenario, ShippedPolicy(kInverted));

  EXPECT_LT(std::abs(RelativeChange(parent, inverted, "messages_per_sec")), 0.04);
}

// 16 spinners, started on 4 CPUs of 16. Housekeeping wakes every CPU once a round.
class StackedSpinnersTest : public ::testing::TestWithParam<const char*> {
 protected:
  static constexpr std::int64_t kRoundNs = 4'000'000'000;

  static RunResult RunStack(const char* policy, std::int64_t housekeeping_period_ns) {
    Scenario scenario =
        ShippedScenario(GetParam(), "spinners", {{"tasks_count", 16}, {"start_cpus_count", 4}});
    scenario.topology.housekeeping_period_ns = housekeeping_period_ns;
    scenario.duration_ns = 10'000'000'000;
    return RunTwice(scenario, ShippedPolicy(policy), 1);
  }
};

TEST_P(StackedSpinnersTest, TheCorrectElectionSpreadsThemIn100Milliseconds) {
  const RunResult result = RunStack(kParent, 0);

  EXPECT_LT(result.metrics.at("last_wasted_at_sec"), 0.1);
}

TEST_P(StackedSpinnersTest, TheInvertedElectionNeverSpreadsThem) {
  const RunResult result = RunStack(kInverted, 0);

  EXPECT_DOUBLE_EQ(result.metrics.at("last_wasted_at_sec"), 10);
  EXPECT_NEAR(result.metrics.at("idle_ratio"), 0.75, 0.001);
}

TEST_P(StackedSpinnersTest, HousekeepingRepairsThemInOneRound) {
  const RunResult result = RunStack(kInverted, kRoundNs);

  EXPECT_GT(result.metrics.at("last_wasted_at_sec"), 1);
  EXPECT_LT(result.metrics.at("last_wasted_at_sec"), 4.1);
}

INSTANTIATE_TEST_SUITE_P(Guests, StackedSpinnersTest,
                         ::testing::Values("kvm-16x1", "kvm-1x16", "kvm-4x4"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace schedlab::sim
