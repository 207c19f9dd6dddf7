#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/metric.h"
#include "core/policy_spec.h"
#include "core/result.h"
#include "core/scenario.h"
#include "core/series.h"
#include "core/topology.h"

namespace schedlab {

// One file of catalog/, by its path below that folder: "topologies/kvm-16x1.toml".
struct CatalogFile {
  std::string path;
  std::string text;
};

struct WorkloadParameter {
  std::string name;
  std::int64_t default_value = 0;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::string meaning;

  friend bool operator==(const WorkloadParameter&, const WorkloadParameter&) = default;
};

struct WorkloadDefinition {
  std::string name;
  std::string description;
  std::int64_t duration_ns = 0;       // the default of Scenario::duration_ns
  std::vector<std::string> headline;  // the metrics that are judged for this workload
  std::vector<WorkloadParameter> parameters;
  // What its document is written in, e.g. "rt-app"; empty where it takes none.
  std::string document_format{};

  friend bool operator==(const WorkloadDefinition&, const WorkloadDefinition&) = default;
};

// A part of a policy's behaviour that revisions differ in.
struct SwitchDefinition {
  std::string name;
  std::vector<std::string> values;
  std::string default_value;
  std::string meaning;

  friend bool operator==(const SwitchDefinition&, const SwitchDefinition&) = default;
};

// One commit of a policy's project.
struct Revision {
  std::string id;                    // full where it is known, else a confirmed prefix
  std::vector<std::string> aliases;  // release names: "v3.12"
  std::int64_t ordinal = 0;          // position on the first-parent line, from 0
  std::string date;                  // ISO 8601, "~" appended where it is approximate
  std::string subject;
  std::string author;
  std::string evidence;  // how sure the row is; the letters are explained in the file
  std::string note;
  std::map<std::string, std::string> changes;  // the switches that this commit sets

  friend bool operator==(const Revision&, const Revision&) = default;
};

// What results need to know of it.
RevisionRef RefOf(const Revision& revision);

// A history of a policy: its revisions, and what they may differ in. Several histories may share
// one implementation, as branches and windows of one project do.
struct PolicyDefinition {
  std::string name;
  std::string implementation;  // equal to `name` where this file has the switches
  std::string project;
  std::string description;
  std::vector<SwitchDefinition> switches;  // of the implementation
  std::vector<Revision> revisions;         // in order; empty for a policy without a history

  friend bool operator==(const PolicyDefinition&, const PolicyDefinition&) = default;
};

// The data that ships with schedlab, parsed and checked.
struct Catalog {
  std::vector<Topology> topologies;
  std::vector<WorkloadDefinition> workloads;
  std::vector<PolicyDefinition> policies;
  std::vector<MetricSpec> metrics;
  std::map<std::string, std::string> suites;  // name -> text of the suite file

  // Each fails with kNotFound and names the nearest known name.
  Result<const Topology*> FindTopology(std::string_view name) const;
  Result<const WorkloadDefinition*> FindWorkload(std::string_view name) const;
  Result<const PolicyDefinition*> FindPolicy(std::string_view name) const;
  Result<const MetricSpec*> FindMetric(std::string_view name) const;
};

// Parses every file. An error names the file, the line where it is known, and the key.
Result<Catalog> ParseCatalog(std::span<const CatalogFile> files);

// The files that were in catalog/ when this binary was built.
std::span<const CatalogFile> EmbeddedCatalogFiles();

// The revision of `policy` whose id starts with `reference` (at least 7 hex digits) or that has it
// as an alias; each "~" appended stands for its parent. kNotFound with the nearest name,
// kInvalidArgument where it is ambiguous.
Result<const Revision*> FindRevision(const PolicyDefinition& policy, std::string_view reference);

// "linux-fair" or "linux-fair@<revision>" with `overrides` laid over the switches that the history
// folds to at that revision. Every switch of the result is named explicitly.
Result<PolicySpec> ResolvePolicy(const Catalog& catalog, std::string_view reference,
                                 const std::map<std::string, std::string>& overrides);

// The workload with every parameter named: the defaults, with `overrides` laid over them.
// kInvalidArgument where it takes a document and is given none, or the reverse.
Result<WorkloadSpec> ResolveWorkload(const Catalog& catalog, std::string_view name,
                                     const std::map<std::string, std::int64_t>& overrides,
                                     std::string_view document = {});

// " (did you mean 'x'?)" for the nearest of `known` within a third of the length, else a list of
// at most ten of them.
std::string DidYouMean(std::string_view unknown, std::span<const std::string> known);

}  // namespace schedlab
