// Simulations share nothing: a worker runs several of them in one process.

#include <array>
#include <thread>

#include "tests/unit/sim/runs.h"

namespace schedlab::sim {
namespace {

struct Setup {
  Scenario scenario;
  PolicySpec policy;
};

// Two runs that differ in machine, workload and kernel.
std::array<Setup, 2> TwoSetups() {
  std::array<Setup, 2> setups{
      Setup{ShippedScenario("snb-ep-2s", "hackbench"), ShippedPolicy("linux-fair@v3.11")},
      Setup{ShippedScenario("epyc-2s", "schbench"), ShippedPolicy("linux-fair-releases@v6.12")}};
  setups[0].scenario.duration_ns = 50'000'000;
  setups[1].scenario.duration_ns = 100'000'000;
  return setups;
}

RunResult Simulated(const Setup& setup) {
  return Simulate(setup.scenario, setup.policy, 1, {}).value();
}

TEST(ParallelRunsTest, TwoRunsAtOnceGiveTheResultsThatTheyGiveAlone) {
  const std::array<Setup, 2> setups = TwoSetups();
  const std::array<RunResult, 2> alone = {Simulated(setups[0]), Simulated(setups[1])};
  std::array<RunResult, 2> together;
  {
    const std::jthread first([&] { together[0] = Simulated(setups[0]); });
    const std::jthread second([&] { together[1] = Simulated(setups[1]); });
  }

  EXPECT_EQ(together[0], alone[0]);
  EXPECT_EQ(together[1], alone[1]);
  EXPECT_NE(alone[0].digest, alone[1].digest);
}

}  // namespace
}  // namespace schedlab::sim
