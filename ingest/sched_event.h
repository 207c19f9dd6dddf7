#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/result.h"

namespace schedlab::ingest {

// Which tool printed a line, as far as its head tells.
enum class SchedTextStyle { kPerf, kFtrace };

// What stands before the event of a line: the task that was executing, where and when.
struct SchedLineHead {
  SchedTextStyle style = SchedTextStyle::kPerf;
  std::int32_t pid = 0;  // 0 = idle
  std::int32_t cpu = 0;
  std::int64_t at_ns = 0;
  // The kernel's flags say that an interrupt handler was executing on behalf of nobody.
  bool is_in_interrupt = false;
  std::string_view event;  // its name, without the group
  std::string_view body;
};

// The head of a line of `perf script`, of an ftrace `trace` file or of `trace-cmd report`. Nothing
// where the line is no event of any of them.
std::optional<SchedLineHead> ParseSchedLineHead(std::string_view line);

// A task as an event names it. The name is a part of the line.
struct TaskMention {
  std::int32_t pid = 0;
  std::optional<std::int32_t> priority;
  std::string_view name;
};

struct SwitchBody {
  TaskMention previous;
  TaskMention next;
  bool is_previous_runnable = false;  // it was preempted or yielded, and did not block
};

// Bodies as the kernel prints them ("prev_comm=bash prev_pid=7 ...") and as the plug-ins of perf
// and trace-cmd do ("bash:7 [120] S ==> ..."). kInvalidArgument says what is missing.
Result<SwitchBody> ParseSwitchBody(std::string_view body);
// sched_waking, sched_wakeup, sched_wakeup_new.
Result<TaskMention> ParseWakeBody(std::string_view body);
// sched_process_fork: the child.
Result<TaskMention> ParseForkBody(std::string_view body);

// Whether a task with this printed prev_state is runnable: letters of any kernel ("R", "R+"), or
// the number itself.
bool IsRunnableState(std::string_view state);

// Events that a line says were lost, and on which CPU (-1 = not said).
struct LostEvents {
  std::int64_t count = 0;  // 0 = not said
  std::int32_t cpu = -1;
};
std::optional<LostEvents> ParseLostLine(std::string_view line);

// Whether the line names an event that an import needs, as the event of a line.
bool NamesSchedEvent(std::string_view line);

// What a comment of an ftrace `trace` file says about its buffers.
struct BufferRemark {
  std::int64_t overwritten_count = 0;  // events, of all CPUs
  std::int32_t started_cpu = -1;       // the buffer of this CPU begins here; -1 = not said
};
BufferRemark ParseBufferRemark(std::string_view comment);

}  // namespace schedlab::ingest
