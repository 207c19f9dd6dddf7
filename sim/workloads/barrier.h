#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/kernel.h"
#include "sim/parameters.h"
#include "sim/random_stream.h"
#include "sim/workload.h"
#include "sim/workloads/start_line.h"

namespace schedlab::sim {

// Threads that compute a piece each and meet at a barrier, again and again, as the NAS parallel
// benchmarks do: the slowest decides. Waiting is spinning, sleeping, or first one and then the
// other (OMP_WAIT_POLICY, GOMP_SPINCOUNT of libgomp).
class Barrier final : public Workload {
 public:
  static constexpr std::array kRules = {
      ParameterRule{"threads_count", 0, 0, 100'000},
      ParameterRule{"phases_count", 0, 0, 1'000'000'000},
      ParameterRule{"piece_work_ns", 5'000'000, 1, 60'000'000'000},
      ParameterRule{"work_spread_permille", 50, 0, 1'000},
      ParameterRule{"spin_ns", 0, 0, 3'600'000'000'000},
      ParameterRule{"fork_work_ns", 100'000, 1, 1'000'000'000},
  };

  Barrier(const Parameters& parameters, std::uint64_t seed, std::int32_t cpu_count);

  TaskDemand Demand() const override;
  void Start(Kernel& kernel) override;
  Step Next(Kernel& kernel, Task& task) override;
  void TimerFired(Kernel& /*kernel*/, std::int32_t /*timer*/) override {}
  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) override;

 private:
  enum class Phase : std::uint8_t { kStarting, kAtLine, kComputes, kSpins, kSleeps };
  struct Thread {
    Phase phase = Phase::kStarting;
    std::int64_t released_phase = 0;  // the last barrier that it has passed
  };

  Step NextOfThread(Kernel& kernel, Task& task);
  Step Arrive(Kernel& kernel, Task& task, Thread& thread);
  Step Compute(Thread& thread);
  void Open(Kernel& kernel, const Task& last);

  const std::int32_t thread_count_;
  const std::int64_t phase_count_;
  const SimDuration piece_work_;
  const std::int64_t spread_permille_;
  const SimDuration spin_;
  StartLine line_;
  RandomStream work_stream_;
  std::vector<Thread> threads_;
  std::vector<Task*> waiting_;  // at the barrier, in the order of their arrival
  std::int64_t passed_count_ = 0;
  bool has_finished_ = false;
};

}  // namespace schedlab::sim
