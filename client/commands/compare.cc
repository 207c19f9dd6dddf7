#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client/commands/commands.h"
#include "client/comparison_output.h"
#include "client/comparison_view.h"
#include "client/coordinator.h"
#include "client/machine_words.h"
#include "core/catalog.h"

namespace schedlab::client {
namespace {

struct PolicyChoice {
  std::string policy;
  std::string variant;

  friend bool operator==(const PolicyChoice&, const PolicyChoice&) = default;
};

// Every policy and variant of the project that has results, in order of names.
Result<std::vector<PolicyChoice>> StoredPolicies(Coordinator& coordinator,
                                                 const CompareOptions& options) {
  const Result<std::vector<Series>> series = coordinator.ListSeries({.project = options.project,
                                                                     .policy = {},
                                                                     .metric = {},
                                                                     .topology = options.topology,
                                                                     .workload = options.workload,
                                                                     .is_headline_only = true});
  if (!series) return Fail(series.error());
  std::vector<PolicyChoice> choices;
  for (const Series& one : *series) {
    const PolicyChoice choice{one.key.policy, one.key.variant};
    if (std::find(choices.begin(), choices.end(), choice) == choices.end()) {
      choices.push_back(choice);
    }
  }
  if (!choices.empty()) return choices;
  return Fail(ErrorCode::kNotFound,
              fmt::format("project '{}' has no results at {}; `schedlab job list` shows what was "
                          "submitted",
                          options.project, coordinator.address()));
}

Result<std::vector<PolicyChoice>> ChoosePolicies(Coordinator& coordinator,
                                                 const CompareOptions& options) {
  const bool is_open = options.policies.empty() && options.variants.empty();
  if (options.grouping == Grouping::kPolicy && is_open) {
    return StoredPolicies(coordinator, options);
  }
  std::vector<std::string> policies = options.policies;
  if (policies.empty()) policies.push_back(options.default_policy);
  std::vector<std::string> variants = options.variants;
  if (variants.empty()) variants.emplace_back();
  std::vector<PolicyChoice> choices;
  for (const std::string& policy : policies) {
    for (const std::string& variant : variants) choices.push_back({policy, variant});
  }
  return choices;
}

std::vector<std::string> BaselinesOf(const CompareOptions& options) {
  std::vector<std::string> baselines = {options.baseline};
  baselines.insert(baselines.end(), options.also_against.begin(), options.also_against.end());
  return baselines;
}

// Every pair of every policy. With several policies, one may lack a pair; none may lack all.
class PairReader {
 public:
  PairReader(Coordinator& coordinator, const CompareOptions& options)
      : coordinator_(coordinator), options_(options), baselines_(BaselinesOf(options)) {}

  Result<ComparisonSet> Read(const std::vector<PolicyChoice>& policies) {
    std::vector<ComparedPair> pairs;
    for (std::size_t candidate = 0; candidate < options_.candidates.size(); ++candidate) {
      for (std::size_t baseline = 0; baseline < baselines_.size(); ++baseline) {
        const Status read = ReadPair(policies, baseline, candidate, pairs);
        if (!read) return Fail(read.error());
      }
    }
    return MergePairs(baselines_, options_.candidates, std::move(pairs));
  }

 private:
  Status ReadPair(const std::vector<PolicyChoice>& policies, std::size_t baseline,
                  std::size_t candidate, std::vector<ComparedPair>& pairs) {
    const std::size_t count_before = pairs.size();
    Error missing;
    for (const PolicyChoice& choice : policies) {
      Result<RevisionComparison> comparison =
          coordinator_.Compare({.project = options_.project,
                                .policy = choice.policy,
                                .variant = choice.variant,
                                .baseline = baselines_[baseline],
                                .candidate = options_.candidates[candidate],
                                .topology = options_.topology,
                                .workload = options_.workload,
                                .is_paired = options_.is_paired});
      if (comparison) {
        pairs.push_back({baseline, candidate, std::move(*comparison)});
      } else if (comparison.error().code == ErrorCode::kNotFound) {
        missing = comparison.error();
      } else {
        return Fail(comparison.error());
      }
    }
    if (pairs.size() > count_before) return {};
    return Fail(missing.code, fmt::format("{} against {}: {}", options_.candidates[candidate],
                                          baselines_[baseline], missing.message));
  }

  Coordinator& coordinator_;
  const CompareOptions& options_;
  std::vector<std::string> baselines_;
};

std::map<std::string, std::string> MachinesOf(const ComparisonSet& set) {
  std::map<std::string, std::string> machines;
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return machines;
  for (const ComparedSeries& one : set.series) {
    const Result<const Topology*> topology = catalog->FindTopology(one.series.key.topology);
    if (topology) machines.emplace(one.series.key.topology, MachineInWords(**topology));
  }
  return machines;
}

// --format, or what -o asks for.
Result<ComparisonFormat> FormatOf(const GlobalOptions& global, const CompareOptions& options) {
  if (options.format && global.output != OutputFormat::kTable) {
    return Fail(ErrorCode::kInvalidArgument, "give either --format or -o, not both");
  }
  if (options.format) return *options.format;
  switch (global.output) {
    case OutputFormat::kTable:
      return ComparisonFormat::kTable;
    case OutputFormat::kJson:
      return ComparisonFormat::kJson;
    case OutputFormat::kCsv:
      return ComparisonFormat::kCsv;
    case OutputFormat::kMarkdown:
      return ComparisonFormat::kMarkdown;
  }
  return ComparisonFormat::kTable;
}

// The worst of all pairs.
ExitCode GateOfSet(const ComparisonSet& set) {
  ExitCode code = ExitCode::kOk;
  for (const ComparedPair& pair : set.pairs) {
    const ExitCode one = GateOf(pair.comparison);
    if (one == ExitCode::kRegression) return one;
    if (one != ExitCode::kOk) code = one;
  }
  return code;
}

}  // namespace

ExitCode RunCompare(const GlobalOptions& global, const CompareOptions& options) {
  const Result<ComparisonFormat> format = FormatOf(global, options);
  if (!format) return ReportError("cannot compare", format.error());
  Coordinator coordinator(global.server);
  const Result<std::vector<PolicyChoice>> policies = ChoosePolicies(coordinator, options);
  if (!policies) return ReportError("cannot compare", policies.error());
  Result<ComparisonSet> set = PairReader(coordinator, options).Read(*policies);
  if (!set) return ReportError("cannot compare", set.error());
  const ExitCode gate = GateOfSet(*set);
  if (options.is_changed_only) KeepChanged(*set);
  Print(RenderOutput(*set, {.format = *format,
                            .grouping = options.grouping,
                            .has_samples = options.has_samples,
                            .has_color = global.terminal.has_stdout_color,
                            .machines = MachinesOf(*set)}));
  return options.has_exit_code ? gate : ExitCode::kOk;
}

}  // namespace schedlab::client
