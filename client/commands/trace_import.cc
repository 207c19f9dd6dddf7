#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "client/commands/commands.h"
#include "client/number_format.h"
#include "client/output_file.h"
#include "client/text_table.h"
#include "client/trace_input.h"
#include "core/limits.h"

namespace schedlab::client {
namespace {

constexpr std::size_t kListedTasks = 20;

std::string Seconds(std::int64_t duration_ns) {
  return FormatNumber(static_cast<double>(duration_ns) / 1e9);
}

struct TaskTotals {
  const TraceTask* task;
  TraceTotals totals;
};

// The busiest first; those of equal work in the order of the trace.
std::vector<TaskTotals> ByWork(const WorkloadTrace& trace) {
  std::vector<TaskTotals> tasks;
  for (const TraceTask& task : trace.tasks) {
    TaskTotals& row = tasks.emplace_back();
    row.task = &task;
    row.totals = TotalsOf(task);
  }
  std::stable_sort(tasks.begin(), tasks.end(), [](const TaskTotals& a, const TaskTotals& b) {
    return a.totals.run_ns > b.totals.run_ns;
  });
  return tasks;
}

std::string RenderCounts(const ingest::RecordingCounts& counts) {
  TextTable table({{"recording"}, {"count", Alignment::kRight}});
  const auto row = [&](const char* name, std::int64_t count) {
    table.AddRow({name, fmt::format("{}", count)});
  };
  row("events", counts.event_count);
  row("other lines", counts.unread_line_count);
  row("lost events", counts.lost_count);
  row("overwritten events", counts.overwritten_count);
  row("wakeups by interrupts", counts.interrupt_wakeup_count);
  row("wakeups that changed nothing", counts.void_wakeup_count);
  row("wakeups that are missing", counts.unexplained_wakeup_count);
  row("contradictions", counts.contradiction_count);
  return table.Render() + "\n";
}

std::string RenderTasks(const WorkloadTrace& trace) {
  const std::vector<TaskTotals> tasks = ByWork(trace);
  TextTable table({{"task"},
                   {"pid", Alignment::kRight},
                   {"priority", Alignment::kRight},
                   {"blocks", Alignment::kRight},
                   {"wakes others", Alignment::kRight},
                   {"run s", Alignment::kRight},
                   {"sleep s", Alignment::kRight}});
  for (std::size_t i = 0; i < std::min(tasks.size(), kListedTasks); ++i) {
    const auto& [task, totals] = tasks[i];
    table.AddRow({task->name, fmt::format("{}", task->pid), fmt::format("{}", task->priority),
                  fmt::format("{}", totals.block_count), fmt::format("{}", totals.wakeup_count),
                  Seconds(totals.run_ns), Seconds(totals.sleep_ns)});
  }
  std::string text = table.Render();
  if (tasks.size() > kListedTasks) {
    text += fmt::format("and {} more tasks\n", tasks.size() - kListedTasks);
  }
  return text;
}

std::string RenderText(const TraceInput& input, const TraceTotals& totals) {
  const WorkloadTrace& trace = input.trace;
  std::string text = fmt::format(
      "{} tasks, {} runs between blocks, {} wakeups among them; {} s on {} CPUs, {} s of work\n\n",
      trace.tasks.size(), totals.block_count + static_cast<std::int64_t>(trace.tasks.size()),
      totals.wakeup_count, Seconds(trace.span_ns), trace.cpu_count, Seconds(totals.run_ns));
  if (input.counts) text += RenderCounts(*input.counts);
  return text + RenderTasks(trace);
}

std::string RenderJson(const TraceInput& input, const TraceTotals& totals, std::size_t bytes) {
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  document["format_version"] = 1;
  document["tasks"] = input.trace.tasks.size();
  document["steps"] = totals.step_count;
  document["blocks"] = totals.block_count;
  document["wakeups"] = totals.wakeup_count;
  document["span_ns"] = input.trace.span_ns;
  document["cpus"] = input.trace.cpu_count;
  document["run_ns"] = totals.run_ns;
  document["sleep_ns"] = totals.sleep_ns;
  document["trace_bytes"] = bytes;
  if (input.counts) {
    const ingest::RecordingCounts& counts = *input.counts;
    document["recording"] = {{"events", counts.event_count},
                             {"other_lines", counts.unread_line_count},
                             {"cut_line", counts.cut_line},
                             {"lost_events", counts.lost_count},
                             {"losses", counts.loss_count},
                             {"overwritten_events", counts.overwritten_count},
                             {"interrupt_wakeups", counts.interrupt_wakeup_count},
                             {"void_wakeups", counts.void_wakeup_count},
                             {"missing_wakeups", counts.unexplained_wakeup_count},
                             {"contradictions", counts.contradiction_count}};
  }
  return document.dump(2) + "\n";
}

Status WriteTrace(const std::string& path, std::string_view text) {
  Result<OutputFile> file = OutputFile::Create(path);
  if (!file) return Fail(file.error());
  file->Write(text);
  return file->Finish();
}

void WarnOfSize(std::size_t bytes) {
  if (bytes <= kMaxDocumentBytes) return;
  PrintDiagnostic(
      fmt::format("schedlab: the trace has {} bytes: `schedlab sim` takes it, but a job takes at "
                  "most {}\n",
                  bytes, kMaxDocumentBytes));
}

}  // namespace

ExitCode RunTraceImport(const GlobalOptions& global, const TraceImportOptions& options) {
  const Result<TraceInput> input = ReadTraceInput(options.path);
  if (!input) return ReportError("cannot import the recording", input.error());
  const std::string encoded = EncodeWorkloadTrace(input->trace);
  if (!options.output_path.empty()) {
    const Status written = WriteTrace(options.output_path, encoded);
    if (!written) return ReportError("cannot import the recording", written.error());
  }
  WarnOfDoubts(*input);
  WarnOfSize(encoded.size());
  const TraceTotals totals = TotalsOf(input->trace);
  const std::string report = global.output == OutputFormat::kJson
                                 ? RenderJson(*input, totals, encoded.size())
                                 : RenderText(*input, totals);
  if (options.output_path == "-") {
    PrintDiagnostic(report);
  } else {
    Print(report);
  }
  return ExitCode::kOk;
}

}  // namespace schedlab::client
