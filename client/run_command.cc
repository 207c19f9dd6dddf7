#include "client/run_command.h"

#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "core/catalog.h"
#include "core/expansion.h"

namespace schedlab::client {
namespace {

// A duration as --duration reads it.
std::string DurationText(std::int64_t duration_ns) {
  constexpr std::int64_t kNsPerMs = 1'000'000;
  if (duration_ns % kNsPerMs == 0) return fmt::format("{}ms", duration_ns / kNsPerMs);
  return fmt::format("{}ns", duration_ns);
}

// As --hotplug and --irq read them.
std::string DisturbanceText(const WorkloadSelection& selection) {
  std::string hotplug;
  for (const HotplugEvent& event : selection.hotplug) {
    hotplug += fmt::format("{}{}:{}:{}", hotplug.empty() ? " --hotplug " : ",",
                           DurationText(event.at_ns), event.cpu, event.is_online ? "on" : "off");
  }
  std::string irq;
  for (const IrqSource& source : selection.irq_sources) {
    irq += fmt::format("{}{}:{}:{}", irq.empty() ? " --irq " : ",", source.cpu,
                       DurationText(source.period_ns), DurationText(source.duration_ns));
  }
  return hotplug + irq;
}

// Of a workload on a topology; empty where this program's catalog lacks a name.
std::string DigestOf(const Catalog& catalog, const JobSpec& spec, const std::string& topology,
                     const WorkloadSelection& workload) {
  JobSpec one = spec;
  one.topologies = {topology};
  one.workloads = {workload};
  one.metrics.clear();
  const Result<ExpandedJob> expanded = Expand(catalog, one);
  return expanded ? expanded->scenario_digests.front() : "";
}

}  // namespace

const WorkloadSelection* SelectionOf(const Run& run, const JobSpec& spec,
                                     std::string_view scenario_digest) {
  std::vector<const WorkloadSelection*> namesakes;
  for (const WorkloadSelection& one : spec.workloads) {
    if (one.workload == run.workload) namesakes.push_back(&one);
  }
  if (namesakes.size() == 1) return namesakes.front();
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return nullptr;
  for (const WorkloadSelection* one : namesakes) {
    if (DigestOf(*catalog, spec, run.topology, *one) == scenario_digest) return one;
  }
  return nullptr;
}

std::string ReproduceCommand(const Run& run, const JobSpec& spec,
                             std::string_view scenario_digest) {
  const WorkloadSelection* selection = SelectionOf(run, spec, scenario_digest);
  if (selection == nullptr) return "";
  std::string command = fmt::format("schedlab sim run --topology {} --workload {} --policy {}",
                                    run.topology, run.workload, run.policy);
  if (!run.revision.empty()) command += "@" + run.revision;
  std::istringstream switches(run.variant);
  for (std::string one; std::getline(switches, one, ',');) command += " --set " + one;
  if (!selection->document.empty()) command += " --workload-file FILE";
  for (const auto& [name, value] : selection->parameters) {
    command += fmt::format(" --param {}={}", name, value);
  }
  if (selection->duration_ns > 0) command += " --duration " + DurationText(selection->duration_ns);
  command += DisturbanceText(*selection);
  return command + fmt::format(" --seed {}", run.seed);
}

}  // namespace schedlab::client
