#include "client/job_view.h"

#include <fmt/format.h>

#include "client/number_format.h"
#include "client/progress.h"
#include "client/text_table.h"

namespace schedlab::client {
namespace {

std::string ProgressText(const Job& job) {
  const RunCounts& counts = job.run_counts;
  return fmt::format("{}/{}", counts.succeeded, counts.total());
}

}  // namespace

std::string RenderJobs(const std::vector<Job>& jobs) {
  TextTable table({{"id", Alignment::kRight},
                   {"state"},
                   {"runs", Alignment::kRight},
                   {"cached", Alignment::kRight},
                   {"failed", Alignment::kRight},
                   {"project"},
                   {"suite"},
                   {"created"},
                   {"analyzed"}});
  for (const Job& job : jobs) {
    table.AddRow({fmt::format("{}", job.id.value), std::string(ToString(job.state)),
                  ProgressText(job), fmt::format("{}", job.cached_run_count),
                  fmt::format("{}", job.run_counts.failed), job.spec.project, job.spec.suite,
                  FormatTime(job.created_at), job.is_analyzed ? "yes" : "no"});
  }
  return table.Render();
}

std::string RenderJob(const Job& job, const std::vector<Run>& runs) {
  std::string text =
      fmt::format("job {} is {}: suite {} of project {}, {} runs done, {} cached, created {}\n",
                  job.id.value, ToString(job.state), job.spec.suite, job.spec.project,
                  ProgressText(job), job.cached_run_count, FormatTime(job.created_at));
  text = EscapeControls(text);
  if (!job.first_failure.empty()) {
    text += fmt::format("first failure: {}\n", EscapeControls(job.first_failure));
  }
  if (!job.analysis_failure.empty()) {
    text += fmt::format("not searched for changes: {}\n", job.analysis_failure);
  }
  TextTable table({{"run", Alignment::kRight},
                   {"policy"},
                   {"topology"},
                   {"workload"},
                   {"repetition", Alignment::kRight},
                   {"state"},
                   {"attempt", Alignment::kRight},
                   {"digest"}});
  for (const Run& run : runs) {
    table.AddRow({fmt::format("{}", run.id.value),
                  run.revision.empty() ? run.policy : run.policy + "@" + ShortId(run.revision),
                  run.topology, run.workload, fmt::format("{}", run.repetition),
                  std::string(ToString(run.state)), fmt::format("{}", run.attempt),
                  run.result ? fmt::format("{:016x}", run.result->digest) : ""});
  }
  return text + "\n" + table.Render();
}

std::string DescribeEnd(const Job& job) {
  const RunCounts& counts = job.run_counts;
  if (job.state == JobState::kCancelled) {
    return fmt::format("{} of {} runs had ended when it was cancelled",
                       counts.succeeded + counts.failed, counts.total());
  }
  return fmt::format("{} of {} runs failed; the first: {}", counts.failed, counts.total(),
                     job.first_failure.empty() ? "none" : job.first_failure);
}

Result<Job> FollowJob(Coordinator& coordinator, JobId id, const WatchLimits& limits,
                      const Terminal& terminal) {
  Progress progress(terminal.has_progress_bar);
  Result<Job> job = coordinator.WatchJob(id, limits, [&](const Job& now) {
    if (terminal.has_progress) PrintDiagnostic(progress.Update(now.run_counts));
  });
  PrintDiagnostic(progress.Finish());
  if (!job && job.error().code == ErrorCode::kCancelled) {
    return Fail(ErrorCode::kCancelled,
                fmt::format("interrupted; job {} continues at {}: follow it with `schedlab job "
                            "watch {}`, or end it with `schedlab job cancel {}`",
                            id.value, coordinator.address(), id.value, id.value));
  }
  return job;
}

}  // namespace schedlab::client
