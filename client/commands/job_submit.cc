#include <fmt/format.h>

#include <chrono>

#include "client/commands/commands.h"
#include "client/comparison_view.h"
#include "client/coordinator.h"
#include "client/interrupt.h"
#include "client/job_view.h"
#include "client/json_output.h"
#include "client/number_format.h"
#include "client/suite_input.h"
#include "core/catalog.h"
#include "core/expansion.h"
#include "core/spec_json.h"

namespace schedlab::client {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kRequestIdDigits = 40;

Result<JobSpec> ReadSpec(const JobSubmitOptions& options) {
  Result<JobSpec> spec = ReadSuiteFile(options.suite_path);
  if (!spec) return spec;
  for (PolicySelection& policy : spec->policies) {
    // A policy without a history has no commits to choose from.
    if (options.commit.empty() || policy.revisions.empty()) continue;
    policy.revisions = options.commit + "~.." + options.commit;
  }
  if (options.is_new_attempt) {
    // Other noise and another identity: otherwise every run would be found in the cache.
    spec->salt += fmt::format("/attempt {}", SystemClock().Now().time_since_epoch().count());
  }
  return spec;
}

std::string RequestId(const JobSpec& spec, const JobSubmitOptions& options) {
  if (!options.request_id.empty()) return options.request_id;
  return Sha256Hex(ToJson(spec) + "\n" + options.commit).substr(0, kRequestIdDigits);
}

std::string VariantOf(const PolicySelection& policy) {
  std::string variant;
  for (const auto& [name, value] : policy.switches) {
    variant += (variant.empty() ? "" : ",") + name + "=" + value;
  }
  return variant;
}

// Of the scenarios that the job ran; empty where this program's catalog lacks one of its names.
std::vector<std::string> ScenarioDigests(const JobSpec& spec) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return {};
  const Result<ExpandedJob> expanded = Expand(*catalog, spec);
  return expanded ? expanded->scenario_digests : std::vector<std::string>();
}

// The parent against the commit, over every policy that has commits.
Result<RevisionComparison> CompareWithParent(Coordinator& coordinator, const JobSpec& spec,
                                             const std::string& commit) {
  const std::vector<std::string> scenario_digests = ScenarioDigests(spec);
  RevisionComparison all;
  for (const PolicySelection& policy : spec.policies) {
    if (policy.revisions.empty()) continue;
    const Result<RevisionComparison> one =
        coordinator.Compare({.project = spec.project,
                             .policy = policy.policy,
                             .variant = VariantOf(policy),
                             .baseline = commit + "~",
                             .candidate = commit,
                             .topology = {},
                             .workload = {},
                             .is_paired = spec.seed_mode == SeedMode::kPaired});
    if (!one) return one;
    const RevisionComparison rows = RowsOfJob(*one, spec, scenario_digests);
    all.baseline = one->baseline;
    all.candidate = one->candidate;
    all.false_discovery_rate = one->false_discovery_rate;
    all.rows.insert(all.rows.end(), rows.rows.begin(), rows.rows.end());
  }
  return all;
}

ExitCode Judge(const GlobalOptions& global, Coordinator& coordinator, const JobSpec& spec,
               const std::string& commit) {
  const Result<RevisionComparison> comparison = CompareWithParent(coordinator, spec, commit);
  if (!comparison) {
    ReportError(fmt::format("cannot compare {} with its parent", commit), comparison.error());
    return comparison.error().code == ErrorCode::kNotFound ? ExitCode::kInconclusive
                                                           : ExitCodeOf(comparison.error());
  }
  const ExitCode gate = GateOf(*comparison);
  for (const std::string& line : RegressionLines(*comparison)) {
    PrintDiagnostic(Paint(global.terminal.has_stderr_color, Tone::kBad, line) + "\n");
  }
  if (gate == ExitCode::kInconclusive) {
    PrintDiagnostic(
        fmt::format("INCONCLUSIVE  {} against {}: too few runs, or too much noise, to tell; raise "
                    "`repetitions` in the suite\n",
                    ShortId(comparison->candidate.id), ShortId(comparison->baseline.id)));
  } else if (gate == ExitCode::kOk) {
    PrintDiagnostic(fmt::format("no regression: {} against {}\n", ShortId(comparison->candidate.id),
                                ShortId(comparison->baseline.id)));
  }
  Print(global.output == OutputFormat::kJson
            ? ComparisonDocument(*comparison)
            : RenderComparison(*comparison, global.terminal.has_stdout_color));
  return gate;
}

ExitCode Wait(const GlobalOptions& global, Coordinator& coordinator, JobId id,
              const WatchLimits& limits, const JobSubmitOptions& options) {
  const auto started_at = std::chrono::steady_clock::now();
  const Result<Job> job = FollowJob(coordinator, id, limits, global.terminal);
  if (!job) return ReportError(fmt::format("job {}", id.value), job.error());
  if (job->state != JobState::kSucceeded) {
    return ReportError(
        fmt::format("job {} is {}", id.value, ToString(job->state)),
        {ErrorCode::kUnavailable,
         fmt::format("{} of {} runs failed; the first: {}; `schedlab job get {}` "
                     "lists them",
                     job->run_counts.failed, job->run_counts.total(),
                     job->first_failure.empty() ? "none" : job->first_failure, id.value)});
  }
  PrintDiagnostic(fmt::format("job {} succeeded after {}\n", id.value,
                              FormatElapsed(std::chrono::duration_cast<milliseconds>(
                                  std::chrono::steady_clock::now() - started_at))));
  if (!options.commit.empty()) return Judge(global, coordinator, job->spec, options.commit);
  Print(global.output == OutputFormat::kJson ? JobListDocument({*job}) : RenderJobs({*job}));
  return ExitCode::kOk;
}

}  // namespace

ExitCode RunJobSubmit(const GlobalOptions& global, const JobSubmitOptions& options) {
  const std::string what = "cannot submit the job of " + options.suite_path;
  const Result<std::chrono::nanoseconds> timeout = ParseDuration(options.timeout);
  if (!timeout)
    return ReportError(what, {timeout.error().code, "--timeout: " + timeout.error().message});
  const Result<JobSpec> spec = ReadSpec(options);
  if (!spec) return ReportError(what, spec.error());
  const Interrupt interrupt;
  Coordinator coordinator(global.server);
  const Result<CreatedJob> created = coordinator.CreateJob(RequestId(*spec, options), *spec);
  if (!created) return ReportError(what, created.error());
  const Job& job = created->job;
  PrintDiagnostic(fmt::format("job {} {} at {}: {} runs, {} of them cached\n", job.id.value,
                              created->is_new ? "created" : "exists already", coordinator.address(),
                              job.run_counts.total(), job.cached_run_count));
  if (!options.is_waiting) {
    Print(global.output == OutputFormat::kJson ? JobListDocument({job}) : RenderJobs({job}));
    return ExitCode::kOk;
  }
  return Wait(global, coordinator, job.id,
              {std::chrono::ceil<milliseconds>(*timeout), interrupt.token()}, options);
}

}  // namespace schedlab::client
