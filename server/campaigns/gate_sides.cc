#include "server/campaigns/gate_sides.h"

#include <fmt/format.h>

#include <utility>

#include "core/engine_version.h"
#include "core/expansion.h"
#include "server/campaigns/gate_suite.h"

namespace schedlab::server {
namespace {

Result<const Revision*> ParentOf(const PolicyDefinition& policy, const Revision& candidate) {
  if (candidate.ordinal > 0) {
    return &policy.revisions[static_cast<std::size_t>(candidate.ordinal - 1)];
  }
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("the history of policy '{}' begins with {}, which has no parent in it: "
                          "name a baseline",
                          policy.name, candidate.id));
}

// The scenarios do not depend on the revision; the candidate stands in for the baseline.
Result<std::vector<std::string>> ScenariosOf(const Catalog& catalog, const GateQuestion& question,
                                             const std::string& candidate) {
  JobSpec spec = question.suite;
  spec.repetitions = 1;
  spec.yardsticks.clear();
  const Result<std::vector<PolicySelection>> policies = PoliciesWithHistory(catalog, spec);
  if (!policies) return Fail(policies.error());
  spec.policies = *policies;
  for (PolicySelection& policy : spec.policies) policy.revisions = candidate;
  Result<ExpandedJob> expanded = Expand(catalog, spec);
  if (!expanded) return Fail(expanded.error());
  return std::move(expanded->scenario_digests);
}

Result<const Revision*> NewestMeasured(const Catalog& catalog, const GateQuestion& question,
                                       const PolicyDefinition& policy, const Revision& candidate,
                                       const FindNewest& find_newest) {
  Result<std::vector<std::string>> scenarios = ScenariosOf(catalog, question, candidate.id);
  if (!scenarios) return Fail(scenarios.error());
  const Result<std::optional<std::string>> newest =
      find_newest({.project = question.suite.project,
                   .policy = policy.name,
                   .before_ordinal = candidate.ordinal,
                   .scenario_digests = std::move(*scenarios),
                   .executor = question.suite.executor,
                   .engine_version = std::string(kEngineVersion)});
  if (!newest) return Fail(newest.error());
  if (newest->has_value()) return FindRevision(policy, **newest);
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("no revision of policy '{}' before {} has results in a scenario of the "
                          "suite: take its parent, or name a baseline",
                          policy.name, candidate.id));
}

Result<const Revision*> BaselineOf(const Catalog& catalog, const GateQuestion& question,
                                   const PolicyDefinition& policy, const Revision& candidate,
                                   const FindNewest& find_newest) {
  switch (question.baseline_rule) {
    case BaselineRule::kMergeBase:
    case BaselineRule::kParent:
      return ParentOf(policy, candidate);
    case BaselineRule::kNewestMeasured:
      return NewestMeasured(catalog, question, policy, candidate, find_newest);
    case BaselineRule::kExplicit:
      return FindRevision(policy, question.baseline);
  }
  return Fail(ErrorCode::kInternal, "a baseline rule without a case");
}

// Every policy of the suite is compared between the same two revisions.
Status CheckHistories(const Catalog& catalog, std::span<const PolicySelection> policies,
                      const GateSides& sides) {
  for (const PolicySelection& selection : policies) {
    const Result<const PolicyDefinition*> policy = catalog.FindPolicy(selection.policy);
    if (!policy) return Fail(policy.error());
    for (const RevisionRef* side : {&sides.baseline, &sides.candidate}) {
      const Result<const Revision*> found = FindRevision(**policy, side->id);
      if (!found) return Fail(found.error());
    }
  }
  return {};
}

}  // namespace

Result<GateSides> ResolveSides(const Catalog& catalog, const GateQuestion& question,
                               const FindNewest& find_newest) {
  const Result<std::vector<PolicySelection>> policies =
      PoliciesWithHistory(catalog, question.suite);
  if (!policies) return Fail(policies.error());
  const PolicyDefinition& policy = **catalog.FindPolicy(policies->front().policy);
  const Result<const Revision*> candidate = FindRevision(policy, question.candidate);
  if (!candidate) return Fail(candidate.error());
  const Result<const Revision*> baseline =
      BaselineOf(catalog, question, policy, **candidate, find_newest);
  if (!baseline) return Fail(baseline.error());
  if (*baseline == *candidate) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the baseline is the candidate itself, {}", (*candidate)->id));
  }
  const bool is_merge_base = question.baseline_rule == BaselineRule::kMergeBase;
  GateSides sides{.baseline = RefOf(**baseline),
                  .candidate = RefOf(**candidate),
                  .rule_taken = is_merge_base ? BaselineRule::kParent : question.baseline_rule,
                  .commits_back = (*candidate)->ordinal - (*baseline)->ordinal};
  if (const Status known = CheckHistories(catalog, *policies, sides); !known) {
    return Fail(known.error());
  }
  return sides;
}

}  // namespace schedlab::server
