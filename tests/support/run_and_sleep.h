#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/kernel.h"
#include "sim/random_stream.h"
#include "sim/workload.h"

namespace schedlab::sim {

// Tasks that execute for up to 200 us and sleep for up to 1 ms. They start spread over all CPUs.
class RunAndSleep : public Workload {
 public:
  explicit RunAndSleep(std::int64_t task_count) : task_count_(task_count) {}

  TaskDemand Demand() const override { return {task_count_, "tasks"}; }
  void Start(Kernel& kernel) override {
    for (std::int64_t i = 0; i < task_count_; ++i) {
      const auto number = static_cast<std::int32_t>(i);
      Task& task = kernel.AddTask("task", 0, number);
      kernel.StartOn(task, number % kernel.cpu_count());
    }
  }
  Step Next(Kernel& /*kernel*/, Task& task) override {
    task.role = 1 - task.role;
    return task.role == 1 ? Step::Run(SimDuration(1 + random_.Below(200'000)))
                          : Step::Sleep(SimDuration(1 + random_.Below(1'000'000)));
  }
  void TimerFired(Kernel& /*kernel*/, std::int32_t /*timer*/) override {}
  void AddMetrics(const Kernel& /*kernel*/, std::map<std::string, double>& /*metrics*/) override {}

 private:
  std::int64_t task_count_;
  RandomStream random_{1, "run and sleep"};
};

}  // namespace schedlab::sim
