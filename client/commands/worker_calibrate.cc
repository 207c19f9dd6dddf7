#include <fmt/format.h>
#include <sys/utsname.h>

#include <nlohmann/json.hpp>
#include <string>

#include "client/commands/commands.h"
#include "core/catalog.h"
#include "core/topology_toml.h"
#include "measure/calibration.h"
#include "measure/cost_derivation.h"
#include "measure/tick.h"
#include "measure/timer.h"

namespace schedlab::client {
namespace {

constexpr std::int64_t kQuickRounds = 3;
constexpr std::int64_t kQuickPermille = 20;

struct Calibration {
  measure::SysTopology machine;
  measure::Measurements measured;
  measure::DerivedCosts derived;
  Topology topology;
  std::string kernel;
};

std::string KernelRelease() {
  utsname names{};
  return uname(&names) == 0 ? names.release : "unknown";
}

Result<Calibration> Measure(const GlobalOptions& global, const WorkerCalibrateOptions& options) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return Fail(catalog.error());
  const Result<const Topology*> base = catalog->FindTopology(options.costs_of);
  if (!base) return Fail(base.error());
  Result<measure::SysTopology> machine = measure::ReadSysTopology("/sys");
  if (!machine) return Fail(machine.error());
  measure::Effort effort{.round_count = options.round_count};
  if (options.is_quick) effort = {.round_count = kQuickRounds, .size_permille = kQuickPermille};
  const Result<measure::Measurements> measured =
      measure::Calibrate(*machine, effort, [&](std::string_view what) {
        if (global.terminal.is_stderr_terminal) PrintDiagnostic(fmt::format("{}\n", what));
      });
  if (!measured) return Fail(measured.error());
  Calibration calibration{.machine = std::move(*machine),
                          .measured = *measured,
                          .derived = measure::DeriveCosts(*measured, (*base)->costs),
                          .topology = {},
                          .kernel = KernelRelease()};
  calibration.topology = {.name = options.name,
                          .description = fmt::format("Measured under Linux {}", calibration.kernel),
                          .cpus = calibration.machine.cpus,
                          .node_distances = calibration.machine.node_distances,
                          .tick_hz = static_cast<std::int32_t>(measure::TickHz()),
                          .costs = calibration.derived.costs};
  if (const Status valid = Validate(calibration.topology); !valid) return Fail(valid.error());
  return calibration;
}

nlohmann::ordered_json SpreadJson(const measure::Spread& spread) {
  return {{"median", spread.median},
          {"minimum", spread.minimum},
          {"lower_quartile", spread.lower_quartile},
          {"upper_quartile", spread.upper_quartile},
          {"rounds", spread.round_count}};
}

nlohmann::ordered_json MeasurementsJson(const measure::Measurements& measured) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::object();
  for (const measure::MeasurementField& field : measure::MeasurementFields()) {
    const measure::Spread& spread = measured.*field.member;
    nlohmann::ordered_json row;
    if (spread.is_measured()) {
      row = SpreadJson(spread);
      row["unit"] = field.unit;
      row["meaning"] = field.meaning;
    }
    rows[std::string(field.name)] = row;
  }
  return rows;
}

nlohmann::ordered_json CostsJson(const Calibration& calibration, const std::string& costs_of) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < kCostFields.size(); ++i) {
    const measure::CostSource& source = calibration.derived.sources[i];
    rows[std::string(source.name)] = {
        {"value", calibration.derived.costs.*kCostFields[i].member},
        {"source", source.is_measured ? source.formula : "as in " + costs_of},
        {"is_measured", source.is_measured}};
  }
  return rows;
}

std::string RenderJson(const Calibration& calibration, const WorkerCalibrateOptions& options) {
  const nlohmann::ordered_json document = {{"format_version", 1},
                                           {"kernel", calibration.kernel},
                                           {"cpus", calibration.machine.os_indexes},
                                           {"tick_hz", calibration.topology.tick_hz},
                                           {"timer_slack_ns", measure::TimerSlackNs()},
                                           {"measurements", MeasurementsJson(calibration.measured)},
                                           {"costs", CostsJson(calibration, options.costs_of)},
                                           {"topology_toml", ToToml(calibration.topology)}};
  return document.dump(2) + "\n";
}

std::string RenderToml(const Calibration& calibration, const WorkerCalibrateOptions& options) {
  std::string text = fmt::format(
      "# Medians, with minimum and quartiles, of so many rounds. Numbers of a machine that had "
      "other work are of no use.\n");
  for (const measure::MeasurementField& field : measure::MeasurementFields()) {
    const measure::Spread& spread = calibration.measured.*field.member;
    if (!spread.is_measured()) continue;
    text += fmt::format("#   {:<26} {:>10.1f} {} ({:.1f}; {:.1f} to {:.1f}; {}): {}\n", field.name,
                        spread.median, field.unit, spread.minimum, spread.lower_quartile,
                        spread.upper_quartile, spread.round_count, field.meaning);
  }
  for (const measure::CostSource& source : calibration.derived.sources) {
    text +=
        fmt::format("# {} = {}\n", source.name,
                    source.is_measured ? source.formula
                                       : fmt::format("not measured, as in {}", options.costs_of));
  }
  return text + ToToml(calibration.topology);
}

}  // namespace

ExitCode RunWorkerCalibrate(const GlobalOptions& global, const WorkerCalibrateOptions& options) {
  const Result<Calibration> calibration = Measure(global, options);
  if (!calibration) return ReportError("cannot calibrate", calibration.error());
  Print(global.output == OutputFormat::kJson || options.is_json
            ? RenderJson(*calibration, options)
            : RenderToml(*calibration, options));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
