#pragma once

#include <array>
#include <vector>

#include "sim/kernel.h"
#include "sim/parameters.h"
#include "sim/workload.h"

namespace schedlab::sim {

// Tasks that only compute, started unevenly: shows how long a balancer takes to even them out.
class Spinners final : public Workload {
 public:
  static constexpr std::array kRules = {
      ParameterRule{"tasks_count", 24, 1, 100'000},
      ParameterRule{"start_cpus_count", 0, 0, 4'096},
      ParameterRule{"work_per_task_ns", 0, 0, 3'600'000'000'000},
      ParameterRule{"fork_work_ns", 100'000, 0, 1'000'000'000},
  };

  Spinners(const Parameters& parameters, std::int32_t cpu_count);

  TaskDemand Demand() const override;
  void Start(Kernel& kernel) override;
  Step Next(Kernel& kernel, Task& task) override;
  void TimerFired(Kernel& /*kernel*/, std::int32_t /*timer*/) override {}
  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) override;

 private:
  Step NextOfParent(Kernel& kernel, const Task& parent);

  const std::int32_t task_count_;
  const std::int32_t start_cpu_count_;
  const SimDuration work_;
  const SimDuration fork_work_;
  std::vector<Task*> tasks_;
  std::size_t forked_count_ = 0;
  std::size_t exited_count_ = 0;
};

}  // namespace schedlab::sim
