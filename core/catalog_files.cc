// Reads the files of catalog/ into a Catalog: what each key means, and what is refused.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/catalog.h"
#include "core/limits.h"
#include "core/toml.h"
#include "core/topology_toml.h"

namespace schedlab {
namespace {

constexpr std::string_view kSuffix = ".toml";

WorkloadParameter ReadParameter(TomlReader& reader) {
  WorkloadParameter parameter;
  parameter.name = reader.String("name");
  parameter.default_value = reader.Integer("default");
  parameter.minimum = reader.Integer("minimum");
  parameter.maximum = reader.Integer("maximum");
  parameter.meaning = reader.String("meaning");
  reader.RefuseUnknownKeys();
  if (parameter.default_value < parameter.minimum || parameter.default_value > parameter.maximum) {
    reader.Refuse("default", "lies outside of minimum and maximum");
  }
  return parameter;
}

void ReadWorkload(TomlReader& reader, Catalog& catalog) {
  WorkloadDefinition workload;
  workload.name = reader.String("name");
  workload.description = reader.String("description");
  workload.duration_ns = reader.Integer("duration_ns");
  if (workload.duration_ns < 1 || workload.duration_ns > kMaxSimulatedNs) {
    reader.Refuse("duration_ns", fmt::format("must be from 1 to {}", kMaxSimulatedNs));
  }
  workload.document_format = reader.String("document_format", "");
  workload.headline = reader.Strings("headline");
  for (TomlReader& parameter : reader.Tables("parameter")) {
    workload.parameters.push_back(ReadParameter(parameter));
  }
  reader.RefuseUnknownKeys();
  catalog.workloads.push_back(std::move(workload));
}

SwitchDefinition ReadSwitch(TomlReader& reader) {
  SwitchDefinition definition;
  definition.name = reader.String("name");
  definition.values = reader.Strings("values");
  definition.default_value = reader.String("default");
  definition.meaning = reader.String("meaning");
  reader.RefuseUnknownKeys();
  if (std::count(definition.values.begin(), definition.values.end(), definition.default_value) !=
      1) {
    reader.Refuse("default", "must be one of values");
  }
  return definition;
}

Revision ReadRevision(TomlReader& reader, std::int64_t ordinal) {
  Revision revision;
  revision.id = reader.String("id");
  revision.aliases = reader.Strings("aliases");
  revision.ordinal = reader.Integer("ordinal");
  revision.date = reader.String("date");
  revision.subject = reader.String("subject");
  revision.author = reader.String("author", "");
  revision.evidence = reader.String("evidence", "");
  revision.note = reader.String("note", "");
  revision.changes = reader.StringMap("changes");
  reader.RefuseUnknownKeys();
  if (revision.ordinal != ordinal) {
    reader.Refuse("ordinal", fmt::format("must be {}: revisions stand in order", ordinal));
  }
  return revision;
}

bool IsSwitchValue(const PolicyDefinition& policy, const std::string& name,
                   const std::string& value) {
  for (const SwitchDefinition& known : policy.switches) {
    if (known.name == name) {
      return std::count(known.values.begin(), known.values.end(), value) > 0;
    }
  }
  return false;
}

void CheckChanges(TomlReader& reader, const PolicyDefinition& policy, const Revision& revision) {
  for (const auto& [name, value] : revision.changes) {
    if (!IsSwitchValue(policy, name, value)) {
      reader.Refuse("changes",
                    fmt::format("'{} = {}' is not a switch and a value of it above", name, value));
    }
  }
}

// The switches are those of this file, or of the implementation that it names.
void ReadSwitches(TomlReader& reader, const Catalog& catalog, PolicyDefinition& policy) {
  for (TomlReader& item : reader.Tables("switch")) policy.switches.push_back(ReadSwitch(item));
  if (policy.implementation == policy.name) return;
  if (!policy.switches.empty()) {
    reader.Refuse("switch", "belongs in the file of the implementation");
    return;
  }
  const Result<const PolicyDefinition*> shared = catalog.FindPolicy(policy.implementation);
  if (!shared || (*shared)->implementation != (*shared)->name) {
    reader.Refuse("implementation", fmt::format("'{}' is not a policy with switches of its own",
                                                policy.implementation));
    return;
  }
  policy.switches = (*shared)->switches;
}

void ReadPolicy(TomlReader& reader, Catalog& catalog) {
  PolicyDefinition policy;
  policy.name = reader.String("name");
  policy.implementation = reader.String("implementation", policy.name);
  policy.project = reader.String("project");
  policy.description = reader.String("description");
  ReadSwitches(reader, catalog, policy);
  for (TomlReader& item : reader.Tables("revision")) {
    policy.revisions.push_back(
        ReadRevision(item, static_cast<std::int64_t>(policy.revisions.size())));
    CheckChanges(item, policy, policy.revisions.back());
  }
  reader.RefuseUnknownKeys();
  catalog.policies.push_back(std::move(policy));
}

MetricSpec ReadMetric(TomlReader& reader) {
  MetricSpec metric;
  metric.name = reader.String("name");
  metric.unit = reader.String("unit");
  const std::string direction = reader.String("direction");
  if (direction == ToString(Direction::kLowerIsBetter)) {
    metric.direction = Direction::kLowerIsBetter;
  } else if (direction != ToString(Direction::kHigherIsBetter)) {
    reader.Refuse("direction", "must be higher_is_better or lower_is_better");
  }
  const std::string role = reader.String("role");
  if (role == ToString(MetricRole::kHeadline)) {
    metric.role = MetricRole::kHeadline;
    metric.minimum_effect = reader.Number("minimum_effect");
    if (!(metric.minimum_effect > 0 && metric.minimum_effect < 1)) {
      reader.Refuse("minimum_effect", "must lie between 0 and 1");
    }
  } else if (role != ToString(MetricRole::kCounter)) {
    reader.Refuse("role", "must be headline or counter");
  }
  metric.meaning = reader.String("meaning");
  reader.RefuseUnknownKeys();
  return metric;
}

void ReadMetrics(TomlReader& reader, Catalog& catalog) {
  for (TomlReader& item : reader.Tables("metric")) catalog.metrics.push_back(ReadMetric(item));
  reader.RefuseUnknownKeys();
}

Status ReadFile(const CatalogFile& file, Catalog& catalog) {
  const std::string_view path = file.path;
  if (path.substr(0, 7) == "suites/") {
    catalog.suites[std::string(path.substr(7, path.size() - 7 - kSuffix.size()))] = file.text;
    return {};
  }
  Result<TomlValue> document = ParseToml(file.text, "catalog/" + file.path);
  if (!document) return Fail(document.error());
  TomlReader reader(*document, "catalog/" + file.path);
  if (path == "metrics.toml") {
    ReadMetrics(reader, catalog);
  } else if (path.substr(0, 11) == "topologies/") {
    catalog.topologies.push_back(ReadTopology(reader));
  } else if (path.substr(0, 10) == "workloads/") {
    ReadWorkload(reader, catalog);
  } else if (path.substr(0, 9) == "policies/") {
    ReadPolicy(reader, catalog);
  } else {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("catalog/{}: lies in no folder that the catalog has", file.path));
  }
  return reader.status();
}

bool SharesSwitches(const CatalogFile* file) {
  if (!file->path.starts_with("policies/")) return false;
  const Result<TomlValue> document = ParseToml(file->text, file->path);
  return document && TomlReader(*document, file->path).Has("implementation");
}

// A policy that has the switches of another one comes after it.
std::vector<const CatalogFile*> InReadingOrder(std::span<const CatalogFile> files) {
  std::vector<const CatalogFile*> order;
  for (const CatalogFile& file : files) {
    if (file.path.size() > kSuffix.size() && file.path.ends_with(kSuffix)) order.push_back(&file);
  }
  std::stable_partition(order.begin(), order.end(),
                        [](const CatalogFile* file) { return !SharesSwitches(file); });
  return order;
}

template <class T>
Status SortUnique(std::vector<T>& items, std::string_view kind) {
  std::sort(items.begin(), items.end(), [](const T& a, const T& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (items[i].name == items[i - 1].name) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("catalog: two {} are named '{}'", kind, items[i].name));
    }
  }
  return {};
}

Status CheckReferences(const Catalog& catalog) {
  for (const WorkloadDefinition& workload : catalog.workloads) {
    for (const std::string& name : workload.headline) {
      const Result<const MetricSpec*> metric = catalog.FindMetric(name);
      if (!metric) return Fail(metric.error());
      if ((*metric)->role != MetricRole::kHeadline) {
        return Fail(ErrorCode::kInvalidArgument,
                    fmt::format("catalog/workloads/{}.toml: headline metric '{}' is a counter",
                                workload.name, name));
      }
    }
  }
  return {};
}

}  // namespace

Result<Catalog> ParseCatalog(std::span<const CatalogFile> files) {
  Catalog catalog;
  for (const CatalogFile* file : InReadingOrder(files)) {
    if (const Status read = ReadFile(*file, catalog); !read) return Fail(read.error());
  }
  if (Status s = SortUnique(catalog.topologies, "topologies"); !s) return Fail(s.error());
  if (Status s = SortUnique(catalog.workloads, "workloads"); !s) return Fail(s.error());
  if (Status s = SortUnique(catalog.policies, "policies"); !s) return Fail(s.error());
  if (Status s = SortUnique(catalog.metrics, "metrics"); !s) return Fail(s.error());
  if (Status s = CheckReferences(catalog); !s) return Fail(s.error());
  return catalog;
}

}  // namespace schedlab
