#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "client/commands/commands.h"
#include "client/traced_run.h"
#include "sim/output/perf_sched_timehist.h"
#include "sim/output/timehist.h"

namespace schedlab::client {
namespace {

using Json = nlohmann::ordered_json;

Json Of(const sim::SimTrace& trace, const sim::Stretch& stretch) {
  return {{"end_ns", sim::Ns(stretch.end)},
          {"cpu", stretch.cpu},
          {"name", sim::CommandNameOn(trace, stretch.task, stretch.cpu)},
          {"tid", sim::ThreadIdOf(stretch.task)},
          {"wait_ns", sim::Ns(stretch.wait())},
          {"delay_ns", sim::Ns(stretch.delay)},
          {"run_ns", sim::Ns(stretch.run)},
          {"state", std::string(1, sim::StateLetterOf(stretch.reason))},
          {"next_tid", sim::ThreadIdOf(stretch.next)}};
}

Json Of(const sim::StretchSummary& summary) {
  return {{"stretches", summary.count},
          {"run_ns", sim::Ns(summary.run)},
          {"min_run_ns", sim::Ns(summary.min_run)},
          {"max_run_ns", sim::Ns(summary.max_run)},
          {"sleep_ns", sim::Ns(summary.sleep)},
          {"preempted_ns", sim::Ns(summary.preempted)},
          {"delay_ns", sim::Ns(summary.delay)},
          {"migrations", summary.migration_count},
          {"has_exited", summary.has_exited}};
}

Json SummaryOf(const sim::SimTrace& trace) {
  const sim::TimehistSummary summary = sim::SummarizeStretches(trace);
  Json tasks = Json::array();
  for (std::size_t i = 0; i < summary.tasks.size(); ++i) {
    if (summary.tasks[i].count == 0) continue;
    const auto task = static_cast<std::int32_t>(i);
    Json row = {{"name", sim::CommandNameOf(trace, task)}, {"tid", sim::ThreadIdOf(task)}};
    row.update(Of(summary.tasks[i]));
    tasks.push_back(row);
  }
  return tasks;
}

// A line for each stretch: a long run has millions of them.
void PrintJson(const sim::SimTrace& trace, const sim::TimehistColumns& columns) {
  Print(fmt::format("{{\"format_version\": 1,\n\"dropped_records\": {},\n\"stretches\": [",
                    trace.dropped_count()));
  std::string_view separator = "\n";
  if (columns.has_rows) {
    sim::ForEachStretch(trace,
                        [&](const sim::TraceRecord& /*record*/, const sim::Stretch* stretch) {
                          if (stretch == nullptr) return;
                          Print(fmt::format("{}{}", separator, Of(trace, *stretch).dump()));
                          separator = ",\n";
                        });
  }
  Print(fmt::format("],\n\"tasks\": {}}}\n", SummaryOf(trace).dump()));
}

}  // namespace

ExitCode RunSimTimehist(const GlobalOptions& global, const SimTimehistOptions& options) {
  const Result<TracedRun> run = RunTraced(options.run, options.record_limit);
  if (!run) return ReportError("cannot simulate", run.error());
  if (global.output == OutputFormat::kJson) {
    PrintJson(run->trace, options.columns);
  } else {
    sim::WritePerfSchedTimehist(run->trace, options.columns, &Print);
  }
  WarnOfLoss(*run);
  return ExitCode::kOk;
}

}  // namespace schedlab::client
