#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "client/commands/commands.h"
#include "client/interrupt.h"
#include "client/number_format.h"
#include "client/text_table.h"
#include "client/traced_run.h"
#include "sim/simulate.h"

namespace schedlab::client {
namespace {

using std::chrono::steady_clock;

// One run, with how long it took.
struct TimedRun {
  RunResult result;
  double wall_sec = 0;
  std::int64_t record_count = 0;
  std::int64_t dropped_count = 0;

  double events_per_sec() const { return static_cast<double>(result.event_count) / wall_sec; }
  double simulated_per_wall() const {
    return static_cast<double>(result.simulated_ns) / 1e9 / wall_sec;
  }
};

double SecondsSince(steady_clock::time_point begin) {
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

Result<TimedRun> TimeTraced(const SimInput& input, std::int64_t record_limit,
                            const Interrupt& interrupt) {
  const auto begin = steady_clock::now();
  Result<TracedRun> run = RunTraced(input, record_limit, interrupt.token());
  if (!run) return Fail(run.error());
  return TimedRun{.result = run->result,
                  .wall_sec = SecondsSince(begin),
                  .record_count = run->trace.record_count(),
                  .dropped_count = run->trace.dropped_count()};
}

Result<TimedRun> TimeUntraced(const SimInput& input, const Interrupt& interrupt) {
  const auto begin = steady_clock::now();
  Result<RunResult> result =
      sim::Simulate(input.scenario, input.policy, input.seed, interrupt.token(),
                    {.event_limit = input.event_limit}, input.document);
  if (!result) return Fail(result.error());
  return TimedRun{.result = *result, .wall_sec = SecondsSince(begin)};
}

Result<std::vector<TimedRun>> TimeRuns(const SimInput& input, const SimBenchOptions& options) {
  const Interrupt interrupt;
  std::vector<TimedRun> runs;
  for (std::int64_t i = 0; i < options.repeat_count; ++i) {
    const Result<TimedRun> run = options.has_trace
                                     ? TimeTraced(input, options.record_limit, interrupt)
                                     : TimeUntraced(input, interrupt);
    if (!run) return Fail(run.error());
    runs.push_back(*run);
    if (run->result != runs.front().result) {
      return Fail(ErrorCode::kInternal,
                  fmt::format("digest {:016x} is {:016x} in repetition {}",
                              runs.front().result.digest, run->result.digest, i + 1));
    }
  }
  return runs;
}

// The run of the median time; the longer one of the two in the middle.
const TimedRun& MedianRun(std::vector<TimedRun>& runs) {
  std::sort(runs.begin(), runs.end(),
            [](const TimedRun& a, const TimedRun& b) { return a.wall_sec < b.wall_sec; });
  return runs[runs.size() / 2];
}

std::string RenderJson(const SimBenchOptions& options, const std::vector<TimedRun>& runs,
                       const TimedRun& median) {
  nlohmann::ordered_json wall = nlohmann::ordered_json::array();
  for (const TimedRun& run : runs) wall.push_back(run.wall_sec);
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  document["format_version"] = 1;
  document["topology"] = options.run.topology;
  document["workload"] = options.run.workload;
  document["policy"] = options.run.policy;
  document["seed"] = options.run.seed;
  document["digest"] = fmt::format("{:016x}", median.result.digest);
  document["has_trace"] = options.has_trace;
  document["repetitions"] = runs.size();
  document["events"] = median.result.event_count;
  document["simulated_ns"] = median.result.simulated_ns;
  document["wall_sec"] = median.wall_sec;
  document["events_per_second"] = median.events_per_sec();
  document["simulated_per_wall"] = median.simulated_per_wall();
  document["trace_records"] = median.record_count;
  document["dropped_records"] = median.dropped_count;
  document["wall_sec_by_repetition"] = wall;
  return document.dump(2) + "\n";
}

std::string RenderTable(const std::vector<TimedRun>& runs, const TimedRun& median) {
  TextTable table({{"", Alignment::kLeft},
                   {"median", Alignment::kRight},
                   {"fastest", Alignment::kRight},
                   {"slowest", Alignment::kRight}});
  const TimedRun& fastest = runs.front();
  const TimedRun& slowest = runs.back();
  table.AddRow({"wall time (s)", FormatNumber(median.wall_sec), FormatNumber(fastest.wall_sec),
                FormatNumber(slowest.wall_sec)});
  table.AddRow({"events per second", FormatNumber(median.events_per_sec()),
                FormatNumber(fastest.events_per_sec()), FormatNumber(slowest.events_per_sec())});
  table.AddRow({"simulated per wall second", FormatNumber(median.simulated_per_wall()),
                FormatNumber(fastest.simulated_per_wall()),
                FormatNumber(slowest.simulated_per_wall())});
  return fmt::format("digest {:016x}, {} events in {} s of simulated time (n={})\n\n{}",
                     median.result.digest, median.result.event_count,
                     FormatNumber(static_cast<double>(median.result.simulated_ns) / 1e9),
                     runs.size(), table.Render());
}

}  // namespace

ExitCode RunSimBench(const GlobalOptions& global, const SimBenchOptions& options) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return ReportError("cannot read the catalog", catalog.error());
  const Result<SimInput> input = ResolveSimInput(*catalog, options.run);
  if (!input) return ReportError("cannot simulate", input.error());
  Result<std::vector<TimedRun>> runs = TimeRuns(*input, options);
  if (!runs) return ReportError("cannot measure the simulator", runs.error());
  const TimedRun& median = MedianRun(*runs);
  Print(global.output == OutputFormat::kJson ? RenderJson(options, *runs, median)
                                             : RenderTable(*runs, median));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
