#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/kernel.h"
#include "sim/parameters.h"
#include "sim/random_stream.h"
#include "sim/workload.h"

namespace schedlab::sim {

// A mix of stressors in the manner of stress-ng 0.15: computing, short I/O, large footprints,
// processes that fork and wait, and pairs that yield to each other.
class Stress final : public Workload {
 public:
  static constexpr std::array kRules = {
      ParameterRule{"cpu_count", 8, 0, 100'000},
      ParameterRule{"io_count", 8, 0, 100'000},
      ParameterRule{"vm_count", 4, 0, 100'000},
      ParameterRule{"fork_count", 2, 0, 10'000},
      ParameterRule{"yield_count", 2, 0, 10'000},
      ParameterRule{"cpu_piece_ns", 1'000'000, 1'000, 10'000'000'000},
      ParameterRule{"io_piece_ns", 20'000, 1, 10'000'000'000},
      ParameterRule{"io_sleep_ns", 100'000, 1, 10'000'000'000},
      ParameterRule{"vm_piece_ns", 5'000'000, 1'000, 10'000'000'000},
      ParameterRule{"vm_sleep_ns", 200'000, 1, 10'000'000'000},
      ParameterRule{"vm_footprint_permille", 1'000, 0, 1'000'000},
      ParameterRule{"child_work_ns", 150'000, 1, 10'000'000'000},
      ParameterRule{"fork_work_ns", 80'000, 1, 1'000'000'000},
      ParameterRule{"yield_piece_ns", 2'000, 1, 10'000'000'000},
      ParameterRule{"work_spread_permille", 200, 0, 1'000},
  };

  Stress(const Parameters& parameters, std::uint64_t seed);

  TaskDemand Demand() const override;
  void Start(Kernel& kernel) override;
  Step Next(Kernel& kernel, Task& task) override;
  void TimerFired(Kernel& /*kernel*/, std::int32_t /*timer*/) override {}
  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) override;

 private:
  void AddStressors(Kernel& kernel, const char* name, std::int32_t role, std::int32_t count);
  Step Alternate(Task& task, SimDuration run, const Step& pause);
  Step NextOfForker(Kernel& kernel, Task& task);
  Step NextOfChild(Kernel& kernel, Task& task);
  SimDuration Draw(SimDuration mean) { return work_stream_.Around(mean, spread_permille_); }

  const Parameters parameters_;
  const std::int64_t spread_permille_;
  RandomStream work_stream_;
  std::vector<Task*> starting_;
  std::vector<bool> is_running_;  // by task: its next step is the pause
  std::vector<Task*> forkers_;
  std::vector<Task*> children_;
  std::int64_t operation_count_ = 0;
};

}  // namespace schedlab::sim
