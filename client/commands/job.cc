#include <fmt/format.h>

#include <chrono>

#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/interrupt.h"
#include "client/job_view.h"
#include "client/json_output.h"
#include "client/number_format.h"
#include "client/text_table.h"

namespace schedlab::client {
namespace {

ExitCode ShowJob(const GlobalOptions& global, Coordinator& coordinator, const Job& job) {
  const Result<std::vector<Run>> runs = coordinator.ListRuns(job.id);
  if (!runs)
    return ReportError(fmt::format("cannot list the runs of job {}", job.id.value), runs.error());
  Print(global.output == OutputFormat::kJson ? JobDocument(job, *runs) : RenderJob(job, *runs));
  return ExitCode::kOk;
}

}  // namespace

ExitCode RunJobList(const GlobalOptions& global, const ListOptions& options) {
  Coordinator coordinator(global.server);
  const Result<std::vector<Job>> jobs =
      coordinator.ListJobs(options.project, static_cast<std::size_t>(options.limit));
  if (!jobs) return ReportError("cannot list the jobs", jobs.error());
  Print(global.output == OutputFormat::kJson ? JobListDocument(*jobs) : RenderJobs(*jobs));
  return ExitCode::kOk;
}

ExitCode RunJobGet(const GlobalOptions& global, const FollowOptions& options) {
  Coordinator coordinator(global.server);
  const Result<Job> job = coordinator.GetJob(JobId{options.id});
  if (!job) return ReportError(fmt::format("cannot get job {}", options.id), job.error());
  return ShowJob(global, coordinator, *job);
}

ExitCode RunJobCancel(const GlobalOptions& global, const FollowOptions& options) {
  Coordinator coordinator(global.server);
  const std::string what = fmt::format("cannot cancel job {}", options.id);
  const Result<Job> before = coordinator.GetJob(JobId{options.id});
  if (!before) return ReportError(what, before.error());
  if (before->state != JobState::kRunning) {
    PrintDiagnostic(fmt::format("job {} is {} already: there was nothing to cancel\n", options.id,
                                ToString(before->state)));
    return ShowJob(global, coordinator, *before);
  }
  const Result<Job> job = coordinator.CancelJob(JobId{options.id});
  if (!job) return ReportError(what, job.error());
  return ShowJob(global, coordinator, *job);
}

ExitCode RunJobWatch(const GlobalOptions& global, const FollowOptions& options) {
  const std::string what = fmt::format("cannot watch job {}", options.id);
  const Result<std::chrono::nanoseconds> timeout = ParseDuration(options.timeout);
  if (!timeout) return ReportError(what, timeout.error());
  const Interrupt interrupt;
  Coordinator coordinator(global.server);
  const Result<Job> job = FollowJob(
      coordinator, JobId{options.id},
      {std::chrono::ceil<std::chrono::milliseconds>(*timeout), interrupt.token()}, global.terminal);
  if (!job) return ReportError(what, job.error());
  if (job->state != JobState::kSucceeded) {
    PrintDiagnostic(EscapeControls(
        fmt::format("job {} is {}: {}\n", options.id, ToString(job->state), DescribeEnd(*job))));
  }
  const ExitCode shown = ShowJob(global, coordinator, *job);
  if (shown != ExitCode::kOk) return shown;
  return job->state == JobState::kSucceeded ? ExitCode::kOk : ExitCode::kInfrastructure;
}

}  // namespace schedlab::client
