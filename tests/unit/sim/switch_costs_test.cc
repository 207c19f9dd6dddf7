// What a switch to a task costs by what its CPU still has of it, and what an interrupt takes from
// the CPU that it interrupts.

#include <cmath>
#include <string>

#include "sim/machine.h"
#include "sim/recent.h"
#include "tests/unit/sim/scripted_runs.h"

namespace schedlab::sim {
namespace {

constexpr std::int64_t kColdSwitchNs = 500;
constexpr std::int64_t kColdMmSwitchNs = 700;
constexpr std::int64_t kActivations = 10;

// The overhead of that many activations of each of several processes, which take turns on one CPU.
std::int64_t OverheadOfTurns(std::int32_t process_count, const CostTable& costs) {
  const SimDuration duration = kActivations * kMs - kUs;
  Script script;
  for (std::int32_t i = 0; i < process_count; ++i) {
    script.tasks.push_back(Periodic("p" + std::to_string(i), 10 * kUs, kMs));
  }
  const RunResult result = RunScript({.shape = "core:1",
                                      .policy = BarePolicy("per-cpu-fifo", {}),
                                      .duration = duration,
                                      .costs = costs},
                                     script)
                               .result;
  return std::llround(result.metrics.at("overhead_ratio") * static_cast<double>(Ns(duration)));
}

TEST(RecentTest, OneThatIsNotAmongTheLastIsForgotten) {
  Recent<2> recent;

  EXPECT_FALSE(recent.Touch(1));
  EXPECT_FALSE(recent.Touch(2));
  EXPECT_TRUE(recent.Touch(1));
  EXPECT_FALSE(recent.Touch(3));  // instead of 2
  EXPECT_TRUE(recent.Touch(1));
  EXPECT_FALSE(recent.Touch(2));
}

TEST(ColdSwitchTest, TwoTasksThatTakeTurnsAreColdOnlyAtFirst) {
  EXPECT_EQ(OverheadOfTurns(2, {.cold_switch_ns = kColdSwitchNs}), 2 * kColdSwitchNs);
}

TEST(ColdSwitchTest, ThreeTasksThatTakeTurnsAreColdAtEachSwitch) {
  EXPECT_EQ(OverheadOfTurns(3, {.cold_switch_ns = kColdSwitchNs}),
            3 * kActivations * kColdSwitchNs);
}

TEST(ColdSwitchTest, FourAddressSpacesStayWarmAndFiveDoNot) {
  const CostTable costs{.mm_switch_ns = 100, .cold_mm_switch_ns = kColdMmSwitchNs};

  EXPECT_EQ(OverheadOfTurns(4, costs), 4 * kActivations * 100 + 4 * kColdMmSwitchNs);
  EXPECT_EQ(OverheadOfTurns(5, costs), 5 * kActivations * (100 + kColdMmSwitchNs));
}

TEST(ColdSwitchTest, ThreadsOfOneProcessShareTheWarmthOfItsAddressSpace) {
  Topology topology = testing::FreeTopology("core:1");
  topology.costs.cold_mm_switch_ns = kColdMmSwitchNs;
  Machine machine(topology);
  for (std::int32_t i = 0; i < 6; ++i) {
    Task& thread = machine.AddTask("thread", machine.AllCpus());
    thread.address_space = 0;
    machine.ChargeAddressSpace(0, thread);
  }

  EXPECT_EQ(Ns(machine.free_from(0)), kColdMmSwitchNs);
}

// Of a machine of two CPUs, where `ran_on` is 0.
std::int64_t CostOfAMove(const CostTable& costs) {
  Topology topology = testing::FreeTopology("core:2");
  topology.costs = costs;
  Machine machine(topology);
  Task& task = machine.AddTask("a", machine.AllCpus());
  machine.ChargeCaches(1, task);  // so that CPU 1 knows it
  const std::int64_t before = Ns(machine.free_from(1));
  task.ran_on = 0;
  machine.ChargeCaches(1, task);
  return Ns(machine.free_from(1)) - before;
}

TEST(ColdSwitchTest, AMovedTaskPaysItsRefillOrTheColdSwitchNotBoth) {
  EXPECT_EQ(CostOfAMove({.refill_same_llc_ns = 2'000, .cold_switch_ns = kColdSwitchNs}), 2'000);
  EXPECT_EQ(CostOfAMove({.refill_same_llc_ns = 300, .cold_switch_ns = kColdSwitchNs}),
            kColdSwitchNs);
}

// An urgent task of CPU 0 wakes another one of CPU 1, where a third computes.
ScriptedOutcome WakeAcross(const CostTable& costs) {
  ScriptedTask waker;
  waker.name = "waker";
  waker.attributes = Fifo(10);
  waker.cpus = {0};
  waker.start_cpu = 0;
  waker.steps = {{.kind = ScriptStep::Kind::kSleep, .duration = kMs},
                 {.kind = ScriptStep::Kind::kWake, .target = 1}};
  ScriptedTask wakee = waker;
  wakee.name = "wakee";
  wakee.cpus = {1};
  wakee.start_cpu = 1;
  wakee.steps = {{.kind = ScriptStep::Kind::kBlock},
                 {.kind = ScriptStep::Kind::kRun, .duration = 10 * kUs}};
  ScriptedTask hog = Hog("hog");
  hog.cpus = {1};
  hog.start_cpu = 1;
  Script script;
  script.tasks = {waker, wakee, hog};
  return RunScript({.shape = "core:2",
                    .policy = ShippedPolicy("linux-fair-releases@v6.12"),
                    .duration = 2 * kMs,
                    .costs = costs},
                   script);
}

TEST(InterruptCostTest, TheInterruptedTaskLosesItAndTheWokenOneWaitsForIt) {
  const ScriptedOutcome without = WakeAcross({.ipi_ns = 3'000});
  const ScriptedOutcome with = WakeAcross({.ipi_ns = 2'000, .ipi_receive_ns = 1'000});

  EXPECT_EQ(Ns(without.work_done[2] - with.work_done[2]), 1'000);
  EXPECT_EQ(with.work_done[1], without.work_done[1]);
  EXPECT_EQ(with.result.metrics.at("wakeup_latency_max_ns"), 3'000);
  EXPECT_EQ(without.result.metrics.at("wakeup_latency_max_ns"), 3'000);
}

TEST(InterruptCostTest, InterruptsThatArriveMeanwhileAreTakenWithIt) {
  Topology topology = testing::FreeTopology("core:2");
  topology.costs.ipi_ns = 100;
  topology.costs.ipi_receive_ns = 1'000;
  Machine machine(topology);
  machine.SendIpi(1, 0, IpiReason::kReschedule);
  machine.events().Fire();
  EXPECT_FALSE(machine.ReceiveIpi(1));
  machine.SendIpi(1, 0, IpiReason::kBalance);
  machine.events().Fire();

  EXPECT_EQ(Ns(machine.now()), 1'100);
  EXPECT_TRUE(machine.ReceiveIpi(1));
  EXPECT_EQ(machine.TakeIpi(1), 1 | 2);
  EXPECT_EQ(Ns(machine.free_from(1)), 1'100);
}

}  // namespace
}  // namespace schedlab::sim
