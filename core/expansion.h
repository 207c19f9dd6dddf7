#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalog.h"
#include "core/job.h"
#include "core/result.h"
#include "core/run.h"

namespace schedlab {

// One run of a job that is to be stored; indices point into the ExpandedJob.
struct PlannedRun {
  std::size_t policy_index = 0;
  std::size_t scenario_index = 0;
  std::int32_t repetition = 0;
  std::int64_t seed = 0;
  std::string key;  // RunKey()
};

// Every commit of a policy that a job runs, in order: what was not measured lies between what was.
struct PolicyHistory {
  std::string policy;
  std::vector<Revision> revisions;
};

// A job with every name looked up: what it runs, and what it refers to.
struct ExpandedJob {
  std::string engine_version;
  std::vector<PolicySpec> policies;           // one for each revision, then the yardsticks
  std::vector<Revision> revisions;            // of the policies, parallel to them
  std::vector<PolicyHistory> histories;       // of each policy that has one, once
  std::vector<Scenario> scenarios;            // topologies x workloads
  std::vector<std::string> scenario_digests;  // parallel to scenarios
  std::vector<MetricSpec> metrics;            // every metric of the catalog
  std::vector<std::string> judged_metrics;    // headline metrics of the job
  std::vector<PlannedRun> runs;               // by policy, scenario, repetition
};

// Looks up every name of `spec` and plans its runs. kInvalidArgument: a field is empty or out of
// range. kNotFound: a name that the catalog lacks, with the nearest one. kResourceExhausted: more
// than kMaxRunsPerJob runs.
Result<ExpandedJob> Expand(const Catalog& catalog, const JobSpec& spec);

// The spec of one planned run.
RunSpec SpecOf(const ExpandedJob& job, const PlannedRun& run);

// The revisions that `expression` names, in order: empty (a policy without a history), one
// ("v3.12", a prefix of at least 7 hex digits, each with "~" appended for its parent), or a range
// of both ends ("a..b").
Result<std::vector<const Revision*>> ResolveRevisions(const PolicyDefinition& policy,
                                                      std::string_view expression);

// The seed of a run, in [0, 2^63): from the job's salt, the revision (not in kPaired mode), the
// scenario and the repetition, so that two revisions with one policy never share their noise.
struct SeedSource {
  std::string_view salt;
  SeedMode mode = SeedMode::kIndependent;
  std::string_view policy;
  std::string_view revision;
  std::string_view variant;
  std::string_view scenario_digest;
  std::int32_t repetition = 0;
};
std::int64_t SeedOf(const SeedSource& source);

}  // namespace schedlab
