#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/histogram.h"
#include "sim/kernel.h"
#include "sim/parameters.h"
#include "sim/random_stream.h"
#include "sim/workload.h"

namespace schedlab::sim {

// Message threads that hand work to their workers, who sleep until they get it: each request is a
// little think time and some pieces of computing. As schbench 1.0 (masoncl/schbench): what counts
// is the latency of wakeups and of requests.
class Schbench final : public Workload {
 public:
  static constexpr std::array kRules = {
      ParameterRule{"message_threads_count", 1, 1, 1'000},
      ParameterRule{"workers_count", 0, 0, 10'000},
      ParameterRule{"think_ns", 100'000, 1, 10'000'000'000},
      ParameterRule{"pieces_count", 5, 1, 1'000},
      ParameterRule{"piece_work_ns", 600'000, 1, 10'000'000'000},
      ParameterRule{"work_spread_permille", 100, 0, 1'000},
  };

  Schbench(const Parameters& parameters, std::uint64_t seed, std::int32_t cpu_count);

  TaskDemand Demand() const override;
  void Start(Kernel& kernel) override;
  Step Next(Kernel& kernel, Task& task) override;
  void TimerFired(Kernel& /*kernel*/, std::int32_t /*timer*/) override {}
  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) override;

 private:
  enum class Phase : std::uint8_t { kAsks, kWaits, kThinks, kComputes };
  struct Worker {
    Phase phase = Phase::kAsks;
    std::int64_t pieces_left = 0;
    SimTime woken_at;
    SimTime began_at;
  };

  Step NextOfMessageThread(Kernel& kernel, Task& task);
  Step NextOfWorker(Kernel& kernel, Task& task);
  Step Ask(Kernel& kernel, Task& task, Worker& worker);

  const std::int32_t message_thread_count_;
  const std::int32_t worker_count_;  // of each message thread
  const SimDuration think_;
  const std::int64_t piece_count_;
  const SimDuration piece_work_;
  const std::int64_t spread_permille_;
  RandomStream work_stream_;
  std::vector<Task*> message_threads_;
  std::vector<std::vector<Task*>> asking_;  // by message thread: workers that wait for work
  std::vector<Worker> workers_;
  std::int64_t request_count_ = 0;
  Histogram wakeup_latencies_;
  Histogram request_latencies_;
};

}  // namespace schedlab::sim
