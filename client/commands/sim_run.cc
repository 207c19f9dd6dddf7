#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "client/commands/commands.h"
#include "client/interrupt.h"
#include "client/number_format.h"
#include "client/text_file.h"
#include "client/text_table.h"
#include "core/catalog.h"
#include "core/limits.h"
#include "sim/simulate.h"

namespace schedlab::client {
namespace {

struct SimInput {
  Scenario scenario;
  PolicySpec policy;
};

tl::unexpected<Error> GivenTwice(std::string_view option, std::string_view name) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{} {} is given twice", option, name));
}

Result<std::map<std::string, std::int64_t>> ParseParameters(const std::vector<std::string>& texts) {
  std::map<std::string, std::int64_t> parameters;
  for (const std::string& text : texts) {
    const Result<NameValue> pair = ParseNameValue("--param", text);
    if (!pair) return Fail(pair.error());
    const Result<std::int64_t> value = ParseInteger(pair->value);
    if (!value) return Fail(value.error().code, "--param " + text + ": " + value.error().message);
    if (!parameters.emplace(pair->name, *value).second) return GivenTwice("--param", pair->name);
  }
  return parameters;
}

Result<std::map<std::string, std::string>> ParseSwitches(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> switches;
  for (const std::string& text : texts) {
    const Result<NameValue> pair = ParseNameValue("--set", text);
    if (!pair) return Fail(pair.error());
    if (!switches.emplace(pair->name, pair->value).second) return GivenTwice("--set", pair->name);
  }
  return switches;
}

Result<std::int64_t> ResolveDuration(const Catalog& catalog, const SimRunOptions& options) {
  const Result<const WorkloadDefinition*> workload = catalog.FindWorkload(options.workload);
  if (!workload) return Fail(workload.error());
  if (options.duration.empty()) return (*workload)->duration_ns;
  const Result<std::chrono::nanoseconds> duration = ParseDuration(options.duration);
  if (!duration) return Fail(duration.error());
  return duration->count();
}

Result<std::string> ReadDocument(const SimRunOptions& options) {
  if (options.workload_file.empty()) return std::string();
  return ReadTextFile(options.workload_file, kMaxDocumentBytes);
}

Result<SimInput> Resolve(const Catalog& catalog, const SimRunOptions& options) {
  const Result<const Topology*> topology = catalog.FindTopology(options.topology);
  if (!topology) return Fail(topology.error());
  const auto parameters = ParseParameters(options.parameters);
  if (!parameters) return Fail(parameters.error());
  const auto switches = ParseSwitches(options.switches);
  if (!switches) return Fail(switches.error());
  const Result<std::string> document = ReadDocument(options);
  if (!document) return Fail(document.error());
  const Result<WorkloadSpec> workload =
      ResolveWorkload(catalog, options.workload, *parameters, *document);
  if (!workload) return Fail(workload.error());
  const Result<PolicySpec> policy = ResolvePolicy(catalog, options.policy, *switches);
  if (!policy) return Fail(policy.error());
  const Result<std::int64_t> duration = ResolveDuration(catalog, options);
  if (!duration) return Fail(duration.error());
  return SimInput{{**topology, *workload, *duration}, *policy};
}

Status CheckMetrics(const Catalog& catalog, const RunResult& result) {
  for (const auto& entry : result.metrics) {
    const Result<const MetricSpec*> metric = catalog.FindMetric(entry.first);
    if (!metric) return Fail(ErrorCode::kInternal, metric.error().message);
  }
  return {};
}

std::string RenderJson(const Catalog& catalog, const RunResult& result) {
  nlohmann::ordered_json metrics = nlohmann::ordered_json::object();
  for (const auto& [name, value] : result.metrics) {
    metrics[name] = {{"value", value}, {"unit", (*catalog.FindMetric(name))->unit}};
  }
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  document["digest"] = fmt::format("{:016x}", result.digest);
  document["events"] = result.event_count;
  document["simulated_ns"] = result.simulated_ns;
  document["metrics"] = metrics;
  return document.dump(2) + "\n";
}

std::string RenderTable(const Catalog& catalog, const RunResult& result) {
  TextTable table({{"metric"}, {"value", Alignment::kRight}, {"unit"}, {"meaning"}});
  for (const auto& [name, value] : result.metrics) {
    const MetricSpec& metric = **catalog.FindMetric(name);
    table.AddRow({name, FormatNumber(value), metric.unit, metric.meaning});
  }
  return fmt::format("digest {:016x}, {} events in {} s of simulated time (one run)\n\n{}",
                     result.digest, result.event_count,
                     FormatNumber(static_cast<double>(result.simulated_ns) / 1e9), table.Render());
}

}  // namespace

ExitCode RunSimRun(const GlobalOptions& global, const SimRunOptions& options) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return ReportError("cannot read the catalog", catalog.error());
  const Result<SimInput> input = Resolve(*catalog, options);
  if (!input) return ReportError("cannot simulate", input.error());
  const Interrupt interrupt;
  const Result<RunResult> result = sim::Simulate(
      input->scenario, input->policy, static_cast<std::uint64_t>(options.seed), interrupt.token());
  if (!result) return ReportError("cannot simulate", result.error());
  const Status known = CheckMetrics(*catalog, *result);
  if (!known) return ReportError("the simulator's result", known.error());
  Print(global.output == OutputFormat::kJson ? RenderJson(*catalog, *result)
                                             : RenderTable(*catalog, *result));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
