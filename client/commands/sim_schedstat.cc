#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "client/commands/commands.h"
#include "client/interrupt.h"
#include "client/sim_input.h"
#include "sim/output/schedstat_text.h"
#include "sim/simulate.h"

namespace schedlab::client {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, sim::kIdleTypeCount> kIdleTypeNames = {"idle", "busy",
                                                                              "newly_idle"};

Json Of(const sim::PassCounters& passes) {
  return {{"count", passes.count},
          {"balanced", passes.balanced},
          {"failed", passes.failed},
          {"imbalance_load", passes.imbalance_load},
          {"imbalance_util", passes.imbalance_util},
          {"imbalance_task", passes.imbalance_task},
          {"imbalance_misfit", passes.imbalance_misfit},
          {"gained", passes.gained},
          {"hot_gained", passes.hot_gained},
          {"no_busy_queue", passes.no_busy_queue},
          {"no_busy_group", passes.no_busy_group}};
}

Json Of(const sim::DomainReport& domain) {
  Json object = {{"name", domain.name}, {"cpus", domain.span}};
  for (std::size_t i = 0; i < kIdleTypeNames.size(); ++i) {
    object[std::string(kIdleTypeNames[i])] = Of(domain.passes[i]);
  }
  object["active_count"] = domain.active_count;
  object["active_failed"] = domain.active_failed;
  object["active_pushed"] = domain.active_pushed;
  object["wakeups_remote"] = domain.wakeups_remote;
  object["wakeups_moved_affine"] = domain.wakeups_moved_affine;
  return object;
}

Json Of(const sim::Schedstat::PerCpu& cpu) {
  Json domains = Json::array();
  for (const sim::DomainReport& domain : cpu.domains) domains.push_back(Of(domain));
  return {{"yields", cpu.counters.yields},
          {"schedules", cpu.counters.schedules},
          {"idle_picks", cpu.counters.idle_picks},
          {"wakeups", cpu.counters.wakeups},
          {"wakeups_local", cpu.counters.wakeups_local},
          {"run_time_ns", sim::Ns(cpu.counters.run_time)},
          {"run_delay_ns", sim::Ns(cpu.counters.run_delay)},
          {"timeslices", cpu.counters.timeslices},
          {"domains", domains}};
}

std::string RenderJson(const sim::Schedstat& schedstat) {
  Json cpus = Json::array();
  for (const sim::Schedstat::PerCpu& cpu : schedstat.cpus) cpus.push_back(Of(cpu));
  Json document = Json::object();
  document["format_version"] = 1;
  document["simulated_ns"] = sim::Ns(schedstat.at);
  document["tick_hz"] = schedstat.tick_hz;
  document["cpus"] = cpus;
  return document.dump(2) + "\n";
}

}  // namespace

ExitCode RunSimSchedstat(const GlobalOptions& global, const SimSchedstatOptions& options) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return ReportError("cannot read the catalog", catalog.error());
  const Result<SimInput> input = ResolveSimInput(*catalog, options.run);
  if (!input) return ReportError("cannot simulate", input.error());
  const Interrupt interrupt;
  sim::Schedstat schedstat;
  const Result<RunResult> result =
      sim::Simulate(input->scenario, input->policy, input->seed, interrupt.token(),
                    {.schedstat = &schedstat, .event_limit = input->event_limit}, input->document);
  if (!result) return ReportError("cannot simulate", result.error());
  Print(global.output == OutputFormat::kJson ? RenderJson(schedstat)
                                             : sim::SchedstatText(schedstat, options.version));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
