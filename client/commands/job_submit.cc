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
#include "core/engine_version.h"
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
  // Another engine's results are others: a gate never attaches to them.
  const std::string content =
      fmt::format("{}\n{}\n{}", ToJson(spec), options.commit, kEngineVersion);
  return Sha256Hex(content).substr(0, kRequestIdDigits);
}

std::string VariantOf(const PolicySelection& policy) {
  std::string variant;
  for (const auto& [name, value] : policy.switches) {
    variant += (variant.empty() ? "" : ",") + name + "=" + value;
  }
  return variant;
}

// What is wrong with the file itself is said before a coordinator is looked for. The coordinator
// judges the job again, by the same rules.
Status CheckSpec(const JobSpec& spec) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return Fail(catalog.error());
  const Result<ExpandedJob> expanded = Expand(*catalog, spec);
  if (!expanded) return Fail(expanded.error());
  return {};
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
    const RevisionComparison rows = RowsOfJob(*one, spec, scenario_digests, kEngineVersion);
    all.baseline = one->baseline;
    all.candidate = one->candidate;
    all.false_discovery_rate = one->false_discovery_rate;
    all.rows.insert(all.rows.end(), rows.rows.begin(), rows.rows.end());
  }
  return all;
}

std::string WhyInconclusive(const RevisionComparison& comparison) {
  if (comparison.rows.empty()) {
    return fmt::format(
        "no stored result is of this suite's scenarios by engine {}; does `schedlab version` say "
        "the same where the coordinator and its workers run?",
        kEngineVersion);
  }
  return "too few runs, or too much noise, to tell; raise `repetitions` in the suite";
}

// The first lines on stderr.
void TellVerdict(const GlobalOptions& global, const RevisionComparison& comparison, ExitCode gate) {
  const std::string candidate = ShortId(comparison.candidate.id);
  const std::string baseline = ShortId(comparison.baseline.id);
  for (const std::string& line : RegressionLines(comparison)) {
    PrintDiagnostic(Paint(global.terminal.has_stderr_color, Tone::kBad, EscapeControls(line)) +
                    "\n");
  }
  if (gate == ExitCode::kInconclusive) {
    PrintDiagnostic(fmt::format("INCONCLUSIVE  {} against {}: {}\n", candidate, baseline,
                                WhyInconclusive(comparison)));
  } else if (gate == ExitCode::kOk) {
    PrintDiagnostic(fmt::format("no regression: {} against {}\n", candidate, baseline));
  }
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
  TellVerdict(global, *comparison, gate);
  Print(global.output == OutputFormat::kJson
            ? ComparisonDocument(*comparison)
            : RenderComparison(HeadlineRows(*comparison), global.terminal.has_stdout_color));
  return gate;
}

// What came of the submission itself.
std::string DescribeSubmission(const CreatedJob& created, const std::string& address) {
  const Job& job = created.job;
  if (created.is_new || job.state == JobState::kRunning || job.state == JobState::kSucceeded) {
    return fmt::format("job {} {} at {}: {} runs, {} of them cached\n", job.id.value,
                       created.is_new ? "created" : "exists already", address,
                       job.run_counts.total(), job.cached_run_count);
  }
  return fmt::format(
      "job {} exists already at {} and is {}: nothing runs again; --new-attempt runs everything "
      "again\n",
      job.id.value, address, ToString(job.state));
}

ExitCode ReportEnd(const Job& job, bool is_new) {
  return ReportError(
      fmt::format("job {} is {}", job.id.value, ToString(job.state)),
      {ErrorCode::kUnavailable,
       fmt::format("{}; `schedlab job get {}` lists them{}", DescribeEnd(job), job.id.value,
                   is_new ? ""
                          : "; it was submitted before, and --new-attempt runs "
                            "everything again")});
}

ExitCode Wait(const GlobalOptions& global, Coordinator& coordinator, const CreatedJob& created,
              const WatchLimits& limits, const JobSubmitOptions& options) {
  const auto started_at = std::chrono::steady_clock::now();
  const JobId id = created.job.id;
  // A gate's first line is its verdict; whoever sits at a terminal sees how far it is before that.
  const bool is_gate = !options.commit.empty();
  Terminal terminal = global.terminal;
  terminal.has_progress = !is_gate || terminal.is_stderr_terminal || options.has_progress;
  const std::string submission = DescribeSubmission(created, coordinator.address());
  if (terminal.has_progress) PrintDiagnostic(submission);
  const Result<Job> job = FollowJob(coordinator, id, limits, terminal);
  if (!job) return ReportError(fmt::format("job {}", id.value), job.error());
  if (job->state != JobState::kSucceeded) return ReportEnd(*job, created.is_new);
  const std::string end = fmt::format("job {} succeeded after {}\n", id.value,
                                      FormatElapsed(std::chrono::duration_cast<milliseconds>(
                                          std::chrono::steady_clock::now() - started_at)));
  if (is_gate) {
    const ExitCode gate = Judge(global, coordinator, job->spec, options.commit);
    PrintDiagnostic((terminal.has_progress ? "" : submission) + end);
    return gate;
  }
  PrintDiagnostic(end);
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
  if (!spec) return ReportError("cannot submit the job", spec.error());  // names the file
  if (const Status valid = CheckSpec(*spec); !valid) return ReportError(what, valid.error());
  const Interrupt interrupt;
  Coordinator coordinator(global.server);
  const Result<CreatedJob> created = coordinator.CreateJob(RequestId(*spec, options), *spec);
  if (!created) return ReportError(what, created.error());
  const Job& job = created->job;
  if (!options.is_waiting) {
    PrintDiagnostic(DescribeSubmission(*created, coordinator.address()));
    Print(global.output == OutputFormat::kJson ? JobListDocument({job}) : RenderJobs({job}));
    return ExitCode::kOk;
  }
  return Wait(global, coordinator, *created,
              {std::chrono::ceil<milliseconds>(*timeout), interrupt.token()}, options);
}

}  // namespace schedlab::client
