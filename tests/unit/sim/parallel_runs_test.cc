// Simulations share nothing: a worker runs several of them in one process.

#include <array>
#include <thread>

#include "tests/unit/sim/runs.h"

namespace schedlab::sim {
namespace {

struct SimulationInput {
  Scenario scenario;
  PolicySpec policy;
};

// Two runs that differ in machine, workload and kernel.
std::array<SimulationInput, 2> TwoInputs() {
  std::array<SimulationInput, 2> inputs{
      SimulationInput{ShippedScenario("snb-ep-2s", "hackbench"), ShippedPolicy("linux-fair@v3.11")},
      SimulationInput{ShippedScenario("epyc-2s", "schbench"),
                      ShippedPolicy("linux-fair-releases@v6.12")}};
  inputs[0].scenario.duration_ns = 50'000'000;
  inputs[1].scenario.duration_ns = 100'000'000;
  return inputs;
}

RunResult Simulated(const SimulationInput& input) {
  return Simulate(input.scenario, input.policy, 1, {}).value();
}

TEST(ParallelRunsTest, TwoRunsAtOnceGiveTheResultsThatTheyGiveAlone) {
  const std::array<SimulationInput, 2> inputs = TwoInputs();
  const std::array<RunResult, 2> alone = {Simulated(inputs[0]), Simulated(inputs[1])};
  std::array<RunResult, 2> together;
  {
    const std::jthread first([&] { together[0] = Simulated(inputs[0]); });
    const std::jthread second([&] { together[1] = Simulated(inputs[1]); });
  }

  EXPECT_EQ(together[0], alone[0]);
  EXPECT_EQ(together[1], alone[1]);
  EXPECT_NE(alone[0].digest, alone[1].digest);
}

}  // namespace
}  // namespace schedlab::sim
