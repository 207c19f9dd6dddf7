#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/kernel.h"
#include "sim/parameters.h"
#include "sim/random_stream.h"
#include "sim/workload.h"

namespace schedlab::sim {

// Groups in which every sender writes to every receiver's socket or pipe, message by message. All
// tasks, processes or threads of one process, wait at a barrier that one waker opens.
class Hackbench final : public Workload {
 public:
  static constexpr std::array kRules = {
      ParameterRule{"groups_count", 5, 1, 1'000},
      ParameterRule{"pairs_count", 20, 1, 1'000},
      ParameterRule{"loops_count", 300, 1, 1'000'000},
      ParameterRule{"write_work_ns", 1'800, 1, 1'000'000},
      ParameterRule{"read_work_ns", 1'600, 1, 1'000'000},
      ParameterRule{"work_spread_permille", 200, 0, 1'000},
      ParameterRule{"socket_capacity_count", 278, 1, 1'000'000},
      ParameterRule{"fork_work_ns", 100'000, 1, 1'000'000'000},
      ParameterRule{"start_work_ns", 2'000'000, 1, 1'000'000'000},
      ParameterRule{"threads_flag", 0, 0, 1},
      ParameterRule{"pipes_flag", 0, 0, 1},
      ParameterRule{"task_group_flag", 0, 0, 1},
      ParameterRule{"policy_number", 0, 0, 5},
      ParameterRule{"exit_work_ns", 0, 0, 1'000'000'000},
      ParameterRule{"even_start_flag", 0, 0, 1},
  };

  Hackbench(const Parameters& parameters, std::uint64_t seed);

  TaskDemand Demand() const override;
  void Start(Kernel& kernel) override;
  Step Next(Kernel& kernel, Task& task) override;
  void TimerFired(Kernel& /*kernel*/, std::int32_t /*timer*/) override {}
  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) override;

 private:
  enum class Phase : std::uint8_t { kStarting, kReady, kTransfer, kStalled, kLeaving };
  struct Sender {
    Phase phase = Phase::kStarting;
    std::int32_t group = 0;
    std::int32_t receiver = 0;  // within the group, of the message at hand
    std::int64_t loops_left = 0;
  };
  struct Receiver {
    Phase phase = Phase::kStarting;
    Task* task = nullptr;
    std::int64_t queued_count = 0;
    std::int64_t expected_count = 0;
    std::vector<Task*> stalled_senders;
  };

  void AddChild(Kernel& kernel, Task& task);
  void SetPolicy(Kernel& kernel, Task& task) const;
  // All children at once, on each CPU as many, instead of forks.
  void StartEvenly(Kernel& kernel);
  Step NextOfParent(Kernel& kernel, Task& parent);
  Step NextOfSender(Kernel& kernel, Task& task);
  Step NextOfReceiver(Kernel& kernel, Task& task);
  // Whether the message could be queued.
  bool Deliver(Kernel& kernel, Task& sender_task, const Sender& sender);
  void BecomeReady(Kernel& kernel, const Task& task);
  // Of a child whose messages are through.
  Step Leave(Kernel& kernel, Phase& phase);

  const std::int32_t group_count_;
  const std::int32_t pair_count_;
  const std::int64_t loop_count_;
  const SimDuration write_work_;
  const SimDuration read_work_;
  const std::int64_t spread_permille_;
  const bool uses_threads_;
  const bool uses_pipes_;
  const bool is_in_task_group_;
  const std::int64_t policy_number_;
  const bool starts_evenly_;
  const std::int64_t capacity_;
  const std::int64_t wake_fill_;
  const SimDuration fork_work_;
  const SimDuration start_work_;
  const SimDuration exit_work_;
  RandomStream work_stream_;
  Task* parent_ = nullptr;
  std::vector<Task*> children_;
  std::vector<Sender> senders_;
  std::vector<Receiver> receivers_;
  std::size_t forked_count_ = 0;
  std::size_t ready_count_ = 0;
  std::size_t exited_count_ = 0;
  std::int64_t message_count_ = 0;
  bool is_released_ = false;
  SimTime released_at_;
};

}  // namespace schedlab::sim
