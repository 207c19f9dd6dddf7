#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/histogram.h"
#include "sim/kernel.h"
#include "sim/parameters.h"
#include "sim/random_stream.h"
#include "sim/workload.h"
#include "sim/workloads/fifo_lock.h"
#include "sim/workloads/start_line.h"

namespace schedlab::sim {

// Threads that work through transactions: statements of computing, some under a shared lock, some
// ended by I/O; and a commit that waits for the log, which one writer flushes for everybody who
// waits. With other parameters this is sysbench cpu, an OLTP load and dbench.
class Transactions final : public Workload {
 public:
  // sysbench 1.0 cpu, --cpu-max-prime=10000: about 0.9 ms an event on a 2.4 GHz Xeon.
  static constexpr std::array kSysbenchCpuRules = {
      ParameterRule{"threads_count", 16, 1, 100'000},
      ParameterRule{"transactions_count", 0, 0, 1'000'000'000},
      ParameterRule{"statements_count", 1, 1, 1'000},
      ParameterRule{"statement_work_ns", 900'000, 1, 10'000'000'000},
      ParameterRule{"work_spread_permille", 20, 0, 1'000},
      ParameterRule{"locks_count", 1, 1, 1'000'000},
      ParameterRule{"locked_statements_permille", 0, 0, 1'000},
      ParameterRule{"lock_work_ns", 1, 1, 10'000'000'000},
      ParameterRule{"io_statements_permille", 0, 0, 1'000},
      ParameterRule{"io_latency_ns", 100'000, 1, 10'000'000'000},
      ParameterRule{"commit_latency_ns", 0, 0, 10'000'000'000},
      ParameterRule{"fork_work_ns", 50'000, 1, 1'000'000'000},
  };
  // An OLTP load in the manner of sysbench oltp_read_write: 20 statements, rows locked in a fifth
  // of them, a commit that waits for the log.
  static constexpr std::array kSysbenchOltpRules = {
      ParameterRule{"threads_count", 64, 1, 100'000},
      ParameterRule{"transactions_count", 0, 0, 1'000'000'000},
      ParameterRule{"statements_count", 20, 1, 1'000},
      ParameterRule{"statement_work_ns", 120'000, 1, 10'000'000'000},
      ParameterRule{"work_spread_permille", 500, 0, 1'000},
      ParameterRule{"locks_count", 200, 1, 1'000'000},
      ParameterRule{"locked_statements_permille", 200, 0, 1'000},
      ParameterRule{"lock_work_ns", 30'000, 1, 10'000'000'000},
      ParameterRule{"io_statements_permille", 20, 0, 1'000},
      ParameterRule{"io_latency_ns", 150'000, 1, 10'000'000'000},
      ParameterRule{"commit_latency_ns", 300'000, 0, 10'000'000'000},
      ParameterRule{"fork_work_ns", 50'000, 1, 1'000'000'000},
  };
  // dbench 4: file operations of one client after the other, directory locks, few operations that
  // wait for the disk.
  static constexpr std::array kDbenchRules = {
      ParameterRule{"threads_count", 32, 1, 100'000},
      ParameterRule{"transactions_count", 0, 0, 1'000'000'000},
      ParameterRule{"statements_count", 10, 1, 1'000},
      ParameterRule{"statement_work_ns", 15'000, 1, 10'000'000'000},
      ParameterRule{"work_spread_permille", 800, 0, 1'000},
      ParameterRule{"locks_count", 64, 1, 1'000'000},
      ParameterRule{"locked_statements_permille", 300, 0, 1'000},
      ParameterRule{"lock_work_ns", 5'000, 1, 10'000'000'000},
      ParameterRule{"io_statements_permille", 10, 0, 1'000},
      ParameterRule{"io_latency_ns", 200'000, 1, 10'000'000'000},
      ParameterRule{"commit_latency_ns", 0, 0, 10'000'000'000},
      ParameterRule{"fork_work_ns", 100'000, 1, 1'000'000'000},
  };

  Transactions(const Parameters& parameters, std::uint64_t seed);

  TaskDemand Demand() const override;
  void Start(Kernel& kernel) override;
  Step Next(Kernel& kernel, Task& task) override;
  void TimerFired(Kernel& /*kernel*/, std::int32_t /*timer*/) override {}
  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) override;

 private:
  enum class Phase : std::uint8_t {
    kStarting,
    kBegins,
    kComputes,
    kWaitsForLock,
    kHoldsLock,
    kWaitsForIo,
    kCommits
  };
  struct Thread {
    Phase phase = Phase::kStarting;
    std::int64_t statements_left = 0;
    std::int64_t transactions_left = 0;
    std::size_t lock = 0;
    SimTime began_at;
  };

  Step NextOfThread(Kernel& kernel, Task& task);
  Step Begin(const Kernel& kernel, Thread& thread);
  Step NextStatement(Kernel& kernel, Task& task, Thread& thread);
  Step TakeLock(Task& task, Thread& thread);
  Step EndStatement(Kernel& kernel, Task& task, Thread& thread);
  Step EndTransaction(Kernel& kernel, Thread& thread);
  Step NextOfLogWriter(Kernel& kernel, Task& writer);

  const std::int32_t thread_count_;
  const std::int64_t transaction_count_;
  const std::int64_t statement_count_;
  const SimDuration statement_work_;
  const std::int64_t spread_permille_;
  const std::int64_t locked_permille_;
  const SimDuration lock_work_;
  const std::int64_t io_permille_;
  const SimDuration io_latency_;
  const SimDuration commit_latency_;
  StartLine line_;
  RandomStream work_stream_;
  RandomStream lock_stream_;
  RandomStream io_stream_;
  std::vector<FifoLock> locks_;
  std::vector<Thread> threads_;
  Task* log_writer_ = nullptr;
  std::vector<Task*> to_commit_;   // wait for the next flush
  std::vector<Task*> committing_;  // wait for the flush under way
  std::int64_t done_count_ = 0;
  std::int32_t finished_count_ = 0;
  Histogram latencies_;
};

}  // namespace schedlab::sim
