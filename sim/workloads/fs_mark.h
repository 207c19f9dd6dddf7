#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/kernel.h"
#include "sim/parameters.h"
#include "sim/random_stream.h"
#include "sim/workload.h"

namespace schedlab::sim {

// Writers that create empty files on a journalling file system, nearly CPU-bound: short sleeping
// locks, a checkpoint that excludes everybody for a moment, I/O whose completions all arrive at one
// virtual CPU, and the kernel's threads that go with it.
class FsMark final : public Workload {
 public:
  static constexpr std::array kRules = {
      ParameterRule{"writers_count", 16, 1, 4'096},
      ParameterRule{"files_per_writer_count", 100'000, 0, 1'000'000'000},
      ParameterRule{"iterations_count", 3, 0, 1'000'000},
      ParameterRule{"fork_work_ns", 100'000, 1, 1'000'000'000},
      ParameterRule{"file_work_ns", 64'000, 100, 1'000'000'000},
      ParameterRule{"file_spread_permille", 500, 0, 1'000},
      ParameterRule{"burst_work_ns", 5'000'000, 1'000, 10'000'000'000},
      ParameterRule{"sleep_ns", 50'000, 1, 10'000'000'000},
      ParameterRule{"locks_count", 100, 1, 1'000'000},
      ParameterRule{"lock_share_permille", 50, 0, 500},
      ParameterRule{"read_share_permille", 100, 0, 500},
      ParameterRule{"checkpoint_files_count", 100'000, 0, 1'000'000'000},
      ParameterRule{"checkpoint_exclusive_ns", 3'000'000, 1, 10'000'000'000},
      ParameterRule{"checkpoint_work_ns", 40'000'000, 1, 10'000'000'000},
      ParameterRule{"checkpoint_piece_ns", 1'000'000, 1'000, 10'000'000'000},
      ParameterRule{"checkpoint_wait_ns", 100'000, 1, 10'000'000'000},
      ParameterRule{"io_per_file_permille", 50, 0, 1'000},
      ParameterRule{"io_latency_ns", 100'000, 1, 10'000'000'000},
      ParameterRule{"io_work_ns", 15'000, 1, 1'000'000'000},
      ParameterRule{"irq_cpus_count", 1, 1, 4'096},
      ParameterRule{"irq_wakeups_permille", 10, 0, 1'000},
      ParameterRule{"worker_wakeups_permille", 700, 0, 1'000},
      ParameterRule{"daemons_count", 1, 0, 4'096},
      ParameterRule{"daemon_share_permille", 100, 1, 999},
      ParameterRule{"daemon_work_ns", 1'000'000, 1'000, 10'000'000'000},
  };

  FsMark(const Parameters& parameters, std::uint64_t seed, std::int32_t cpu_count);

  TaskDemand Demand() const override;
  void Start(Kernel& kernel) override;
  Step Next(Kernel& kernel, Task& task) override;
  void TimerFired(Kernel& kernel, std::int32_t timer) override;
  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) override;

 private:
  enum class Phase : std::uint8_t { kStart, kWantLock, kOwnLock, kHoldLock, kWantRead, kRead };
  struct Writer {
    Phase phase = Phase::kStart;
    Task* task = nullptr;
    std::int32_t lock = 0;
    std::int32_t next_waiter = -1;
    std::int64_t files_left = 0;
    SimDuration file_work{0};
    SimDuration burst_left{0};
    SimTime forked_at;
    std::int32_t sleep_timer = 0;
  };
  struct Lock {
    bool is_held = false;
    std::int32_t first_waiter = -1;
    std::int32_t last_waiter = -1;
  };
  // Completes I/O, and ends sleeps, on the CPU that takes the interrupts.
  struct IrqCpu {
    CpuNumber cpu = 0;
    Task* worker = nullptr;
    bool is_working = false;
    std::deque<std::int32_t> items;      // a writer to wake, or kIoItem
    std::deque<SimTime> completions_at;  // of the I/O under way, in order
    std::int32_t timer = 0;
  };
  enum class CheckpointPhase : std::uint8_t { kNone, kExclude, kExclusive, kPieces };
  struct Checkpoint {
    CheckpointPhase phase = CheckpointPhase::kNone;
    bool is_wanted = false;  // nobody may begin to read
    bool is_piece_running = false;
    std::int32_t reader_count = 0;
    std::vector<Task*> waiting_readers;
    Task* worker = nullptr;
    SimDuration work_left{0};
    std::int64_t next_at_files = 0;
  };

  Step NextOfParent(Kernel& kernel, Task& parent);
  Step NextOfWriter(Kernel& kernel, Task& task);
  Step StartFile(Kernel& kernel, Writer& writer);
  Step TakeLock(Writer& writer, std::int32_t number);
  void ReleaseLock(Kernel& kernel, const Writer& writer);
  Step BeginRead(Writer& writer);
  void EndRead(Kernel& kernel, const Writer& writer);
  void FinishFile(Kernel& kernel, Writer& writer);
  Step ExitWriter(Kernel& kernel, Writer& writer);
  Step NextOfWorker(Kernel& kernel, Task& task);
  Step NextOfCheckpoint(Kernel& kernel, Task& task);
  Step NextPiece();
  Step NextOfDaemon(Task& task);
  void StartCheckpoint(Kernel& kernel, const Writer& writer);
  void SubmitIo(Kernel& kernel);
  void CompleteIo(Kernel& kernel, IrqCpu& irq);
  void EndSleep(Kernel& kernel, Writer& writer);
  bool WakeByOtherWriter(Kernel& kernel, const Writer& sleeper);
  void GiveToWorker(Kernel& kernel, IrqCpu& irq, std::int32_t item);
  IrqCpu& AnyIrqCpu();
  SimDuration Share(const Writer& writer, std::int64_t permille) const {
    return writer.file_work * permille / 1000;
  }

  const Parameters parameters_;
  const std::int32_t cpu_count_;
  const SimDuration file_work_;
  const std::int64_t file_spread_permille_;
  const std::int64_t lock_permille_;
  const std::int64_t read_permille_;
  const std::int64_t io_permille_;
  const std::int64_t checkpoint_files_;
  const std::int64_t files_per_writer_;
  const std::int64_t iteration_count_;
  RandomStream file_stream_;
  RandomStream lock_stream_;
  RandomStream io_stream_;
  RandomStream sleep_stream_;
  RandomStream daemon_stream_;

  Task* parent_ = nullptr;
  std::vector<Writer> writers_;
  std::vector<Lock> locks_;
  std::vector<IrqCpu> irq_cpus_;
  std::vector<Task*> checkpoint_workers_;  // by CPU
  Checkpoint checkpoint_;
  std::size_t forked_count_ = 0;
  std::size_t exited_count_ = 0;
  std::int64_t iterations_done_ = 0;
  std::int64_t file_count_ = 0;
  double iteration_rate_ = 0;  // of the writers of this iteration that have finished
  double rate_sum_ = 0;        // of finished iterations
};

}  // namespace schedlab::sim
