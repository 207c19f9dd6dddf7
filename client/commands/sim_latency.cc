#include <nlohmann/json.hpp>

#include "client/commands/commands.h"
#include "client/traced_run.h"
#include "sim/output/perf_sched_latency.h"
#include "sim/output/task_latency.h"

namespace schedlab::client {
namespace {

std::string RenderJson(const sim::SimTrace& trace, const std::vector<sim::TaskLatency>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const sim::TaskLatency& row : rows) {
    list.push_back({{"name", row.name},
                    {"tid", row.thread_id},
                    {"tasks", row.task_count},
                    {"runtime_ns", sim::Ns(row.runtime)},
                    {"switches", row.switch_count},
                    {"total_delay_ns", sim::Ns(row.total_delay)},
                    {"max_delay_ns", sim::Ns(row.max_delay)},
                    {"max_delay_start_ns", sim::Ns(row.max_delay_start)},
                    {"max_delay_end_ns", sim::Ns(row.max_delay_end)}});
  }
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  document["format_version"] = 1;
  document["traced_ns"] = sim::Ns(trace.end());
  document["dropped_records"] = trace.dropped_count();
  document["rows"] = list;
  return document.dump(2) + "\n";
}

}  // namespace

ExitCode RunSimLatency(const GlobalOptions& global, const SimLatencyOptions& options) {
  const Result<TracedRun> run = RunTraced(options.run, options.record_limit);
  if (!run) return ReportError("cannot simulate", run.error());
  const std::vector<sim::TaskLatency> rows = sim::MeasureLatency(run->trace, options.rows);
  Print(global.output == OutputFormat::kJson ? RenderJson(run->trace, rows)
                                             : sim::PerfSchedLatency(run->trace, rows));
  WarnOfLoss(*run);
  return ExitCode::kOk;
}

}  // namespace schedlab::client
