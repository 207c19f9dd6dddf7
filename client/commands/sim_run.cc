#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stop_token>
#include <vector>

#include "client/commands/commands.h"
#include "client/interrupt.h"
#include "client/number_format.h"
#include "client/script_table.h"
#include "client/sim_input.h"
#include "client/text_table.h"
#include "core/catalog.h"
#include "sim/simulate.h"

namespace schedlab::client {
namespace {

// A policy that ran the same scenario with the same seed.
struct YardstickRun {
  std::string policy;
  RunResult result;
};

Status CheckMetrics(const Catalog& catalog, const RunResult& result) {
  for (const auto& entry : result.metrics) {
    const Result<const MetricSpec*> metric = catalog.FindMetric(entry.first);
    if (!metric) return Fail(ErrorCode::kInternal, metric.error().message);
  }
  return {};
}

Result<std::vector<YardstickRun>> RunYardsticks(const Catalog& catalog, const SimInput& input,
                                                const std::vector<std::string>& names,
                                                const std::stop_token& cancel) {
  std::vector<YardstickRun> runs;
  for (const std::string& name : names) {
    const Result<PolicySpec> policy = ResolvePolicy(catalog, name, {});
    if (!policy) return Fail(policy.error());
    Result<RunResult> result = sim::Simulate(input.scenario, *policy, input.seed, cancel,
                                             {.event_limit = input.event_limit}, input.document);
    if (!result) return Fail(result.error().code, name + ": " + result.error().message);
    runs.push_back({name, *std::move(result)});
  }
  return runs;
}

nlohmann::ordered_json JsonOf(const Catalog& catalog, const RunResult& result) {
  nlohmann::ordered_json metrics = nlohmann::ordered_json::object();
  for (const auto& [name, value] : result.metrics) {
    metrics[name] = {{"value", value}, {"unit", (*catalog.FindMetric(name))->unit}};
  }
  return {{"digest", fmt::format("{:016x}", result.digest)},
          {"events", result.event_count},
          {"simulated_ns", result.simulated_ns},
          {"metrics", metrics}};
}

std::string RenderJson(const Catalog& catalog, const RunResult& result,
                       const std::vector<YardstickRun>& yardsticks,
                       const std::vector<sim::ScriptThreadReport>& threads) {
  nlohmann::ordered_json document = JsonOf(catalog, result);
  for (const YardstickRun& yardstick : yardsticks) {
    document["yardsticks"][yardstick.policy] = JsonOf(catalog, yardstick.result);
  }
  if (!threads.empty()) document["threads"] = ScriptJson(threads);
  return document.dump(2) + "\n";
}

std::string RenderTable(const Catalog& catalog, const RunResult& result,
                        const std::vector<YardstickRun>& yardsticks,
                        const std::vector<sim::ScriptThreadReport>& threads,
                        const PolicySpec& policy) {
  std::vector<Column> columns = {{"metric"}, {"value", Alignment::kRight}};
  for (const YardstickRun& yardstick : yardsticks) {
    columns.push_back({yardstick.policy, Alignment::kRight});
  }
  columns.insert(columns.end(), {{"unit"}, {"meaning"}});
  TextTable table(std::move(columns));
  for (const auto& [name, value] : result.metrics) {
    const MetricSpec& metric = **catalog.FindMetric(name);
    std::vector<std::string> cells = {name, FormatNumber(value)};
    for (const YardstickRun& yardstick : yardsticks) {
      const auto found = yardstick.result.metrics.find(name);
      cells.push_back(found == yardstick.result.metrics.end() ? "n/a"
                                                              : FormatNumber(found->second));
    }
    cells.insert(cells.end(), {metric.unit, metric.meaning});
    table.AddRow(std::move(cells));
  }
  const std::string head =
      fmt::format("digest {:016x}, {} events in {} s of simulated time (one run)\npolicy {}\n\n{}",
                  result.digest, result.event_count,
                  FormatNumber(static_cast<double>(result.simulated_ns) / 1e9),
                  DescribePolicy(catalog, policy), table.Render());
  return threads.empty() ? head : head + "\n" + ScriptTable(threads);
}

}  // namespace

ExitCode RunSimRun(const GlobalOptions& global, const SimReportOptions& options) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return ReportError("cannot read the catalog", catalog.error());
  const Result<SimInput> input = ResolveSimInput(*catalog, options.run);
  if (!input) return ReportError("cannot simulate", input.error());
  const Interrupt interrupt;
  std::vector<sim::ScriptThreadReport> threads;
  const Result<RunResult> result = sim::Simulate(
      input->scenario, input->policy, input->seed, interrupt.token(),
      {.script_threads = &threads, .event_limit = input->event_limit}, input->document);
  if (!result) return ReportError("cannot simulate", result.error());
  const Result<std::vector<YardstickRun>> yardsticks =
      RunYardsticks(*catalog, *input, options.yardsticks, interrupt.token());
  if (!yardsticks) return ReportError("cannot simulate the yardstick", yardsticks.error());
  const Status known = CheckMetrics(*catalog, *result);
  if (!known) return ReportError("the simulator's result", known.error());
  Print(global.output == OutputFormat::kJson
            ? RenderJson(*catalog, *result, *yardsticks, threads)
            : RenderTable(*catalog, *result, *yardsticks, threads, input->policy));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
