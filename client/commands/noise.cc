#include <fmt/format.h>

#include <utility>

#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/grid.h"
#include "client/history_view.h"
#include "client/json_output.h"
#include "client/noise_report.h"

namespace schedlab::client {
namespace {

std::string Optional(const std::optional<double>& value) {
  return value ? ExactNumber(*value) : "";
}

// A record for each series; what runs a side a change wants is in columns.
std::string Records(const std::vector<NoiseReport>& reports) {
  Grid grid{.columns = {{"project"},
                        {"policy"},
                        {"variant"},
                        {"topology"},
                        {"workload"},
                        {"metric"},
                        {"unit"},
                        {"engine_version"},
                        {"scenario_digest"},
                        {"run_count"},
                        {"revision_count"},
                        {"within_sd"},
                        {"within_robust_sd"},
                        {"between_robust_sd"}},
            .rows = {}};
  for (const NoisePlan& plan : reports.front().plans) {
    grid.columns.push_back({fmt::format("runs_a_side_for_{:g}_percent", plan.effect * 100)});
  }
  for (const NoiseReport& report : reports) {
    const SeriesKey& key = report.series.key;
    std::vector<std::string> cells = {key.project,
                                      key.policy,
                                      key.variant,
                                      key.topology,
                                      key.workload,
                                      key.metric,
                                      report.series.unit,
                                      key.engine_version,
                                      key.scenario_digest,
                                      fmt::format("{}", report.run_count),
                                      fmt::format("{}", report.revision_count),
                                      Optional(report.within_sd),
                                      Optional(report.within_robust_sd),
                                      Optional(report.between_robust_sd)};
    for (const NoisePlan& plan : report.plans) {
      cells.push_back(plan.runs_a_side ? fmt::format("{}", *plan.runs_a_side) : "");
    }
    grid.rows.push_back(std::move(cells));
  }
  return RenderCsv(grid);
}

}  // namespace

ExitCode RunNoise(const GlobalOptions& global, const NoiseOptions& options) {
  const std::string what = "cannot tell the noise of " + options.metric;
  Coordinator coordinator(global.server);
  const Result<std::vector<SeriesHistory>> histories =
      ReadHistories(coordinator, options.filter, options.metric, "");
  if (!histories) return ReportError(what, histories.error());
  std::vector<NoiseReport> reports;
  for (const SeriesHistory& history : *histories) reports.push_back(ReportNoise(history));
  if (global.output == OutputFormat::kJson) {
    Print(NoiseDocument(reports));
  } else if (global.output == OutputFormat::kCsv) {
    Print(Records(reports));
  } else {
    for (std::size_t i = 0; i < reports.size(); ++i) {
      Print((i == 0 ? "" : "\n") + RenderNoise(reports[i]));
    }
  }
  return ExitCode::kOk;
}

}  // namespace schedlab::client
