#include "measure/cost_derivation.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace schedlab::measure {
namespace {

Spread Of(double value) { return SpreadOf({value}); }

CostTable Base() {
  CostTable base;
  std::int64_t cost = 1'000'000;
  for (const CostField& field : kCostFields) base.*field.member = ++cost;
  return base;
}

const CostSource& SourceOf(const DerivedCosts& derived, std::string_view name) {
  return *std::find_if(derived.sources.begin(), derived.sources.end(),
                       [&](const CostSource& source) { return source.name == name; });
}

TEST(CostDerivationTest, WithoutMeasurementsAllIsAsInTheBase) {
  const DerivedCosts derived = DeriveCosts({}, Base());

  EXPECT_EQ(derived.costs, Base());
  EXPECT_EQ(derived.sources.size(), kCostFields.size());
  EXPECT_FALSE(SourceOf(derived, "ipi_ns").is_measured);
}

TEST(CostDerivationTest, ASwitchIsWhatAHandOverTakesBeyondItsCallsItsWakeupAndTheLock) {
  Measurements measured;
  measured.handoff_threads = Of(1'500);
  measured.pipe_exchange_1 = Of(500);
  measured.wake_same_cpu = Of(450);
  measured.wake_nobody = Of(200);
  measured.lock_free = Of(10);

  const DerivedCosts derived = DeriveCosts(measured, Base());

  EXPECT_EQ(derived.costs.context_switch_ns, 1'500 - 500 - (450 - 200) - 10);
  EXPECT_EQ(derived.costs.wakeup_ns, 450 - 200 - 10);
  EXPECT_EQ(SourceOf(derived, "wakeup_ns").formula, "wake_same_cpu - wake_nobody - lock_free");
  EXPECT_EQ(derived.costs.mm_switch_ns, Base().mm_switch_ns);
}

TEST(CostDerivationTest, AnInterruptIsWhatABusyCpuTakesLongerAndIdlenessWhatAnIdleOneAdds) {
  Measurements measured;
  measured.latency_same_cpu = Of(1'000);
  measured.latency_busy_cpu = Of(5'000);
  measured.latency_idle_20us = Of(5'600.4);
  measured.interrupt_taken = Of(1'200);

  const DerivedCosts derived = DeriveCosts(measured, Base());

  EXPECT_EQ(derived.costs.ipi_ns, 2'800);
  EXPECT_EQ(derived.costs.ipi_receive_ns, 1'200);
  EXPECT_EQ(derived.costs.idle_exit_ns, 600);
}

TEST(CostDerivationTest, WithoutTheInterruptsOwnCostItsLatencyIsAsInTheBaseToo) {
  Measurements measured;
  measured.latency_same_cpu = Of(1'000);
  measured.latency_busy_cpu = Of(5'000);

  const DerivedCosts derived = DeriveCosts(measured, Base());

  EXPECT_EQ(derived.costs.ipi_ns, Base().ipi_ns);
  EXPECT_EQ(derived.costs.ipi_receive_ns, Base().ipi_receive_ns);
}

TEST(CostDerivationTest, AColdSwitchIsWhatARingTakesBeyondAPairButNotItsPipes) {
  Measurements measured;
  measured.handoff_threads = Of(1'200);
  measured.handoff_processes = Of(1'250);
  measured.handoff_ring_threads = Of(1'700);
  measured.handoff_ring_processes = Of(2'300);
  measured.pipe_exchange_1 = Of(400);
  measured.pipe_exchange_1_ring = Of(430);

  const DerivedCosts derived = DeriveCosts(measured, Base());

  EXPECT_EQ(derived.costs.cold_switch_ns, 500 - 30);
  EXPECT_EQ(derived.costs.cold_mm_switch_ns, 1'050 - 500);
}

TEST(CostDerivationTest, ADifferenceBelowZeroIsZero) {
  Measurements measured;
  measured.latency_busy_cpu = Of(5'000);
  measured.latency_idle_20us = Of(4'900);

  EXPECT_EQ(DeriveCosts(measured, Base()).costs.idle_exit_ns, 0);
}

TEST(CostDerivationTest, AnIdleCpuIsTakenOffFromTheFirstIdlenessOnAfterWhichWakeupsShunIt) {
  Measurements measured;
  measured.idle_choice_10us_permille = Of(1'000);
  measured.idle_choice_100us_permille = Of(970);
  measured.idle_choice_1ms_permille = Of(20);
  measured.idle_choice_10ms_permille = Of(0);

  EXPECT_EQ(DeriveCosts(measured, Base()).costs.idle_preempted_ns, 1'000'000);
}

TEST(CostDerivationTest, AnIdleCpuThatIsAlwaysChosenIsNeverTakenOff) {
  Measurements measured;
  for (auto member :
       {&Measurements::idle_choice_10us_permille, &Measurements::idle_choice_100us_permille,
        &Measurements::idle_choice_1ms_permille, &Measurements::idle_choice_10ms_permille}) {
    measured.*member = Of(1'000);
  }

  EXPECT_EQ(DeriveCosts(measured, Base()).costs.idle_preempted_ns, 0);
}

TEST(CostDerivationTest, IdleCpusThatAreChosenAfterLongerIdlenessAreNotPreempted) {
  Measurements measured;
  measured.idle_choice_10us_permille = Of(380);
  measured.idle_choice_100us_permille = Of(500);
  measured.idle_choice_1ms_permille = Of(500);
  measured.idle_choice_10ms_permille = Of(1'000);

  EXPECT_EQ(DeriveCosts(measured, Base()).costs.idle_preempted_ns, 0);
}

}  // namespace
}  // namespace schedlab::measure
