#include "sim/output/ftrace_text.h"

#include <fmt/format.h>

#include <string>

#include "sim/output/text_writer.h"

namespace schedlab::sim {
namespace {

constexpr std::string_view kColumnTitles =
    R"(#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |)";

// Interrupts are off in all of these events; a wakeup by nobody comes from an interrupt.
std::string_view FlagsOf(const TraceRecord& record) {
  const bool is_wakeup = record.event == TraceEvent::kWake || record.event == TraceEvent::kCreate;
  return is_wakeup && record.other == kIdleTask ? "d.h2." : "d..2.";
}

std::string SwitchText(const SimTrace& trace, const TraceRecord& record) {
  return fmt::format(
      "sched_switch: prev_comm={} prev_pid={} prev_prio={} prev_state={} ==> "
      "next_comm={} next_pid={} next_prio={}",
      CommandNameOn(trace, record.task, record.cpu), ThreadIdOf(record.task),
      record.priority.value(), StateLetterOf(record.reason),
      CommandNameOn(trace, record.other, record.cpu), ThreadIdOf(record.other),
      record.other_priority.value());
}

std::string WakeupText(const SimTrace& trace, const TraceRecord& record, std::string_view event) {
  return fmt::format("{}: comm={} pid={} prio={} target_cpu={:03}", event,
                     CommandNameOf(trace, record.task), ThreadIdOf(record.task),
                     record.priority.value(), record.target_cpu);
}

std::string MigrationText(const SimTrace& trace, const TraceRecord& record) {
  return fmt::format("sched_migrate_task: comm={} pid={} prio={} orig_cpu={} dest_cpu={}",
                     CommandNameOf(trace, record.task), ThreadIdOf(record.task),
                     record.priority.value(), record.cpu, record.target_cpu);
}

std::string EventText(const SimTrace& trace, const TraceRecord& record) {
  switch (record.event) {
    case TraceEvent::kSwitch:
      return SwitchText(trace, record);
    case TraceEvent::kWake:
      return WakeupText(trace, record, "sched_waking");
    case TraceEvent::kCreate:
      return WakeupText(trace, record, "sched_wakeup_new");
    case TraceEvent::kMigrate:
      return MigrationText(trace, record);
  }
  return {};
}

}  // namespace

void WriteFtraceText(const SimTrace& trace, const ByteSink& sink) {
  TextWriter writer(sink);
  writer.Line("# tracer: nop");
  writer.Line("#");
  writer.Line("# entries-in-buffer/entries-written: {}/{}   #P:{}", trace.record_count(),
              trace.record_count() + trace.dropped_count(), trace.cpu_count());
  writer.Line("#");
  writer.Line("{}", kColumnTitles);
  RunningTasks running(trace);
  trace.ForEach([&](const TraceRecord& record) {
    const std::int32_t task = running.On(record.cpu);
    const std::string name = task == kIdleTask ? "<idle>" : CommandNameOf(trace, task);
    const std::int64_t microseconds = (Ns(record.at) + 500) / 1'000;  // as the kernel rounds
    writer.Line("{:>16}-{:<7} [{:03}] {} {:5}.{:06}: {}", name, ThreadIdOf(task), record.cpu,
                FlagsOf(record), microseconds / 1'000'000, microseconds % 1'000'000,
                EventText(trace, record));
    running.Follow(record);
  });
  writer.Finish();
}

}  // namespace schedlab::sim
