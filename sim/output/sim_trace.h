#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/cpu_set.h"
#include "sim/sim_time.h"

namespace schedlab::sim {

enum class TraceEvent : std::uint8_t { kSwitch, kWake, kCreate, kMigrate };

// Why a task left its CPU.
enum class LeaveReason : std::uint8_t { kPreempted, kBlocked, kExited };

// The index of what a CPU without a task executes.
inline constexpr std::int32_t kIdleTask = -1;

// A priority as the kernel counts it, from -1 (deadline) by 120 (nice 0) to 139, in one byte.
class TracedPriority {
 public:
  constexpr TracedPriority() = default;
  explicit constexpr TracedPriority(std::int32_t value)
      : above_lowest_(static_cast<std::uint8_t>(value - kLowest)) {}
  constexpr std::int32_t value() const { return above_lowest_ + kLowest; }

 private:
  static constexpr std::int32_t kLowest = -1;
  static constexpr std::uint8_t kNice0 = 121;
  std::uint8_t above_lowest_ = kNice0;  // also what an idle CPU's own task shows
};

// One event of a run. Tasks are named by their index in SimTrace::tasks(), or kIdleTask.
struct TraceRecord {
  SimTime at;
  std::int32_t task = kIdleTask;   // kSwitch: who leaves; else whom it is about
  std::int32_t other = kIdleTask;  // kSwitch: who comes; kWake, kCreate: the waker or parent
  std::int16_t cpu = 0;            // where it happens; kMigrate: the CPU that the task leaves
  std::int16_t target_cpu = 0;     // all but kSwitch: where the task is queued
  TraceEvent event = TraceEvent::kSwitch;
  LeaveReason reason = LeaveReason::kPreempted;  // kSwitch
  TracedPriority priority{};                     // of `task`
  TracedPriority other_priority{};               // kSwitch: of `other`
};
static_assert(sizeof(TraceRecord) == 24);

struct TracedTask {
  std::string name;
  std::int32_t parent = kIdleTask;  // by index; kIdleTask: nobody's child
};

// 384 MiB; a busy machine of 64 CPUs fills it in about ten seconds.
inline constexpr std::int64_t kDefaultTraceRecords = 16'777'216;

// What happened in a run, in order, up to a limit: the first records are kept, and later ones are
// only counted. Memory grows with what is kept.
class SimTrace {
 public:
  explicit SimTrace(std::int32_t cpu_count, std::int64_t record_limit = kDefaultTraceRecords)
      : cpu_count_(cpu_count), record_limit_(record_limit) {}

  void Append(const TraceRecord& record) {
    if (next_ == chunk_end_ && !Grow()) {
      ++dropped_count_;
      return;
    }
    *next_++ = record;
  }
  // The task of that index, made known by this where it is not yet.
  TracedTask& Task(std::int32_t index);
  // The run has ended. Requires: no record is later.
  void Close(SimTime end) { run_end_ = end; }

  std::int32_t cpu_count() const { return cpu_count_; }
  std::int64_t record_count() const { return full_count_ + (next_ - chunk_begin_); }
  // How many records found the limit reached.
  std::int64_t dropped_count() const { return dropped_count_; }
  const std::vector<TracedTask>& tasks() const { return tasks_; }
  SimTime run_end() const { return run_end_; }
  // Until when the records tell everything: the end of the run, or the last record before others
  // were dropped.
  SimTime end() const;

  // Calls `visit(record)` for each, in order.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const TraceRecord* const begin = chunks_[i].get();
      const TraceRecord* const end = i + 1 == chunks_.size() ? next_ : begin + kChunkRecords;
      for (const TraceRecord* record = begin; record != end; ++record) visit(*record);
    }
  }

 private:
  static constexpr std::int64_t kChunkRecords = 65'536;

  bool Grow();

  std::int32_t cpu_count_;
  std::int64_t record_limit_;
  // All but the last are full. Blocks of uninitialised records: zeroing them costs as much as
  // writing them.
  std::vector<std::unique_ptr<TraceRecord[]>> chunks_;  // NOLINT(modernize-avoid-c-arrays)
  TraceRecord* chunk_begin_ = nullptr;
  TraceRecord* chunk_end_ = nullptr;
  TraceRecord* next_ = nullptr;
  std::int64_t full_count_ = 0;  // in all chunks but the last
  std::int64_t dropped_count_ = 0;
  std::vector<TracedTask> tasks_;
  SimTime run_end_;
};

// Which task each CPU executes, as a trace is read in order.
class RunningTasks {
 public:
  explicit RunningTasks(const SimTrace& trace)
      : tasks_(static_cast<std::size_t>(trace.cpu_count()), kIdleTask) {}

  std::int32_t On(CpuNumber cpu) const { return tasks_[static_cast<std::size_t>(cpu)]; }
  // To be called after `record` was dealt with.
  void Follow(const TraceRecord& record) {
    if (record.event != TraceEvent::kSwitch) return;
    tasks_[static_cast<std::size_t>(record.cpu)] = record.other;
  }

 private:
  std::vector<std::int32_t> tasks_;
};

// The thread id under which foreign formats know a task: 0 for kIdleTask, else from 1001.
std::int32_t ThreadIdOf(std::int32_t task);
// The process of all of them.
inline constexpr std::int32_t kTracedProcessId = 1000;

// The name that a kernel would keep: at most 15 characters, none of which are blanks or controls.
std::string CommandNameOf(const SimTrace& trace, std::int32_t task);
// The same of what `cpu` executes: "swapper/3" for kIdleTask.
std::string CommandNameOn(const SimTrace& trace, std::int32_t task, CpuNumber cpu);

// The letter of `prev_state` that a kernel's trace shows.
char StateLetterOf(LeaveReason reason);
// The same as bits.
std::int64_t StateBitsOf(LeaveReason reason);

}  // namespace schedlab::sim
