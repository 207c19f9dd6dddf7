#include "sim/kernel.h"

#include <gtest/gtest.h>

#include "sim/run.h"
#include "tests/support/topologies.h"
#include "tests/unit/sim/runs.h"

namespace schedlab::sim {
namespace {

constexpr SimDuration kWork{5'000'000};

// One timer interrupt starts a task on each of several idle CPUs.
class StartsMany final : public Workload {
 public:
  TaskDemand Demand() const override { return {3, "three"}; }

  void Start(Kernel& kernel) override {
    for (std::int32_t i = 0; i < 3; ++i) tasks_.push_back(&kernel.AddTask("task", 0, i));
    kernel.AddTimer(0);
    kernel.ArmTimer(0, SimTime(SimDuration(1'000'000)));
  }
  Step Next(Kernel& /*kernel*/, Task& task) override {
    return task.work_done == SimDuration{0} ? Step::Run(kWork) : Step::Exit();
  }
  void TimerFired(Kernel& kernel, std::int32_t /*timer*/) override {
    for (Task* task : tasks_) kernel.StartOn(*task, task->number + 1);
  }
  void AddMetrics(const Kernel& /*kernel*/, std::map<std::string, double>& metrics) override {
    SimDuration done{0};
    for (const Task* task : tasks_) done += task->work_done;
    metrics["work_per_sec"] = static_cast<double>(Ns(done));
  }

 private:
  std::vector<Task*> tasks_;
};

class KernelTest : public ::testing::TestWithParam<const char*> {};

TEST_P(KernelTest, EveryCpuOnWhichOneInterruptStartsATaskBeginsAtOnce) {
  const Topology topology = testing::FreeTopology("core:4");
  std::vector<RunResult> results;
  for (int i = 0; i < 2; ++i) {
    StartsMany workload;
    const Result<RunResult> result = sim::Run({.topology = topology,
                                               .policy = BarePolicy(GetParam(), {}),
                                               .duration = SimDuration(1'000'000) + kWork,
                                               .seed = 1},
                                              workload, {});
    ASSERT_TRUE(result.has_value());
    results.push_back(*result);
  }

  EXPECT_EQ(results[0].metrics.at("work_per_sec"), 3.0 * static_cast<double>(Ns(kWork)));
  EXPECT_EQ(results[0], results[1]);
}

INSTANTIATE_TEST_SUITE_P(Policies, KernelTest,
                         ::testing::Values("linux-fair", "global-fifo", "per-cpu-fifo",
                                           "work-stealing", "oracle"));

}  // namespace
}  // namespace schedlab::sim
