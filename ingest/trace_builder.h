#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "ingest/sched_event.h"
#include "ingest/sched_trace.h"

namespace schedlab::ingest {

// An event of a recording, as far as tasks and CPUs are concerned.
struct SchedEvent {
  enum class Kind : std::uint8_t {
    kOther,  // says only who executes
    kSwitch,
    kWake,
    kBirth,  // of a new task; its first wakeup is another event
    kStart,  // of a new task; its first wakeup
    kInterruptEntry,
    kInterruptExit,
    kLoss,  // events are missing on this CPU
  };
  Kind kind = Kind::kOther;
  std::int64_t at_ns = 0;
  std::int32_t cpu = 0;
  std::int32_t pid = 0;  // who executes there
  bool is_in_interrupt = false;
  bool is_previous_runnable = false;  // kSwitch
  TaskMention subject{};              // kSwitch: the previous task; kWake and the like: whose
  TaskMention next{};                 // kSwitch
};

// Turns events into what the tasks needed: the rules of docs/replay.md.
class TraceBuilder {
 public:
  // The recording begins at `begin_ns`. `has_births`: it tells of new tasks, so that a task which
  // appears otherwise is an old one.
  TraceBuilder(std::int64_t begin_ns, bool has_births)
      : begin_ns_(begin_ns), has_births_(has_births) {}

  // Requires: events in the order of their times, none before `begin_ns`.
  void Add(const SchedEvent& event);

  WorkloadTrace Finish();
  const RecordingCounts& counts() const { return counts_; }

 private:
  enum class State : std::uint8_t { kRunning, kQueued, kBlocked };
  // A wakeup that came while its task was still executing: it ends the next block, unless another
  // wakeup does.
  enum class Early : std::uint8_t { kNone, kByTask, kByInterrupt };
  struct Life {
    State state = State::kQueued;
    std::int64_t since_ns = 0;  // kRunning: credited until; kBlocked: blocked since, 0 at first
    std::int32_t cpu = -1;      // kRunning: where
    bool is_unborn = false;     // created, and not woken for the first time
    Early early = Early::kNone;
    std::size_t early_waker = 0;  // the task, and which of its steps the wakeup is
    std::size_t early_step = 0;
  };
  static constexpr std::int64_t kUnknown = -1;
  static constexpr std::int64_t kIdle = -2;
  struct CpuView {
    std::int64_t current = kUnknown;  // a task's index, kIdle or kUnknown
    bool is_new = true;
    std::int64_t seen_ns = 0;  // its last event
    std::int32_t interrupt_depth = 0;
  };

  void Observe(const SchedEvent& event, CpuView& cpu);
  void Adopt(const SchedEvent& event, CpuView& cpu);
  void Switch(const SchedEvent& event, CpuView& cpu);
  void Wake(const SchedEvent& event, const CpuView& cpu);
  void Start(const SchedEvent& event, const CpuView& cpu);
  void Lose(CpuView& cpu);

  std::size_t Mentioned(const TaskMention& mention, State state);
  std::size_t Create(const TaskMention& mention, State state);
  void Describe(std::size_t task, const TaskMention& mention);
  void EndBlock(std::size_t task, std::int64_t waker);
  void Begin(std::size_t task, std::int32_t cpu);
  void Credit(std::size_t task, std::int64_t until_ns);
  void Block(std::size_t task, std::int64_t at_ns);
  void GiveEarly(std::size_t task, std::int64_t waker);
  void VoidEarly(std::size_t task);
  void TakeEarly(std::size_t task);
  std::size_t AddWake(std::size_t waker, std::size_t task);
  void AddSleep(std::size_t task, std::int64_t for_ns);

  const std::int64_t begin_ns_;
  const bool has_births_;
  std::int64_t now_ns_ = 0;  // since the begin, as all times below
  std::int64_t span_ns_ = 0;
  std::map<std::int32_t, CpuView> cpus_;
  std::map<std::int32_t, std::size_t> by_pid_;
  std::vector<Life> lives_;  // by task
  std::vector<TraceTask> tasks_;
  RecordingCounts counts_;
};

}  // namespace schedlab::ingest
