#include "client/sim_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "client/disturbance_options.h"
#include "client/number_format.h"
#include "client/settings_input.h"
#include "client/topology_input.h"
#include "client/trace_input.h"
#include "client/workload_file.h"
#include "core/workload_trace.h"

namespace schedlab::client {
namespace {

Result<std::int64_t> ResolveDuration(const Catalog& catalog, const SimRunOptions& options) {
  const Result<const WorkloadDefinition*> workload = catalog.FindWorkload(options.workload);
  if (!workload) return Fail(workload.error());
  if (options.duration.empty()) return (*workload)->duration_ns;
  const Result<std::chrono::nanoseconds> duration = ParseDuration(options.duration);
  if (!duration) return Fail(duration.error());
  return duration->count();
}

// A recording is imported here, where what is doubtful about it can be told.
Result<std::string> ReadFile(const Catalog& catalog, const SimRunOptions& options) {
  const Result<const WorkloadDefinition*> workload = catalog.FindWorkload(options.workload);
  if (!workload) return Fail(workload.error());
  const bool is_trace = (*workload)->document_format == kTraceDocumentFormat;
  if (!is_trace || options.workload_file.empty()) return ReadWorkloadFile(options.workload_file);
  const Result<TraceInput> input = ReadTraceInput(options.workload_file);
  if (!input) return Fail(input.error());
  WarnOfDoubts(*input);
  return EncodeWorkloadTrace(input->trace);
}

// A release's name says more than an id.
std::string NameOf(const Revision& revision) {
  return revision.aliases.empty() ? ShortId(revision.id) : revision.aliases.front();
}

// The newest release, or first revision, up to which no commit has set a switch to anything but its
// default.
std::string SourceOfDefaults(const PolicyDefinition& history) {
  const Revision* newest = nullptr;
  std::map<std::string, std::string> defaults;
  for (const SwitchDefinition& one : history.switches) defaults[one.name] = one.default_value;
  for (const Revision& revision : history.revisions) {
    const bool is_default =
        std::all_of(revision.changes.begin(), revision.changes.end(),
                    [&](const auto& change) { return defaults[change.first] == change.second; });
    if (!is_default) break;
    if (newest == nullptr || !revision.aliases.empty()) newest = &revision;
  }
  return newest == nullptr ? "the defaults" : "those of " + NameOf(*newest);
}

}  // namespace

Result<SimInput> ResolveSimInput(const Catalog& catalog, const SimRunOptions& options) {
  const Result<Topology> topology = ResolveTopology(catalog, options.topology);
  if (!topology) return Fail(topology.error());
  const auto parameters = ParseParameters(options.parameters);
  if (!parameters) return Fail(parameters.error());
  const auto switches = ParseSwitches(options.switches);
  if (!switches) return Fail(switches.error());
  const Result<std::string> text = ReadFile(catalog, options);
  if (!text) return Fail(text.error());
  const Result<WorkloadSpec> workload =
      ResolveWorkload(catalog, options.workload, *parameters, *text);
  if (!workload) return Fail(workload.error());
  Result<WorkloadDocument> document = ReadDocument(*workload, options.workload_file);
  if (!document) return Fail(document.error());
  const Result<PolicySpec> policy = ResolvePolicy(catalog, options.policy, *switches);
  if (!policy) return Fail(policy.error());
  const Result<std::int64_t> duration = ResolveDuration(catalog, options);
  if (!duration) return Fail(duration.error());
  const Result<std::vector<HotplugEvent>> hotplug = ParseHotplug(options.hotplug);
  if (!hotplug) return Fail(hotplug.error());
  if (const Status valid = Validate(*hotplug, *topology, *duration); !valid) {
    return Fail(valid.error());
  }
  const Result<std::vector<IrqSource>> irq_sources = ParseIrqSources(options.irq_sources);
  if (!irq_sources) return Fail(irq_sources.error());
  return SimInput{{.topology = *topology,
                   .workload = *workload,
                   .duration_ns = *duration,
                   .hotplug = *hotplug,
                   .irq_sources = *irq_sources},
                  *policy,
                  static_cast<std::uint64_t>(options.seed),
                  *std::move(document),
                  options.event_limit};
}

std::string DescribePolicy(const Catalog& catalog, const PolicySpec& policy) {
  const std::string variant = policy.variant.empty() ? "" : " with " + policy.variant;
  const Result<const PolicyDefinition*> history = catalog.FindPolicy(policy.name);
  if (!history || (*history)->revisions.empty()) return policy.name + variant;
  if (!policy.revision.empty()) {
    const Result<const Revision*> revision = FindRevision(**history, policy.revision);
    return fmt::format("{}@{}{}", policy.name, revision ? NameOf(**revision) : policy.revision,
                       variant);
  }
  return fmt::format("{}, no revision named: its switches are {}{}", policy.name,
                     SourceOfDefaults(**history), variant);
}

std::string DescribeSimInput(const SimRunOptions& options) {
  return fmt::format("{} {} {} seed {}", options.topology, options.workload, options.policy,
                     options.seed);
}

}  // namespace schedlab::client
