#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/grid.h"
#include "client/interrupt.h"
#include "client/number_format.h"
#include "client/regression_report.h"
#include "client/repeat_run.h"
#include "core/catalog.h"
#include "core/engine_version.h"

namespace schedlab::client {
namespace {

// One stored run of an alert, and how it is repeated.
struct ExampleToRepeat {
  std::string role;  // "last good" or "first bad"
  RevisionRef revision;
  Run run;
  JobSpec spec;
  std::string command;
};

struct RepeatedExample {
  ExampleToRepeat example;
  RepeatedRun result;
};

Result<Run> FindRun(Coordinator& coordinator, const AlertCell& cell, const RevisionRef& revision,
                    const ExampleRun& example) {
  Result<std::vector<Run>> runs = coordinator.ListRuns(example.job);
  if (!runs) return Fail(runs.error());
  const SeriesKey& key = cell.series.key;
  for (Run& run : *runs) {
    if (run.seed == example.seed && run.policy == key.policy && run.variant == key.variant &&
        run.revision == revision.id && run.topology == key.topology &&
        run.workload == key.workload && run.result) {
      return std::move(run);
    }
  }
  return Fail(ErrorCode::kNotFound,
              fmt::format("job {} has no finished run of {} with seed {}", example.job.value,
                          ShortId(revision.id), example.seed));
}

// Absent where the revision was not run in the cell's scenario.
Result<std::optional<ExampleToRepeat>> ReadExample(Coordinator& coordinator, const AlertCell& cell,
                                                   std::string role, const RevisionRef& revision,
                                                   const std::optional<ExampleRun>& run) {
  if (!run) return std::optional<ExampleToRepeat>();
  Result<Job> job = coordinator.GetJob(run->job);
  if (!job) return Fail(job.error());
  Result<Run> stored = FindRun(coordinator, cell, revision, *run);
  if (!stored) return Fail(stored.error());
  std::string command = RepeatCommand(cell, revision.id, run, job->spec);
  return std::optional(ExampleToRepeat{.role = std::move(role),
                                       .revision = revision,
                                       .run = *std::move(stored),
                                       .spec = std::move(job->spec),
                                       .command = std::move(command)});
}

Result<std::vector<ExampleToRepeat>> ReadExamples(Coordinator& coordinator, const Alert& alert,
                                                  const AlertCell& cell) {
  std::vector<ExampleToRepeat> examples;
  Result<std::optional<ExampleToRepeat>> good =
      ReadExample(coordinator, cell, "last good", alert.previous, cell.previous_run);
  if (!good) return Fail(good.error());
  if (*good) examples.push_back(**std::move(good));
  Result<std::optional<ExampleToRepeat>> bad =
      ReadExample(coordinator, cell, "first bad", alert.revision, cell.revision_run);
  if (!bad) return Fail(bad.error());
  if (*bad) examples.push_back(**std::move(bad));
  if (!examples.empty()) return examples;
  return Fail(ErrorCode::kFailedPrecondition, "no run of either side is stored");
}

Result<std::vector<RepeatedExample>> RepeatAll(std::vector<ExampleToRepeat> examples,
                                               const AlertCell& cell, std::stop_token stop) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return Fail(catalog.error());
  std::vector<RepeatedExample> repeated;
  for (ExampleToRepeat& example : examples) {
    const SeriesKey& key = cell.series.key;
    const Result<RunSpec> spec =
        SpecOfRun(*catalog, example.spec, example.run, key.scenario_digest, key.engine_version);
    if (!spec) return Fail(spec.error());
    Result<RepeatedRun> result = RepeatRun(*spec, example.run, stop);
    if (!result) return Fail(result.error());
    repeated.push_back({std::move(example), *std::move(result)});
  }
  return repeated;
}

std::optional<double> ValueOf(const RunResult& result, const std::string& metric) {
  const auto found = result.metrics.find(metric);
  return found == result.metrics.end() ? std::nullopt : std::optional(found->second);
}

std::string ValueText(const std::optional<double>& value) {
  return value ? FormatNumber(*value) : "n/a";
}

std::string RenderCommands(const std::vector<ExampleToRepeat>& examples) {
  std::string text;
  for (const ExampleToRepeat& example : examples) {
    text +=
        fmt::format("# {}  {}\n{}\n", example.role, ShortId(example.revision.id), example.command);
  }
  return text;
}

std::string Render(const std::vector<RepeatedExample>& repeated, const Series& series) {
  Grid grid{.columns = {{""},
                        {"revision"},
                        {"seed"},
                        {"stored / " + series.unit, Alignment::kRight},
                        {"repeated / " + series.unit, Alignment::kRight},
                        {"stored digest"},
                        {"repeated digest"},
                        {"equal"}},
            .rows = {}};
  for (const RepeatedExample& one : repeated) {
    grid.rows.push_back({one.example.role, ShortId(one.example.revision.id),
                         fmt::format("{}", one.example.run.seed),
                         ValueText(ValueOf(one.result.stored, series.key.metric)),
                         ValueText(ValueOf(one.result.repeated, series.key.metric)),
                         fmt::format("{:016x}", one.result.stored.digest),
                         fmt::format("{:016x}", one.result.repeated.digest),
                         one.result.IsEqual() ? "yes, bit for bit" : "NO"});
  }
  return fmt::format("{}.{} on {}: one run of either side, simulated again in this process\n\n{}",
                     series.key.workload, series.key.metric, series.key.topology, RenderText(grid));
}

std::string Document(const std::vector<RepeatedExample>& repeated, const Series& series) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const RepeatedExample& one : repeated) {
    nlohmann::ordered_json metrics = nlohmann::ordered_json::object();
    for (const RepeatedMetric& metric : one.result.Metrics()) {
      metrics[metric.name] = {
          {"stored", metric.stored ? nlohmann::ordered_json(*metric.stored) : nullptr},
          {"repeated", metric.repeated ? nlohmann::ordered_json(*metric.repeated) : nullptr},
          {"is_equal", metric.IsEqual()}};
    }
    runs.push_back({{"role", one.example.role},
                    {"revision", one.example.revision.id},
                    {"seed", one.example.run.seed},
                    {"command", one.example.command},
                    {"stored_digest", fmt::format("{:016x}", one.result.stored.digest)},
                    {"repeated_digest", fmt::format("{:016x}", one.result.repeated.digest)},
                    {"is_equal", one.result.IsEqual()},
                    {"metrics", metrics}});
  }
  const nlohmann::ordered_json document = {{"format_version", 1},
                                           {"workload", series.key.workload},
                                           {"metric", series.key.metric},
                                           {"topology", series.key.topology},
                                           {"runs", runs}};
  return document.dump(2) + "\n";
}

ExitCode TellDifferences(const std::vector<RepeatedExample>& repeated) {
  ExitCode code = ExitCode::kOk;
  for (const RepeatedExample& one : repeated) {
    if (one.result.IsEqual()) continue;
    PrintDiagnostic(fmt::format(
        "schedlab: the run of {} with seed {} came out otherwise than stored: another build of "
        "engine version {}, or a worker that lied\n",
        ShortId(one.example.revision.id), one.example.run.seed, kEngineVersion));
    code = ExitCode::kInfrastructure;
  }
  return code;
}

}  // namespace

ExitCode RunReproduceAlert(const GlobalOptions& global, const ReproduceOptions& options) {
  const std::string what = fmt::format("cannot reproduce alert {}", options.id);
  Coordinator coordinator(global.server);
  const Result<Alert> alert = coordinator.GetAlert(AlertId{options.id});
  if (!alert) return ReportError(what, alert.error());
  const std::vector<const AlertCell*> cells = RegressedCells(*alert);
  if (cells.empty()) {
    return ReportError(what, {ErrorCode::kFailedPrecondition, "nothing got worse in it"});
  }
  const AlertCell& cell = *cells.front();
  Result<std::vector<ExampleToRepeat>> examples = ReadExamples(coordinator, *alert, cell);
  if (!examples) return ReportError(what, examples.error());
  if (options.is_print_only) {
    Print(RenderCommands(*examples));
    return ExitCode::kOk;
  }
  const Interrupt interrupt;
  const Result<std::vector<RepeatedExample>> repeated =
      RepeatAll(*std::move(examples), cell, interrupt.token());
  if (!repeated) return ReportError(what, repeated.error());
  Print(global.output == OutputFormat::kJson ? Document(*repeated, cell.series)
                                             : Render(*repeated, cell.series));
  return TellDifferences(*repeated);
}

}  // namespace schedlab::client
