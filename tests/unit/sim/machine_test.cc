#include "sim/machine.h"

#include <gtest/gtest.h>

#include "tests/support/topologies.h"

namespace schedlab::sim {
namespace {

SimTime At(std::int64_t ns) { return SimTime(SimDuration(ns)); }

TEST(MachineTest, DistancesFollowTheTopology) {
  const Machine machine(testing::FreeTopology("numa:2 package:2 core:2 pu:2"));

  EXPECT_EQ(machine.DistanceBetween(0, 0), Distance::kSameCpu);
  EXPECT_EQ(machine.DistanceBetween(0, 1), Distance::kSameCore);
  EXPECT_EQ(machine.DistanceBetween(0, 2), Distance::kSameLlc);
  EXPECT_EQ(machine.DistanceBetween(0, 4), Distance::kSameNode);
  EXPECT_EQ(machine.DistanceBetween(0, 8), Distance::kRemote);
}

TEST(MachineTest, CostsBetweenNodesGrowWithTheirDistance) {
  Topology topology = testing::FreeTopology("numa:3 core:2");
  topology.node_distances = {{10, 16, 22}, {16, 10, 16}, {22, 16, 10}};
  topology.costs.probe_same_llc_ns = 20;
  topology.costs.probe_same_node_ns = 100;
  topology.costs.probe_remote_ns = 150;
  topology.costs.refill_same_node_ns = 1'000;
  topology.costs.refill_remote_ns = 5'000;
  const Machine machine(topology);

  EXPECT_EQ(machine.ProbeCost(0, 0), 0);
  EXPECT_EQ(machine.ProbeCost(0, 1), 20);
  EXPECT_EQ(machine.ProbeCost(0, 2), 150);
  EXPECT_EQ(machine.ProbeCost(0, 4), 200);
  EXPECT_EQ(machine.ProbeCost(4, 0), 200);
  EXPECT_EQ(machine.RefillCost(2, 4), 5'000);
  EXPECT_EQ(machine.RefillCost(0, 5), 9'000);
  EXPECT_EQ(machine.DistanceBetween(0, 4), Distance::kRemote);
}

TEST(MachineTest, AMoveAcrossNodesCostsItsRefillMoreThanOneWithinANode) {
  Topology topology = testing::FreeTopology("numa:2 l3:2 core:1");
  topology.costs.refill_same_node_ns = 1'000;
  topology.costs.refill_remote_ns = 5'000;
  Machine machine(topology);
  Task& task = machine.AddTask("a", machine.AllCpus());
  task.footprint_permille = 500;
  task.ran_on = 0;
  machine.ChargeCaches(1, task);
  machine.ChargeCaches(2, task);
  machine.events().AdvanceTo(At(10'000));
  machine.Finish();

  EXPECT_EQ(machine.times(1).overhead.count(), 500);
  EXPECT_EQ(machine.times(2).overhead.count(), 2'500);
}

TEST(MachineTest, AChargeDelaysTheEndOfTheStepByItsLength) {
  Machine machine(testing::FreeTopology("core:1"));
  Task& task = machine.AddTask("a", machine.AllCpus());
  machine.StartRunning(0, task);
  machine.StartStep(0, SimDuration(100));
  machine.Charge(0, 30);

  EXPECT_EQ(machine.events().NextAt(), At(130));
}

TEST(MachineTest, WhoInterruptsAnotherCpuPaysForItOnce) {
  Topology topology = testing::FreeTopology("core:2");
  topology.costs.ipi_ns = 1'000;
  topology.costs.ipi_send_ns = 300;
  Machine machine(topology);
  machine.SendIpi(1, 0, IpiReason::kReschedule);
  machine.SendIpi(1, 0, IpiReason::kBalance);

  EXPECT_EQ(machine.free_from(0), At(300));
  EXPECT_EQ(machine.events().NextAt(), At(1'000));
}

TEST(MachineTest, AVirtualCpuIsTakenOffOnceItHasBeenIdleForLong) {
  Topology topology = testing::FreeTopology("core:2");
  topology.costs.idle_preempted_ns = 5'000;
  Machine machine(topology);
  machine.EnterIdle(0);
  machine.events().AdvanceTo(At(4'999));

  EXPECT_FALSE(machine.IsTakenOff(0));
  machine.events().AdvanceTo(At(5'000));
  EXPECT_TRUE(machine.IsTakenOff(0));
  EXPECT_FALSE(machine.IsTakenOff(1));
}

TEST(MachineTest, ARealCpuIsNeverTakenOff) {
  Machine machine(testing::FreeTopology("core:1"));
  machine.EnterIdle(0);
  machine.events().AdvanceTo(At(1'000'000));

  EXPECT_FALSE(machine.IsTakenOff(0));
}

TEST(MachineTest, TimesAddUpToTheTimeOfTheRun) {
  Machine machine(testing::FreeTopology("core:1"));
  Task& task = machine.AddTask("a", machine.AllCpus());
  machine.events().AdvanceTo(At(50));
  machine.StartRunning(0, task);
  machine.StartStep(0, SimDuration(1'000));
  machine.Charge(0, 30);
  machine.events().AdvanceTo(At(200));
  machine.Finish();

  EXPECT_EQ(machine.times(0).idle.count(), 50);
  EXPECT_EQ(machine.times(0).overhead.count(), 30);
  EXPECT_EQ(machine.times(0).work.count(), 120);
}

TEST(MachineTest, OverheadBeyondTheEndIsCutOff) {
  Machine machine(testing::FreeTopology("core:1"));
  machine.Charge(0, 1'000);
  machine.events().AdvanceTo(At(200));
  machine.Finish();

  EXPECT_EQ(machine.times(0).overhead.count(), 200);
  EXPECT_EQ(machine.times(0).idle.count(), 0);
}

TEST(MachineTest, ABusySiblingSlowsWorkDown) {
  Topology topology = testing::FreeTopology("core:1 pu:2");
  topology.costs.smt_slowdown_permille = 500;
  Machine machine(topology);
  Task& a = machine.AddTask("a", machine.AllCpus());
  Task& b = machine.AddTask("b", machine.AllCpus());
  machine.StartRunning(0, a);
  machine.StartStep(0, SimDuration(1'000));
  machine.events().AdvanceTo(At(500));
  machine.StartRunning(1, b);
  machine.StartStep(1, SimDuration(10'000));

  EXPECT_EQ(machine.events().NextAt(), At(1'500));
}

TEST(MachineTest, ALockThatIsHeldMakesTheNextOneWait) {
  Topology topology = testing::FreeTopology("core:2");
  topology.costs.queue_lock_ns = 10;
  topology.costs.queue_lock_contended_ns = 5;
  Machine machine(topology);
  machine.ChargeLock(0, 0, 100);
  machine.ChargeLock(1, 0, 0);

  EXPECT_EQ(machine.counters().lock_wait.count(), 110 + 5);
}

TEST(MachineTest, IdleTimeIsWastedOnlyWhileATaskWaits) {
  Machine machine(testing::FreeTopology("core:2"));
  machine.EnterIdle(0);
  machine.EnterIdle(1);
  machine.events().AdvanceTo(At(100));
  machine.ChangeWaiting(1);
  machine.events().AdvanceTo(At(150));
  machine.ChangeWaiting(-1);
  machine.events().AdvanceTo(At(400));
  machine.Finish();

  EXPECT_EQ(machine.wasted().count(), 50);
  EXPECT_EQ(machine.last_wasted_at(), At(150));
}

}  // namespace
}  // namespace schedlab::sim
