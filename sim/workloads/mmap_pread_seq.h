#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/kernel.h"
#include "sim/parameters.h"
#include "sim/random_stream.h"
#include "sim/workload.h"
#include "sim/workloads/start_line.h"

namespace schedlab::sim {

// Processes that read one mapped file from start to end, page by page, through a page cache that
// holds a part of it: who follows the first reader closely finds every page there; who falls behind
// what is still cached reads it again and sleeps. As case-mmap-pread-seq of vm-scalability (usemem
// -f FILE --readonly).
class MmapPreadSeq final : public Workload {
 public:
  static constexpr std::array kRules = {
      ParameterRule{"readers_count", 0, 0, 10'000},
      ParameterRule{"windows_count", 4'000, 1, 10'000'000},
      ParameterRule{"window_pages_count", 32, 1, 100'000},
      ParameterRule{"cached_windows_count", 400, 1, 10'000'000},
      ParameterRule{"touch_work_ns", 700, 1, 1'000'000},
      ParameterRule{"minor_fault_work_ns", 2'000, 1, 1'000'000},
      ParameterRule{"major_fault_work_ns", 100'000, 1, 1'000'000'000},
      ParameterRule{"contention_permille", 1'000, 0, 1'000'000},
      ParameterRule{"read_latency_ns", 200'000, 1, 10'000'000'000},
      ParameterRule{"work_spread_permille", 200, 0, 1'000},
      ParameterRule{"fork_work_ns", 200'000, 1, 1'000'000'000},
  };

  MmapPreadSeq(const Parameters& parameters, std::uint64_t seed, std::int32_t cpu_count);

  TaskDemand Demand() const override;
  void Start(Kernel& kernel) override;
  Step Next(Kernel& kernel, Task& task) override;
  void TimerFired(Kernel& /*kernel*/, std::int32_t /*timer*/) override {}
  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) override;

 private:
  enum class Phase : std::uint8_t {
    kStarting,
    kArrives,  // at a window, whose pages may be there or not
    kFaults,   // has allocated the pages of an absent window
    kReads,    // slept until they were read
    kTouches,  // all pages of the window
  };
  enum class WindowState : std::uint8_t { kAbsent, kBeingRead, kPresent };
  struct Reader {
    Phase phase = Phase::kStarting;
    std::int64_t window = 0;
    SimTime finished_at;
  };

  Step NextOfReader(Kernel& kernel, Task& task);
  Step ArriveAtWindow(Task& task, Reader& reader);
  Step StartFault(Reader& reader);
  Step Touch(Reader& reader);
  void CompleteRead(Kernel& kernel, const Task& task, std::int64_t window);
  Step FinishWindow(Kernel& kernel, Task& task, Reader& reader);
  WindowState& StateOf(std::int64_t window) { return states_[static_cast<std::size_t>(window)]; }

  const std::int32_t reader_count_;
  const std::int64_t window_count_;
  const std::int64_t page_count_;  // of a window
  const std::int64_t cached_count_;
  const SimDuration touch_work_;
  const SimDuration minor_work_;
  const SimDuration major_work_;
  const std::int64_t contention_permille_;
  const SimDuration read_latency_;
  const std::int64_t spread_permille_;
  StartLine line_;
  RandomStream work_stream_;
  RandomStream io_stream_;
  std::vector<Reader> readers_;
  std::vector<WindowState> states_;
  std::vector<std::vector<Task*>> waiting_;  // by window: for its pages to be read
  std::deque<std::int64_t> cached_;          // windows, the one to be reclaimed next first
  std::int64_t faulting_count_ = 0;          // readers between a major fault and its pages
  std::int64_t major_count_ = 0;
  std::int64_t touched_count_ = 0;
  SimDuration user_work_{0};
  SimDuration system_work_{0};
  std::int32_t finished_count_ = 0;
};

}  // namespace schedlab::sim
