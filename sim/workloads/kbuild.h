#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/kernel.h"
#include "sim/parameters.h"
#include "sim/random_stream.h"
#include "sim/workload.h"

namespace schedlab::sim {

// make -jN: make forks a compiler driver per unit, which executes another program, forks the
// compiler proper, waits for it and assembles; every process reads a little from disk first. At the
// end one linker runs alone.
class Kbuild final : public Workload {
 public:
  static constexpr std::array kRules = {
      ParameterRule{"jobs_count", 0, 0, 10'000},
      ParameterRule{"units_count", 400, 1, 1'000'000},
      ParameterRule{"make_work_ns", 300'000, 1, 10'000'000'000},
      ParameterRule{"driver_work_ns", 2'000'000, 1, 10'000'000'000},
      ParameterRule{"compile_work_ns", 60'000'000, 1, 60'000'000'000},
      ParameterRule{"work_spread_permille", 900, 0, 1'000},
      ParameterRule{"read_latency_ns", 200'000, 1, 10'000'000'000},
      ParameterRule{"assemble_work_ns", 6'000'000, 1, 10'000'000'000},
      ParameterRule{"link_work_ns", 200'000'000, 1, 60'000'000'000},
  };

  Kbuild(const Parameters& parameters, std::uint64_t seed, std::int32_t cpu_count);

  TaskDemand Demand() const override;
  void Start(Kernel& kernel) override;
  Step Next(Kernel& kernel, Task& task) override;
  void TimerFired(Kernel& /*kernel*/, std::int32_t /*timer*/) override {}
  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) override;

 private:
  enum class Phase : std::uint8_t { kStarts, kReads, kComputes, kWaitsForChild, kEnds };
  // One of the jobs that run at a time, with its two processes, used again for unit after unit.
  struct Slot {
    Task* driver = nullptr;
    Task* compiler = nullptr;
    Phase driver_phase = Phase::kStarts;
    Phase compiler_phase = Phase::kStarts;
  };
  enum class MakePhase : std::uint8_t { kForks, kWaits, kLinks, kDone };

  Step NextOfMake(Kernel& kernel, const Task& make);
  Step NextOfDriver(Kernel& kernel, Task& task);
  Step NextOfCompiler(Kernel& kernel, Task& task);
  Step ForkOrWait();

  const std::int32_t job_count_;
  const std::int64_t unit_count_;
  const SimDuration make_work_;
  const SimDuration driver_work_;
  const SimDuration compile_work_;
  const std::int64_t spread_permille_;
  const SimDuration read_latency_;
  const SimDuration assemble_work_;
  const SimDuration link_work_;
  RandomStream work_stream_;
  std::vector<Slot> slots_;
  std::vector<std::int32_t> free_slots_;
  Task* make_ = nullptr;
  MakePhase make_phase_ = MakePhase::kForks;
  bool is_about_to_fork_ = false;
  std::int64_t started_count_ = 0;
  std::int64_t done_count_ = 0;
  bool has_linked_ = false;
};

}  // namespace schedlab::sim
