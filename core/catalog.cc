#include "core/catalog.h"

#include <fmt/format.h>

#include <algorithm>

namespace schedlab {
namespace {

template <class T>
Result<const T*> Find(const std::vector<T>& items, std::string_view name, std::string_view kind) {
  std::vector<std::string> names;
  for (const T& item : items) {
    if (item.name == name) return &item;
    names.push_back(item.name);
  }
  return Fail(ErrorCode::kNotFound,
              fmt::format("{} '{}' is not in the catalog{}", kind, name, DidYouMean(name, names)));
}

Status ApplyOverride(const PolicyDefinition& policy, const std::string& name,
                     const std::string& value, PolicySpec& spec) {
  std::vector<std::string> names;
  for (const SwitchDefinition& known : policy.switches) {
    names.push_back(known.name);
    if (known.name != name) continue;
    if (std::count(known.values.begin(), known.values.end(), value) == 0) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("switch '{}' of policy '{}' cannot be '{}'; it is one of {}", name,
                              policy.name, value, fmt::join(known.values, ", ")));
    }
    spec.switches[name] = value;
    spec.variant += fmt::format("{}{}={}", spec.variant.empty() ? "" : ",", name, value);
    return {};
  }
  return Fail(ErrorCode::kNotFound, fmt::format("policy '{}' has no switch '{}'{}", policy.name,
                                                name, DidYouMean(name, names)));
}

Status CheckDocument(const WorkloadDefinition& workload, std::string_view document) {
  const auto refuse = [&](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("workload '{}' {}", workload.name, why));
  };
  if (workload.document_format.empty()) {
    if (!document.empty()) return refuse("takes no document");
    return {};
  }
  if (document.empty()) {
    return refuse(
        fmt::format("needs a document: a file of the format {}", workload.document_format));
  }
  return {};
}

}  // namespace

std::string_view ToString(Direction direction) {
  switch (direction) {
    case Direction::kHigherIsBetter:
      return "higher_is_better";
    case Direction::kLowerIsBetter:
      return "lower_is_better";
  }
  return "";
}

std::string_view ToString(MetricRole role) {
  switch (role) {
    case MetricRole::kHeadline:
      return "headline";
    case MetricRole::kCounter:
      return "counter";
  }
  return "";
}

Result<const Topology*> Catalog::FindTopology(std::string_view name) const {
  return Find(topologies, name, "topology");
}

Result<const WorkloadDefinition*> Catalog::FindWorkload(std::string_view name) const {
  return Find(workloads, name, "workload");
}

Result<const PolicyDefinition*> Catalog::FindPolicy(std::string_view name) const {
  return Find(policies, name, "policy");
}

Result<const MetricSpec*> Catalog::FindMetric(std::string_view name) const {
  return Find(metrics, name, "metric");
}

namespace {

// A release that one policy lacks is often in the history of another.
Error WithPoliciesThatHave(const Catalog& catalog, std::string_view revision, Error error) {
  std::string names;
  for (const PolicyDefinition& policy : catalog.policies) {
    if (FindRevision(policy, revision)) names += (names.empty() ? "" : ", ") + policy.name;
  }
  if (!names.empty()) error.message += fmt::format("; in the history of: {}", names);
  return error;
}

}  // namespace

Result<PolicySpec> ResolvePolicy(const Catalog& catalog, std::string_view reference,
                                 const std::map<std::string, std::string>& overrides) {
  const std::size_t at = reference.find('@');
  const Result<const PolicyDefinition*> policy = catalog.FindPolicy(reference.substr(0, at));
  if (!policy) return Fail(policy.error());
  PolicySpec spec{.name = (*policy)->name, .revision = "", .variant = "", .switches = {}};
  if ((*policy)->implementation != spec.name) spec.implementation = (*policy)->implementation;
  for (const SwitchDefinition& known : (*policy)->switches) {
    spec.switches[known.name] = known.default_value;
  }
  if (at != std::string_view::npos) {
    const Result<const Revision*> revision = FindRevision(**policy, reference.substr(at + 1));
    if (!revision) {
      return Fail(WithPoliciesThatHave(catalog, reference.substr(at + 1), revision.error()));
    }
    spec.revision = (*revision)->id;
    for (const Revision& earlier : (*policy)->revisions) {
      if (earlier.ordinal > (*revision)->ordinal) break;
      for (const auto& [name, value] : earlier.changes) spec.switches[name] = value;
    }
  }
  for (const auto& [name, value] : overrides) {
    if (Status s = ApplyOverride(**policy, name, value, spec); !s) return Fail(s.error());
  }
  return spec;
}

Result<WorkloadSpec> ResolveWorkload(const Catalog& catalog, std::string_view name,
                                     const std::map<std::string, std::int64_t>& overrides,
                                     std::string_view document) {
  const Result<const WorkloadDefinition*> workload = catalog.FindWorkload(name);
  if (!workload) return Fail(workload.error());
  if (Status s = CheckDocument(**workload, document); !s) return Fail(s.error());
  WorkloadSpec spec{.name = (*workload)->name, .parameters = {}, .document = std::string(document)};
  std::map<std::string, const WorkloadParameter*> known;
  std::vector<std::string> names;
  for (const WorkloadParameter& parameter : (*workload)->parameters) {
    spec.parameters[parameter.name] = parameter.default_value;
    known[parameter.name] = &parameter;
    names.push_back(parameter.name);
  }
  for (const auto& [key, value] : overrides) {
    const auto found = known.find(key);
    if (found == known.end()) {
      return Fail(ErrorCode::kNotFound, fmt::format("workload '{}' has no parameter '{}'{}", name,
                                                    key, DidYouMean(key, names)));
    }
    if (value < found->second->minimum || value > found->second->maximum) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("workload '{}': parameter {} = {} is outside of {} to {}", name, key,
                              value, found->second->minimum, found->second->maximum));
    }
    spec.parameters[key] = value;
  }
  return spec;
}

}  // namespace schedlab
