#include "sim/output/perf_sched_timehist.h"

#include <fmt/format.h>

#include <string>

#include "sim/output/text_writer.h"
#include "sim/output/timehist.h"

namespace schedlab::sim {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// Milliseconds, cut to microseconds.
std::string Milliseconds(SimDuration duration, int width) {
  const std::int64_t microseconds = Ns(duration) / 1'000;
  return fmt::format("{:{}}.{:03}", microseconds / 1'000, width, microseconds % 1'000);
}

std::string LabelOf(const SimTrace& trace, std::int32_t task) {
  if (task == kIdleTask) return "<idle>";
  return fmt::format("{}[{}]", CommandNameOf(trace, task), ThreadIdOf(task));
}

std::string ActorLabelOf(const SimTrace& trace, std::int32_t task) {
  return task == kIdleTask ? "swapper" : LabelOf(trace, task);
}

class Rows {
 public:
  Rows(const SimTrace& trace, const TimehistColumns& columns, TextWriter& writer)
      : trace_(trace), columns_(columns), writer_(writer) {}

  void WriteTitles() {
    writer_.Part("{:>15} {:>6} ", "time", "cpu");
    WriteVisual(CpuDigits(), 1);
    writer_.Part(" {:<30}  {:>9}  {:>9}  {:>9}", "task name", "wait time", "sch delay", "run time");
    if (columns_.has_state) writer_.Part("  state");
    writer_.EndLine();
    writer_.Part("{:>15} {:<6} ", "", "");
    WriteVisual(std::string(CpuCount(), ' '), 1);
    writer_.Line(" {:<30}  {:>9}  {:>9}  {:>9}", "[tid/pid]", "(msec)", "(msec)", "(msec)");
    writer_.Part("{:-<15} {:-<6} ", "", "");
    WriteVisual(std::string(CpuCount(), '-'), 1);
    writer_.Part(" {:-<30}  {:-<9}  {:-<9}  {:-<9}", "", "", "", "");
    if (columns_.has_state) writer_.Part("  {:-<5}", "");
    writer_.EndLine();
  }

  void WriteStretch(const Stretch& stretch) {
    const bool is_idle = stretch.task == kIdleTask;
    WriteStart(stretch.end, stretch.cpu);
    WriteVisual(MarkAt(stretch.cpu, is_idle ? 'i' : 's'), 1);
    writer_.Part(" {:<30} {} {} {} ", LabelOf(trace_, stretch.task),
                 Milliseconds(stretch.wait(), 6), Milliseconds(stretch.delay, 6),
                 Milliseconds(stretch.run, 6));
    if (columns_.has_state) writer_.Part(" {:>5} ", is_idle ? 'I' : StateLetterOf(stretch.reason));
    if (columns_.has_next) {
      writer_.Part(" next: {}[{}]", CommandNameOn(trace_, stretch.next, stretch.cpu),
                   ThreadIdOf(stretch.next));
    }
    writer_.EndLine();
  }

  void WriteWakeup(const TraceRecord& record, std::int32_t running) {
    WriteStart(record.at, record.cpu);
    WriteVisual(std::string(CpuCount(), ' '), 1);
    WriteActor(running);
    writer_.Line("awakened: {}", LabelOf(trace_, record.task));
  }

  void WriteMigration(const TraceRecord& record, std::int32_t running) {
    WriteStart(record.at, record.cpu);
    WriteVisual(MarkAt(record.cpu, 'm'), 2);
    WriteActor(running);
    writer_.Line("migrated: {} cpu {} => {}", LabelOf(trace_, record.task), record.cpu,
                 record.target_cpu);
  }

 private:
  std::size_t CpuCount() const { return static_cast<std::size_t>(trace_.cpu_count()); }
  std::string CpuDigits() const {
    std::string digits;
    for (std::size_t cpu = 0; cpu < CpuCount(); ++cpu) digits += kHexDigits[cpu % 16];
    return digits;
  }
  std::string MarkAt(CpuNumber cpu, char mark) const {
    std::string marks(CpuCount(), ' ');
    marks[static_cast<std::size_t>(cpu)] = mark;
    return marks;
  }

  void WriteStart(SimTime at, CpuNumber cpu) {
    writer_.Part("{:>15} [{:04}] ", SecondsText(at), cpu);
  }
  // perf itself has one more blank on either side in lines of migrations.
  void WriteVisual(const std::string& marks, int blank_count) {
    if (columns_.has_cpu_visual)
      writer_.Part("{:{}}{}{:{}}", "", blank_count, marks, "", blank_count);
  }
  void WriteActor(std::int32_t running) {
    writer_.Part(" {:<30}   {:>9}  {:>9}  {:>9} ", ActorLabelOf(trace_, running), "", "", "");
  }

  const SimTrace& trace_;
  const TimehistColumns& columns_;
  TextWriter& writer_;
};

void WriteRows(const SimTrace& trace, const TimehistColumns& columns, TextWriter& writer) {
  Rows rows(trace, columns, writer);
  RunningTasks running(trace);
  rows.WriteTitles();
  ForEachStretch(trace, [&](const TraceRecord& record, const Stretch* stretch) {
    const bool is_migration = record.event == TraceEvent::kMigrate;
    if (stretch != nullptr) {
      rows.WriteStretch(*stretch);
    } else if (is_migration && columns.has_migrations) {
      rows.WriteMigration(record, running.On(record.cpu));
    } else if (!is_migration && columns.has_wakeups) {
      rows.WriteWakeup(record, running.On(record.cpu));
    }
    running.Follow(record);
  });
}

class Summary {
 public:
  Summary(const SimTrace& trace, const TimehistColumns& columns, TextWriter& writer)
      : trace_(trace), columns_(columns), writer_(writer), summary_(SummarizeStretches(trace)) {}

  void Write() {
    WriteTitles();
    if (WriteTasks(false) == 0) writer_.Line("<no still running tasks>");
    writer_.Line("");
    writer_.Line("Terminated tasks:");
    if (WriteTasks(true) == 0) writer_.Line("<no terminated tasks>");
    WriteIdle();
    WriteTotals();
  }

 private:
  void WriteTitles() {
    const bool has_state = columns_.has_state;
    writer_.Line("");
    writer_.Line("{} summary", has_state ? "Wait-time" : "Runtime");
    writer_.Line("{:>30}  parent   sched-in     run-time{}", "comm",
                 has_state ? "      sleep      iowait     preempt       delay"
                           : "    min-run     avg-run     max-run  stddev  migrations");
    writer_.Line(
        "{:>30}            (count)       (msec)     (msec)      (msec)      (msec)       {}", "",
        has_state ? "(msec)" : "%");
    writer_.Line("{:-<117}", "");
  }

  std::int64_t WriteTasks(bool exited) {
    std::int64_t written_count = 0;
    for (std::size_t i = 0; i < summary_.tasks.size(); ++i) {
      const StretchSummary& task = summary_.tasks[i];
      if (task.count == 0 || task.has_exited != exited) continue;
      WriteTask(static_cast<std::int32_t>(i), task);
      ++written_count;
    }
    return written_count;
  }

  void WriteTask(std::int32_t index, const StretchSummary& task) {
    const std::int32_t parent = trace_.tasks()[static_cast<std::size_t>(index)].parent;
    writer_.Part("{:>30}   {:5}  {:9} {} ", LabelOf(trace_, index), ThreadIdOf(parent), task.count,
                 Milliseconds(task.run, 8));
    if (columns_.has_state) {
      // No simulated task waits for a device, so there is no time of that.
      writer_.Line("{}  {}  {}  {}", Milliseconds(task.sleep, 6), Milliseconds(SimDuration{0}, 6),
                   Milliseconds(task.preempted, 6), Milliseconds(task.delay, 6));
      return;
    }
    writer_.Line("{}  {}  {}   {:5.2f}   {:5}", Milliseconds(task.min_run, 6),
                 Milliseconds(task.mean_run(), 6), Milliseconds(task.max_run, 6),
                 100 * task.relative_error, task.migration_count);
  }

  void WriteIdle() {
    const auto window = static_cast<double>(Ns(trace_.end()));
    writer_.Line("");
    writer_.Line("Idle stats:");
    for (std::size_t cpu = 0; cpu < summary_.idle.size(); ++cpu) {
      const StretchSummary& idle = summary_.idle[cpu];
      if (idle.count == 0) {
        writer_.Line("    CPU {:2} idle entire time window", cpu);
        continue;
      }
      writer_.Line("    CPU {:2} idle for {}  msec  ({:6.2f}%)", cpu, Milliseconds(idle.run, 6),
                   100.0 * static_cast<double>(Ns(idle.run)) / window);
    }
  }

  void WriteTotals() {
    std::int64_t task_count = 0;
    std::int64_t switch_count = 0;
    SimDuration run{0};
    for (const StretchSummary& task : summary_.tasks) {
      task_count += task.count > 0 ? 1 : 0;
      switch_count += task.count;
      run += task.run;
    }
    for (const StretchSummary& idle : summary_.idle) switch_count += idle.count;
    writer_.Line("");
    writer_.Line("    Total number of unique tasks: {}", task_count);
    writer_.Line("Total number of context switches: {}", switch_count);
    writer_.Line("           Total run time (msec): {}", Milliseconds(run, 2));
    writer_.Line("    Total scheduling time (msec): {}  (x {})",
                 Milliseconds(trace_.end().time_since_epoch(), 2), trace_.cpu_count());
  }

  const SimTrace& trace_;
  const TimehistColumns& columns_;
  TextWriter& writer_;
  const TimehistSummary summary_;
};

}  // namespace

void WritePerfSchedTimehist(const SimTrace& trace, const TimehistColumns& columns,
                            const ByteSink& sink) {
  TextWriter writer(sink);
  if (columns.has_rows) WriteRows(trace, columns, writer);
  if (columns.has_summary) Summary(trace, columns, writer).Write();
  if (trace.dropped_count() > 0) {
    writer.Line("{:>15} lost {} events", SecondsText(trace.end()), trace.dropped_count());
  }
  writer.Finish();
}

}  // namespace schedlab::sim
