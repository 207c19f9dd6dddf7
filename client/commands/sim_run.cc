#include <fmt/format.h>

#include <nlohmann/json.hpp>
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

Status CheckMetrics(const Catalog& catalog, const RunResult& result) {
  for (const auto& entry : result.metrics) {
    const Result<const MetricSpec*> metric = catalog.FindMetric(entry.first);
    if (!metric) return Fail(ErrorCode::kInternal, metric.error().message);
  }
  return {};
}

std::string RenderJson(const Catalog& catalog, const RunResult& result,
                       const std::vector<sim::ScriptThreadReport>& threads) {
  nlohmann::ordered_json metrics = nlohmann::ordered_json::object();
  for (const auto& [name, value] : result.metrics) {
    metrics[name] = {{"value", value}, {"unit", (*catalog.FindMetric(name))->unit}};
  }
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  document["digest"] = fmt::format("{:016x}", result.digest);
  document["events"] = result.event_count;
  document["simulated_ns"] = result.simulated_ns;
  document["metrics"] = metrics;
  if (!threads.empty()) document["threads"] = ScriptJson(threads);
  return document.dump(2) + "\n";
}

std::string RenderTable(const Catalog& catalog, const RunResult& result,
                        const std::vector<sim::ScriptThreadReport>& threads) {
  TextTable table({{"metric"}, {"value", Alignment::kRight}, {"unit"}, {"meaning"}});
  for (const auto& [name, value] : result.metrics) {
    const MetricSpec& metric = **catalog.FindMetric(name);
    table.AddRow({name, FormatNumber(value), metric.unit, metric.meaning});
  }
  const std::string head =
      fmt::format("digest {:016x}, {} events in {} s of simulated time (one run)\n\n{}",
                  result.digest, result.event_count,
                  FormatNumber(static_cast<double>(result.simulated_ns) / 1e9), table.Render());
  return threads.empty() ? head : head + "\n" + ScriptTable(threads);
}

}  // namespace

ExitCode RunSimRun(const GlobalOptions& global, const SimRunOptions& options) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return ReportError("cannot read the catalog", catalog.error());
  const Result<SimInput> input = ResolveSimInput(*catalog, options);
  if (!input) return ReportError("cannot simulate", input.error());
  const Interrupt interrupt;
  std::vector<sim::ScriptThreadReport> threads;
  const Result<RunResult> result =
      sim::Simulate(input->scenario, input->policy, input->seed, interrupt.token(),
                    {.script_threads = &threads}, input->document);
  if (!result) return ReportError("cannot simulate", result.error());
  const Status known = CheckMetrics(*catalog, *result);
  if (!known) return ReportError("the simulator's result", known.error());
  Print(global.output == OutputFormat::kJson ? RenderJson(*catalog, *result, threads)
                                             : RenderTable(*catalog, *result, threads));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
