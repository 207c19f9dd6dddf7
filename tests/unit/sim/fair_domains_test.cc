#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/fair/domains.h"
#include "sim/fair/group_load.h"
#include "sim/fair/imbalance.h"
#include "sim/fair/load.h"
#include "tests/unit/sim/fair_machine.h"

namespace schedlab::sim::fair {
namespace {

// Four nodes in a ring, two CPUs each: a neighbour is one hop away, the opposite node two.
Topology Ring() {
  Topology topology = testing::FreeTopology("numa:4 core:2");
  topology.node_distances = {
      {10, 16, 22, 16}, {16, 10, 16, 22}, {22, 16, 10, 16}, {16, 22, 16, 10}};
  return topology;
}

std::vector<std::vector<CpuNumber>> GroupsOf(const Domain& domain) {
  std::vector<std::vector<CpuNumber>> groups;
  for (const Group* group : domain.groups) groups.push_back(group->cpus);
  return groups;
}

using Groups = std::vector<std::vector<CpuNumber>>;

TEST(FairDomainsTest, EachDistanceBetweenNodesIsALevel) {
  const Machine machine(Ring());
  const Domains domains(machine);

  ASSERT_EQ(domains.Of(0).size(), 3U);
  EXPECT_EQ(domains.Of(0)[1].span, (std::vector<CpuNumber>{0, 1, 2, 3, 6, 7}));
  EXPECT_EQ(domains.Of(0)[2].span.size(), 8U);
}

TEST(FairDomainsTest, BeforeThatAllNodesAreOneLevel) {
  const Machine machine(Ring());
  const Domains domains(machine, {.domain_constants = DomainConstants::kFrom2632});

  ASSERT_EQ(domains.Of(0).size(), 2U);
  EXPECT_EQ(domains.Of(0)[1].groups.size(), 4U);
  EXPECT_EQ(domains.Of(0)[1].parameters.min_interval_ms, 8);
}

// Nodes 1 and 3 are next to node 0 and next to node 2: both groups have them.
TEST(FairDomainsTest, GroupsThatTheFirstCpuSeesAreTheSameForAll) {
  const Machine machine(Ring());
  const Domains domains(machine);

  const Groups expected = {{0, 1, 2, 3, 6, 7}, {2, 3, 4, 5, 6, 7}};
  EXPECT_EQ(GroupsOf(domains.Of(0)[2]), expected);
  EXPECT_EQ(GroupsOf(domains.Of(7)[2]), expected);
}

TEST(FairDomainsTest, GroupsOfACpusOwnViewBeginWithItsOwnNode) {
  const Machine machine(Ring());
  const Domains domains(machine, {.numa_groups = NumaGroups::kOwnCpu});

  const Groups expected = {{0, 1, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5}};
  EXPECT_EQ(GroupsOf(domains.Of(7)[2]), expected);
}

TEST(FairDomainsTest, OfOverlappingGroupsOnlyCpusThatSeeItSoBalance) {
  const Machine machine(Ring());
  const Domains domains(machine, {.numa_groups = NumaGroups::kOwnCpu});

  EXPECT_EQ(domains.Of(7)[2].groups.front()->balancers.First(), 6);
  EXPECT_EQ(domains.Of(7)[2].groups.front()->balancers.Count(), 2);
}

// Scheduling Group Construction: tasks of node 1 stay there although node 3, two hops away, idles.
TEST(FairDomainsTest, ANodeThatIsInEveryGroupOfTheFirstCpuNeverPullsFromTwoHopsAway) {
  FairMachine fair(Ring());
  fair.QueueMany(2, 8);
  Pass pass = fair.PassFor(6, 0, IdleType::kNewlyIdle);
  pass.level = 2;

  EXPECT_TRUE(IsBalanced(fair.state(), pass, MeasureDomain(fair.state(), pass)));
}

TEST(FairDomainsTest, OfItsOwnViewItDoes) {
  FairMachine fair(Ring(), {.numa_groups = NumaGroups::kOwnCpu});
  fair.QueueMany(2, 8);
  Pass pass = fair.PassFor(6, 0, IdleType::kNewlyIdle);
  pass.level = 2;

  EXPECT_FALSE(IsBalanced(fair.state(), pass, MeasureDomain(fair.state(), pass)));
}

TEST(FairDomainsTest, ARebuildLeavesACpuOut) {
  const Machine machine(Ring());
  Domains domains(machine);
  CpuSet online = machine.AllCpus();
  online.Remove(1);
  domains.Rebuild(online);

  EXPECT_TRUE(domains.Of(1).empty());
  ASSERT_EQ(domains.Of(0).size(), 2U);
  EXPECT_EQ(domains.Of(0)[1].span.size(), 7U);
  EXPECT_EQ(GroupsOf(domains.Of(0)[0])[0], (std::vector<CpuNumber>{0}));
}

TEST(FairDomainsTest, ARebuildKeepsWhatWasCounted) {
  const Machine machine(Ring());
  Domains domains(machine);
  domains.Of(2)[0].passes[0].count = 5;
  domains.Of(2)[0].interval_ms = 4;
  domains.Rebuild(machine.AllCpus());

  EXPECT_EQ(domains.Of(2)[0].passes[0].count, 5);
  EXPECT_EQ(domains.Of(2)[0].interval_ms, domains.Of(2)[0].parameters.min_interval_ms);
}

// Missing Scheduling Domains: what was once removed is not built again.
TEST(FairDomainsTest, ARemovalMayCostTheLevelsAboveTheNodeForGood) {
  const Machine machine(Ring());
  Domains domains(machine, {.hotplug_domains = HotplugDomains::kWithoutNuma});
  CpuSet online = machine.AllCpus();
  online.Remove(1);
  domains.Rebuild(online);
  domains.Rebuild(machine.AllCpus());

  ASSERT_EQ(domains.Of(0).size(), 1U);
  EXPECT_EQ(domains.Of(0)[0].span, (std::vector<CpuNumber>{0, 1}));
}

TEST(FairDomainsTest, OlderConstantsReadHistoryWhenNewlyIdle) {
  const Machine machine(testing::FreeTopology("numa:2 core:2"));
  const Domains domains(machine, {.domain_constants = DomainConstants::kFrom2631});

  EXPECT_EQ(domains.Of(0).back().parameters.newidle_index, 2U);
  EXPECT_EQ(domains.Of(0).front().parameters.wake_index, 1U);
}

TEST(FairDomainsTest, NewerConstantsFollowTheSizeOfALevel) {
  const Machine machine(testing::FreeTopology("numa:2 core:8 pu:2"));
  const Domains domains(machine, {.domain_constants = DomainConstants::kFrom510});

  EXPECT_EQ(domains.Of(0)[1].parameters.min_interval_ms, 16);
  EXPECT_EQ(domains.Of(0)[1].parameters.imbalance_pct, 117);
  EXPECT_EQ(domains.Of(0)[1].parameters.busy_factor, 16);
}

TEST(FairDomainsTest, FarNodesTakeNoPartInForkAndAffineWakeups) {
  Topology topology = testing::FreeTopology("numa:2 core:2");
  topology.node_distances = {{10, 40}, {40, 10}};
  const Machine machine(topology);
  const Domains domains(machine, {.domain_constants = DomainConstants::kFrom510});

  EXPECT_FALSE(domains.Of(0).back().parameters.balances_new_tasks);
  EXPECT_FALSE(domains.Of(0).back().parameters.attracts_wakeups);
}

TEST(FairDomainsTest, TheOldestKernelsLookOnlyAmongThreadsWhenNewlyIdle) {
  const Machine machine(testing::FreeTopology("package:2 core:2 pu:2"));
  const Domains domains(machine, {.newidle_levels = NewidleLevels::kSmtAndAllnodes});

  EXPECT_TRUE(domains.Of(0)[0].parameters.balances_newidle);
  EXPECT_FALSE(domains.Of(0)[1].parameters.balances_newidle);
}

TEST(FairDomainsTest, APackageThatSharesItsCacheMayCountAsOneCpu) {
  const Machine machine(testing::FreeTopology("package:2 core:8 pu:2"));
  const Domains domains(machine, {.group_capacity = GroupCapacity::kOneWhereShared});

  EXPECT_EQ(domains.Of(0)[2].groups[0]->power, 1'024);
}

std::int64_t CapacityOfAPackage(GroupCapacity rule) {
  FairMachine fair("package:2 core:8 pu:2", {.group_capacity = rule});
  fair.QueueMany(16, 12);
  Pass pass = fair.PassFor(0, 0, IdleType::kNewlyIdle);
  pass.level = 2;
  return MeasureDomain(fair.state(), pass).busiest.capacity;
}

// Eight cores of two threads have the power of nine CPUs.
TEST(FairDomainsTest, CapacityIsTheRoundedPowerOfAGroup) {
  EXPECT_EQ(CapacityOfAPackage(GroupCapacity::kRoundedPower), 9);
}

TEST(FairDomainsTest, OrItsNumberOfCores) {
  EXPECT_EQ(CapacityOfAPackage(GroupCapacity::kCappedByCores), 8);
}

TEST(FairDomainsTest, TheWishToSpreadClipsCapacityOnlyWhileThereIsRoomHere) {
  FairMachine fair("package:2 core:4", {.prefer_sibling = PreferSibling::kMcAndCpu});
  fair.Queue(4);
  fair.Queue(5);
  fair.QueueMany(0, 9);
  Pass pass = fair.PassFor(0, 0, IdleType::kNewlyIdle);
  pass.level = 1;

  EXPECT_EQ(MeasureDomain(fair.state(), pass).busiest.group, nullptr);
}

TEST(FairDomainsTest, OrAlways) {
  FairMachine fair("package:2 core:4", {.prefer_sibling = PreferSibling::kMcAndCpu,
                                        .local_room_rule = LocalRoomRule::kNone});
  fair.Queue(4);
  fair.Queue(5);
  fair.QueueMany(0, 9);
  Pass pass = fair.PassFor(0, 0, IdleType::kNewlyIdle);
  pass.level = 1;

  EXPECT_NE(MeasureDomain(fair.state(), pass).busiest.group, nullptr);
}

// Group Imbalance: a heavy task hides the idle CPU beside it.
DomainLoad BesideAHeavyTask(FairMachine& fair, Pass& pass) {
  fair.Queue(0, -15);
  fair.QueueMany(2, 2);
  fair.QueueMany(3, 2);
  for (const CpuNumber cpu : {0, 2, 3}) {
    fair.state().Queue(cpu).load_history.fill(CpuLoad(fair.state(), cpu));
  }
  pass = fair.PassFor(1, 0);
  pass.level = 1;
  return MeasureDomain(fair.state(), pass);
}

TEST(FairDomainsTest, ByAverageLoadANodeWithAHeavyTaskDoesNotPull) {
  FairMachine fair("numa:2 core:2");
  Pass pass;
  const DomainLoad loads = BesideAHeavyTask(fair, pass);

  EXPECT_TRUE(IsBalanced(fair.state(), pass, loads));
}

TEST(FairDomainsTest, ByTheLoadOfItsLeastLoadedCpuItDoes) {
  FairMachine fair("numa:2 core:2", {.group_load_measure = GroupLoadMeasure::kMinimum});
  Pass pass;
  const DomainLoad loads = BesideAHeavyTask(fair, pass);

  EXPECT_FALSE(IsBalanced(fair.state(), pass, loads));
  EXPECT_GT(ImbalanceOf(fair.state(), pass, loads), 0);
}

// Per CPU 1024 against 1.5 times that, of two tasks at most.
TEST(FairDomainsTest, AGroupThatWouldGetTheTaskBackIsBalancedByTheOlderAmount) {
  FairMachine fair("package:4", {.idle_rule = IdleRule::kPctTest,
                                 .imbalance_amount = ImbalanceAmount::kAboveOneTask});
  fair.Queue(0, -3);
  const Pass pass = fair.PassFor(1, 0, IdleType::kBusy);
  DomainLoad loads = MeasureDomain(fair.state(), pass);
  loads.busiest = loads.local;
  loads.busiest.group = fair.state().domains.Of(1)[0].groups[3];
  loads.busiest.task_count = 1;
  loads.busiest.average = loads.busiest.per_task = 1'991;

  EXPECT_TRUE(IsBalanced(fair.state(), pass, loads));
}

}  // namespace
}  // namespace schedlab::sim::fair
