#include "core/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "client/commands/commands.h"
#include "client/json_output.h"
#include "client/number_format.h"
#include "client/text_table.h"
#include "client/topology_view.h"

namespace schedlab::client {
namespace {

std::string DurationText(std::int64_t duration_ns) {
  return FormatNumber(static_cast<double>(duration_ns) / 1e9);
}

std::string Joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// The catalog's file of a topology bears its name.
std::string_view FileOf(const Topology& topology) {
  const std::string path = "topologies/" + topology.name + ".toml";
  for (const CatalogFile& file : EmbeddedCatalogFiles()) {
    if (file.path.ends_with(path)) return file.text;
  }
  return {};
}

std::string Render(const std::vector<Topology>& topologies) {
  // The list of one machine has room for all of it.
  if (topologies.size() == 1) {
    return RenderTopology(topologies.front(), FileOf(topologies.front()));
  }
  TextTable table({{"topology"},
                   {"CPUs", Alignment::kRight},
                   {"packages", Alignment::kRight},
                   {"nodes", Alignment::kRight},
                   {"tick / Hz", Alignment::kRight},
                   {"description"}});
  for (const Topology& topology : topologies) {
    std::int32_t packages = 0;
    for (const Cpu& cpu : topology.cpus) packages = std::max(packages, cpu.package + 1);
    table.AddRow({topology.name, fmt::format("{}", topology.cpus.size()),
                  fmt::format("{}", packages), fmt::format("{}", topology.node_distances.size()),
                  fmt::format("{}", topology.tick_hz), topology.description});
  }
  return table.Render();
}

std::string Render(const std::vector<WorkloadDefinition>& workloads) {
  TextTable table(
      {{"workload"}, {"duration / s", Alignment::kRight}, {"judged by"}, {"description"}});
  std::string parameters;
  for (const WorkloadDefinition& workload : workloads) {
    table.AddRow({workload.name, DurationText(workload.duration_ns), Joined(workload.headline),
                  workload.description});
    if (!workload.document_format.empty()) {
      parameters +=
          fmt::format("  --workload-file FILE  (of the format {})\n", workload.document_format);
    }
    for (const WorkloadParameter& parameter : workload.parameters) {
      parameters +=
          fmt::format("  --param {}={}  ({} to {})  {}\n", parameter.name, parameter.default_value,
                      parameter.minimum, parameter.maximum, parameter.meaning);
    }
  }
  // The list of one workload has room for what can be set.
  return table.Render() + (workloads.size() == 1 ? "\n" + parameters : "");
}

std::string RenderHistory(const PolicyDefinition& policy) {
  std::string text = "\nswitches\n";
  for (const SwitchDefinition& one : policy.switches) {
    text += fmt::format("  --set {}={}  (of {})  {}\n", one.name, one.default_value,
                        Joined(one.values), one.meaning);
  }
  TextTable table({{"revision"}, {"release"}, {"date"}, {"sets"}, {"subject"}});
  for (const Revision& revision : policy.revisions) {
    std::vector<std::string> changes;
    for (const auto& [name, value] : revision.changes) changes.push_back(name + "=" + value);
    table.AddRow({ShortId(revision.id), Joined(revision.aliases), revision.date, Joined(changes),
                  revision.subject});
  }
  return text + "\n" + table.Render();
}

std::string Render(const std::vector<PolicyDefinition>& policies) {
  TextTable table({{"policy"},
                   {"implementation"},
                   {"project"},
                   {"switches", Alignment::kRight},
                   {"revisions", Alignment::kRight},
                   {"description"}});
  for (const PolicyDefinition& policy : policies) {
    table.AddRow({policy.name, policy.implementation, policy.project,
                  fmt::format("{}", policy.switches.size()),
                  fmt::format("{}", policy.revisions.size()), policy.description});
  }
  return table.Render() + (policies.size() == 1 ? RenderHistory(policies.front()) : "");
}

std::string Render(const std::vector<MetricSpec>& metrics) {
  TextTable table({{"metric"},
                   {"unit"},
                   {"direction"},
                   {"role"},
                   {"minimum effect", Alignment::kRight},
                   {"meaning"}});
  for (const MetricSpec& metric : metrics) {
    table.AddRow({metric.name, metric.unit, std::string(ToString(metric.direction)),
                  std::string(ToString(metric.role)),
                  metric.role == MetricRole::kHeadline
                      ? fmt::format("{} %", FormatNumber(metric.minimum_effect * 100))
                      : "",
                  metric.meaning});
  }
  return table.Render();
}

// `all`, or the one that `found` is.
template <class T>
Result<std::vector<T>> Choose(const std::vector<T>& all, const std::string& name,
                              Result<const T*> found) {
  if (name.empty()) return all;
  if (!found) return Fail(found.error());
  return std::vector<T>{**found};
}

template <class T, class Document>
ExitCode Show(const GlobalOptions& global, const Result<std::vector<T>>& chosen,
              Document document) {
  if (!chosen) return ReportError("cannot show the catalog", chosen.error());
  Print(global.output == OutputFormat::kJson ? document(*chosen) : Render(*chosen));
  return ExitCode::kOk;
}

ExitCode ShowSuites(const GlobalOptions& global, const Catalog& catalog, const std::string& name) {
  std::map<std::string, std::string> suites = catalog.suites;
  if (!name.empty()) {
    std::vector<std::string> known;
    for (const auto& entry : suites) known.push_back(entry.first);
    std::erase_if(suites, [&](const auto& entry) { return entry.first != name; });
    if (suites.empty()) {
      return ReportError(
          "cannot show the catalog",
          {ErrorCode::kNotFound, fmt::format("no suite '{}'{}", name, DidYouMean(name, known))});
    }
  }
  if (global.output == OutputFormat::kJson) {
    Print(SuitesDocument(suites));
    return ExitCode::kOk;
  }
  for (const auto& [suite, text] : suites) Print(name.empty() ? suite + "\n" : text);
  return ExitCode::kOk;
}

}  // namespace

ExitCode RunCatalog(const GlobalOptions& global, const CatalogOptions& options) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return ReportError("cannot read the catalog", catalog.error());
  const std::string& name = options.name;
  switch (options.part) {
    case CatalogPart::kTopologies:
      return Show(global, Choose(catalog->topologies, name, catalog->FindTopology(name)),
                  TopologiesDocument);
    case CatalogPart::kWorkloads:
      return Show(global, Choose(catalog->workloads, name, catalog->FindWorkload(name)),
                  WorkloadsDocument);
    case CatalogPart::kPolicies:
      return Show(global, Choose(catalog->policies, name, catalog->FindPolicy(name)),
                  PoliciesDocument);
    case CatalogPart::kMetrics:
      return Show(global, Choose(catalog->metrics, name, catalog->FindMetric(name)),
                  MetricsDocument);
    case CatalogPart::kSuites:
      return ShowSuites(global, *catalog, name);
  }
  return ExitCode::kInternal;
}

}  // namespace schedlab::client
