#include "worker/sim_executor.h"

#include <gtest/gtest.h>

namespace schedlab::worker {
namespace {

RunSpec SmallRun() {
  RunSpec spec;
  spec.policy.name = "linux-fair";
  spec.scenario.topology.name = "two-cpus";
  spec.scenario.topology.cpus = *CpusFromShape("core:2");
  spec.scenario.topology.node_distances = {{10}};
  spec.scenario.workload.name = "spinners";
  spec.scenario.duration_ns = 20'000'000;
  spec.seed = 5;
  return spec;
}

TEST(SimExecutorTest, ExecutesTheSameRunToTheSameDigest) {
  SimExecutor executor;

  const AttemptOutcome first = executor.Execute(SmallRun(), {});
  const AttemptOutcome second = executor.Execute(SmallRun(), {});

  ASSERT_TRUE(std::holds_alternative<RunResult>(first)) << std::get<AttemptFailure>(first).message;
  EXPECT_EQ(first, second);
}

TEST(SimExecutorTest, FailsForGoodWhereTheSimulatorRefuses) {
  SimExecutor executor;
  RunSpec spec = SmallRun();
  spec.scenario.workload.name = "unheard-of";

  const AttemptOutcome outcome = executor.Execute(spec, {});

  const auto& failure = std::get<AttemptFailure>(outcome);
  EXPECT_FALSE(failure.is_retryable);
  EXPECT_NE(failure.message.find("unheard-of"), std::string::npos);
}

TEST(SimExecutorTest, EndsWhenItIsStopped) {
  SimExecutor executor;
  RunSpec spec = SmallRun();
  spec.scenario.duration_ns = 3'600'000'000'000;
  std::stop_source stop;
  stop.request_stop();

  const AttemptOutcome outcome = executor.Execute(spec, stop.get_token());

  EXPECT_TRUE(std::get<AttemptFailure>(outcome).is_retryable);
}

}  // namespace
}  // namespace schedlab::worker
