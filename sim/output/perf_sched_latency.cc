#include "sim/output/perf_sched_latency.h"

#include <fmt/format.h>

#include "sim/output/text_writer.h"

namespace schedlab::sim {
namespace {

double Milliseconds(SimDuration duration) { return static_cast<double>(Ns(duration)) / 1e6; }

std::string NameColumn(const TaskLatency& row) {
  if (row.task_count > 1) return fmt::format("  {}:({}) ", row.name, row.task_count);
  return fmt::format("  {}:{} ", row.name, row.thread_id);
}

void WriteRow(const TaskLatency& row, TextWriter& writer) {
  const SimDuration mean = row.total_delay / row.switch_count;
  writer.Line(
      "{:<24}|{:11.3f} ms |{:9} | avg:{:8.3f} ms | max:{:8.3f} ms | max start: {:>12} s | "
      "max end: {:>12} s",
      NameColumn(row), Milliseconds(row.runtime), row.switch_count, Milliseconds(mean),
      Milliseconds(row.max_delay), SecondsText(row.max_delay_start),
      SecondsText(row.max_delay_end));
}

void WriteTotal(const std::vector<TaskLatency>& rows, TextWriter& writer) {
  SimDuration runtime{0};
  std::int64_t switch_count = 0;
  for (const TaskLatency& row : rows) {
    runtime += row.runtime;
    switch_count += row.switch_count;
  }
  writer.Line(" {:-<113}", "");
  writer.Line("  TOTAL:                |{:11.3f} ms |{:9} |", Milliseconds(runtime), switch_count);
  writer.Line(" {:-<51}", "");
}

void WriteLoss(const SimTrace& trace, TextWriter& writer) {
  const std::int64_t event_count = trace.record_count() + trace.dropped_count();
  writer.Line("  INFO: {:.3f}% lost events ({} out of {}): cut at {} s",
              100.0 * static_cast<double>(trace.dropped_count()) / static_cast<double>(event_count),
              trace.dropped_count(), event_count, SecondsText(trace.end()));
}

}  // namespace

std::string PerfSchedLatency(const SimTrace& trace, const std::vector<TaskLatency>& rows) {
  std::string text;
  const ByteSink sink = [&text](std::string_view bytes) { text += bytes; };
  TextWriter writer(sink);
  writer.Line("");
  writer.Line(" {:-<139}", "");
  writer.Line(
      "  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    | "
      "Max delay start           | Max delay end          |");
  writer.Line(" {:-<139}", "");
  for (const TaskLatency& row : rows) WriteRow(row, writer);
  WriteTotal(rows, writer);
  if (trace.dropped_count() > 0) WriteLoss(trace, writer);
  writer.Line("");
  writer.Finish();
  return text;
}

}  // namespace schedlab::sim
