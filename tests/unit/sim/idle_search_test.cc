#include <gtest/gtest.h>

#include "sim/fair/idle_search_sis.h"
#include "sim/fair/placement.h"
#include "sim/fair/wake_affine.h"
#include "tests/unit/sim/fair_machine.h"

namespace schedlab::sim::fair {
namespace {

constexpr auto kTwoCaches = "package:2 core:8";
constexpr auto kThreads = "package:2 core:4 pu:2";

CpuNumber Found(FairMachine& fair, CpuNumber target, CpuNumber previous) {
  return ScanForIdle(fair.state(), fair.Sleeper(previous), {.target = target, .by = target});
}

TEST(IdleSearchTest, TheScanBudgetFallsWithTheSquareOfUtilisation) {
  EXPECT_EQ(ScanBudget(16, 0, 117), 16);
  EXPECT_EQ(ScanBudget(16, 16 * 512, 117), 10);
  EXPECT_EQ(ScanBudget(16, 16 * 880, 117), 0);
  EXPECT_EQ(ScanBudget(16, 16 * 1024, 117), 0);
}

TEST(IdleSearchTest, AScanByUtilisationBeginsAfterTheTarget) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kSisUtil});
  fair.Queue(3);
  fair.Queue(4);

  EXPECT_EQ(Found(fair, 3, 3), 5);
}

TEST(IdleSearchTest, ItLooksAtNoMoreCpusThanItsBudget) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kSisUtil});
  for (const CpuNumber cpu : {0, 1, 2}) fair.Queue(cpu);
  NoteCacheUtilization(fair.state(), 0, 8 * 820, 117);

  EXPECT_EQ(Found(fair, 0, 0), 0);
}

TEST(IdleSearchTest, AtHighUtilisationItDoesNotScanAtAll) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kSisUtil});
  fair.Queue(0);
  NoteCacheUtilization(fair.state(), 0, 8 * 1024, 117);

  EXPECT_EQ(Found(fair, 0, 0), 0);
}

TEST(IdleSearchTest, APassOverTheCacheRefreshesTheBudgetUnlessItIsNewlyIdle) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kSisUtil});
  const CacheState& cache = fair.state().balance.caches[0];
  const std::int64_t before = cache.scan_budget;

  RunPass(fair.state(), {.by = 0, .cpu = 0, .level = 0, .idle = IdleType::kNewlyIdle});
  EXPECT_EQ(cache.scan_budget, before);
  RunPass(fair.state(), {.by = 0, .cpu = 0, .level = 0, .idle = IdleType::kIdle});
  EXPECT_EQ(cache.scan_budget, 8);
}

TEST(IdleSearchTest, ThePreviousCpuIsTriedBeforeTheCache) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kSisProp});
  fair.Queue(0);

  EXPECT_EQ(Found(fair, 0, 6), 6);
  EXPECT_EQ(Found(fair, 0, 12), 1);
}

TEST(IdleSearchTest, AProportionalScanLooksAtThreeCpusAtLeast) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kSisProp});
  for (const CpuNumber cpu : {0, 1, 2}) fair.Queue(cpu);
  fair.state().Queue(0).average_idle = SimDuration{0};

  EXPECT_EQ(Found(fair, 0, 0), 0);
  EXPECT_EQ(Found(fair, 1, 1), 3);
}

TEST(IdleSearchTest, TheOldestScanIsDroppedWhereItCostsMoreThanItMayGain) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kSisAvgCost});
  fair.Queue(0);
  EXPECT_EQ(Found(fair, 0, 0), 1);

  fair.state().balance.scan_costs[0] = SimDuration{1'000'000};
  EXPECT_EQ(Found(fair, 0, 0), 0);
}

TEST(IdleSearchTest, AnIdleCoreIsPreferredWhereTheHintSaysThatThereIsOne) {
  FairMachine fair(kThreads, {.wake_idle_search = WakeIdleSearch::kSisUtil});
  for (const CpuNumber cpu : {0, 2}) fair.Queue(cpu);
  NoteIdleCore(fair.state(), 4);

  EXPECT_EQ(Found(fair, 0, 0), 4);
}

TEST(IdleSearchTest, WithoutTheHintAThreadOfThePreviousCoreComesFirst) {
  FairMachine fair(kThreads, {.wake_idle_search = WakeIdleSearch::kSisOneScanSmt});
  for (const CpuNumber cpu : {0, 2, 6}) fair.Queue(cpu);
  fair.state().balance.caches[0].has_idle_core = false;

  EXPECT_EQ(Found(fair, 0, 6), 7);
}

TEST(IdleSearchTest, AHintThatProvesWrongIsCleared) {
  FairMachine fair(kThreads, {.wake_idle_search = WakeIdleSearch::kSisOneScan});
  for (const CpuNumber cpu : {0, 2, 4, 6}) fair.Queue(cpu);
  fair.state().balance.caches[0].has_idle_core = true;

  EXPECT_EQ(Found(fair, 0, 0), 1);
  EXPECT_FALSE(fair.state().balance.caches[0].has_idle_core);
}

TEST(IdleSearchTest, TheCpuBeforeThePreviousOneIsRemembered) {
  FairMachine fair(kTwoCaches,
                   {.wake_idle_search = WakeIdleSearch::kSisUtil, .wake_recent_cpu = OffOn::kOn});
  fair.Queue(0);
  fair.Queue(1);
  Task& task = fair.Sleeper(1);
  task.fair.recent_cpu = 5;

  EXPECT_EQ(ScanForIdle(fair.state(), task, {.target = 0, .by = 0}), 5);
  EXPECT_EQ(task.fair.recent_cpu, 1);
}

TEST(IdleSearchTest, ACpuWithNothingButSchedIdleTasksIsIdleFrom54On) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kSisUtil,
                                .sched_idle_cpus = SchedIdleCpus::kIdle});
  fair.Queue(0).attributes.policy = SchedPolicy::kIdle;

  EXPECT_EQ(Found(fair, 0, 0), 0);
  fair.Queue(0);
  EXPECT_EQ(Found(fair, 0, 0), 1);
}

bool Comes(FairMachine& fair, CpuNumber here, CpuNumber previous) {
  Task& task = fair.Sleeper(previous);
  task.fair.queue = &fair.state().Queue(previous).root;
  Domain* const domain = AffineDomain(fair.state(), task, {.cpu = here});
  return domain != nullptr && IsAffine(fair.state(), *domain, task, {.cpu = here});
}

TEST(WakeAffineTest, From413OnACpuOfTheSameCacheAttractsWhateverItsLoad) {
  FairMachine fair(kTwoCaches, {.wake_affine_rule = WakeAffineRule::kSameCache});
  fair.QueueMany(0, 3);

  EXPECT_TRUE(Comes(fair, 0, 1));
  EXPECT_FALSE(Comes(fair, 0, 9));
}

TEST(WakeAffineTest, From414OnAnIdlePreviousCpuOfTheSameCacheKeepsItsTask) {
  FairMachine fair(kTwoCaches, {.wake_affine_rule = WakeAffineRule::kIdleOrWeight});

  EXPECT_FALSE(Comes(fair, 0, 1));
  fair.Queue(1);
  EXPECT_TRUE(Comes(fair, 0, 1));
}

TEST(WakeAffineTest, From511OnSoDoesAnIdlePreviousCpuElsewhere) {
  FairMachine fair(kTwoCaches, {.wake_affine_rule = WakeAffineRule::kIdleOrWeightOrPrev});

  EXPECT_FALSE(Comes(fair, 0, 9));
}

}  // namespace
}  // namespace schedlab::sim::fair
