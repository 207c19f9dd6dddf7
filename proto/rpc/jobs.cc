#include "proto/rpc/jobs.h"

#include "core/limits.h"
#include "proto/rpc/field_reader.h"
#include "proto/rpc/specs.h"
#include "proto/rpc/time.h"

namespace schedlab::rpc {
namespace {

constexpr auto kDecodeDisturbance = [](const auto& wire) { return rpc::Decode(wire); };

v1::PolicySelection Encode(const PolicySelection& selection) {
  v1::PolicySelection wire;
  wire.set_policy(selection.policy);
  wire.set_revisions(selection.revisions);
  wire.mutable_switches()->insert(selection.switches.begin(), selection.switches.end());
  return wire;
}

Result<PolicySelection> Decode(const v1::PolicySelection& wire) {
  FieldReader read;
  return read.Finish(PolicySelection{.policy = read.Name("policy", wire.policy()),
                                     .revisions = read.OptionalName("revisions", wire.revisions()),
                                     .switches = read.Strings("switches", wire.switches())});
}

v1::WorkloadSelection Encode(const WorkloadSelection& selection) {
  v1::WorkloadSelection wire;
  wire.set_workload(selection.workload);
  wire.mutable_parameters()->insert(selection.parameters.begin(), selection.parameters.end());
  wire.set_duration_ns(selection.duration_ns);
  wire.set_document(selection.document);
  for (const HotplugEvent& event : selection.hotplug) *wire.add_hotplug() = rpc::Encode(event);
  for (const IrqSource& source : selection.irq_sources)
    *wire.add_irq_sources() = rpc::Encode(source);
  return wire;
}

Result<WorkloadSelection> Decode(const v1::WorkloadSelection& wire) {
  FieldReader read;
  return read.Finish(WorkloadSelection{
      .workload = read.Name("workload", wire.workload()),
      .parameters = read.Numbers("parameters", wire.parameters()),
      .duration_ns = read.Number("duration_ns", wire.duration_ns(), 0, kMaxSimulatedNs),
      .document = read.Document("document", wire.document()),
      .hotplug = read.Messages("hotplug", wire.hotplug(), kMaxHotplugEvents, kDecodeDisturbance),
      .irq_sources =
          read.Messages("irq_sources", wire.irq_sources(), kMaxIrqSources, kDecodeDisturbance)});
}

}  // namespace

constexpr auto kDecode = [](const auto& wire) { return Decode(wire); };

v1::SeedMode Encode(SeedMode mode) {
  switch (mode) {
    case SeedMode::kIndependent:
      return v1::SEED_MODE_INDEPENDENT;
    case SeedMode::kPaired:
      return v1::SEED_MODE_PAIRED;
  }
  return v1::SEED_MODE_UNSPECIFIED;
}

Result<SeedMode> Decode(v1::SeedMode wire) {
  switch (wire) {
    case v1::SEED_MODE_UNSPECIFIED:
    case v1::SEED_MODE_INDEPENDENT:
      return SeedMode::kIndependent;
    case v1::SEED_MODE_PAIRED:
      return SeedMode::kPaired;
    default:
      return RefuseEnum(wire);
  }
}

v1::JobSpec Encode(const JobSpec& spec) {
  v1::JobSpec wire;
  wire.set_project(spec.project);
  wire.set_suite(spec.suite);
  wire.set_executor(Encode(spec.executor));
  for (const PolicySelection& policy : spec.policies) *wire.add_policies() = Encode(policy);
  wire.mutable_topologies()->Add(spec.topologies.begin(), spec.topologies.end());
  for (const WorkloadSelection& workload : spec.workloads) *wire.add_workloads() = Encode(workload);
  wire.set_repetitions(spec.repetitions);
  wire.set_seed_mode(Encode(spec.seed_mode));
  wire.set_salt(spec.salt);
  wire.mutable_metrics()->Add(spec.metrics.begin(), spec.metrics.end());
  wire.mutable_yardsticks()->Add(spec.yardsticks.begin(), spec.yardsticks.end());
  return wire;
}

Result<JobSpec> Decode(const v1::JobSpec& wire) {
  FieldReader read("job");
  return read.Finish(JobSpec{
      .project = read.Name("project", wire.project()),
      .suite = read.OptionalName("suite", wire.suite()),
      .executor = read.Value("executor", Decode(wire.executor())),
      .policies = read.Messages("policies", wire.policies(), kMaxSelectionsPerJob, kDecode),
      .topologies = read.Names("topologies", wire.topologies(), kMaxSelectionsPerJob),
      .workloads = read.Messages("workloads", wire.workloads(), kMaxSelectionsPerJob, kDecode),
      .repetitions = read.Number32("repetitions", wire.repetitions(), 1, kMaxRepetitions),
      .seed_mode = read.Value("seed_mode", Decode(wire.seed_mode())),
      .salt = read.OptionalName("salt", wire.salt()),
      .metrics = read.Names("metrics", wire.metrics(), kMaxSelectionsPerJob),
      .yardsticks = read.Names("yardsticks", wire.yardsticks(), kMaxSelectionsPerJob),
  });
}

v1::RunCounts Encode(const RunCounts& counts) {
  v1::RunCounts wire;
  wire.set_queued(counts.queued);
  wire.set_leased(counts.leased);
  wire.set_succeeded(counts.succeeded);
  wire.set_failed(counts.failed);
  wire.set_cancelled(counts.cancelled);
  return wire;
}

Result<RunCounts> Decode(const v1::RunCounts& wire) {
  FieldReader read;
  return read.Finish(RunCounts{.queued = read.Count("queued", wire.queued()),
                               .leased = read.Count("leased", wire.leased()),
                               .succeeded = read.Count("succeeded", wire.succeeded()),
                               .failed = read.Count("failed", wire.failed()),
                               .cancelled = read.Count("cancelled", wire.cancelled())});
}

v1::JobState Encode(JobState state) {
  switch (state) {
    case JobState::kRunning:
      return v1::JOB_STATE_RUNNING;
    case JobState::kSucceeded:
      return v1::JOB_STATE_SUCCEEDED;
    case JobState::kFailed:
      return v1::JOB_STATE_FAILED;
    case JobState::kCancelled:
      return v1::JOB_STATE_CANCELLED;
  }
  return v1::JOB_STATE_UNSPECIFIED;
}

Result<JobState> Decode(v1::JobState wire) {
  switch (wire) {
    case v1::JOB_STATE_RUNNING:
      return JobState::kRunning;
    case v1::JOB_STATE_SUCCEEDED:
      return JobState::kSucceeded;
    case v1::JOB_STATE_FAILED:
      return JobState::kFailed;
    case v1::JOB_STATE_CANCELLED:
      return JobState::kCancelled;
    default:
      return RefuseEnum(wire);
  }
}

v1::Job Encode(const Job& job) {
  v1::Job wire;
  wire.set_id(job.id.value);
  *wire.mutable_spec() = Encode(job.spec);
  wire.set_state(Encode(job.state));
  *wire.mutable_run_counts() = Encode(job.run_counts);
  wire.set_cached_run_count(job.cached_run_count);
  *wire.mutable_create_time() = Encode(job.created_at);
  if (job.finished_at) *wire.mutable_finish_time() = Encode(*job.finished_at);
  wire.set_is_analyzed(job.is_analyzed);
  wire.set_first_failure(job.first_failure);
  wire.set_analysis_failure(job.analysis_failure);
  return wire;
}

Result<Job> Decode(const v1::Job& wire) {
  FieldReader read("job");
  Job job{.id = read.Key<JobId>("id", wire.id()),
          .spec = read.Rooted(Decode(wire.spec())),
          .state = read.Value("state", Decode(wire.state())),
          .run_counts = read.Message("run_counts", Decode(wire.run_counts())),
          .cached_run_count = read.Count("cached_run_count", wire.cached_run_count()),
          .created_at = read.Value("create_time", Decode(wire.create_time())),
          .finished_at = {},
          .is_analyzed = wire.is_analyzed(),
          .first_failure = read.Text("first_failure", wire.first_failure()),
          .analysis_failure = read.Text("analysis_failure", wire.analysis_failure())};
  if (wire.has_finish_time()) {
    job.finished_at = read.Value("finish_time", Decode(wire.finish_time()));
  }
  return read.Finish(std::move(job));
}

v1::RunState Encode(RunState state) {
  switch (state) {
    case RunState::kQueued:
      return v1::RUN_STATE_QUEUED;
    case RunState::kLeased:
      return v1::RUN_STATE_LEASED;
    case RunState::kSucceeded:
      return v1::RUN_STATE_SUCCEEDED;
    case RunState::kFailed:
      return v1::RUN_STATE_FAILED;
    case RunState::kCancelled:
      return v1::RUN_STATE_CANCELLED;
  }
  return v1::RUN_STATE_UNSPECIFIED;
}

Result<RunState> Decode(v1::RunState wire) {
  switch (wire) {
    case v1::RUN_STATE_QUEUED:
      return RunState::kQueued;
    case v1::RUN_STATE_LEASED:
      return RunState::kLeased;
    case v1::RUN_STATE_SUCCEEDED:
      return RunState::kSucceeded;
    case v1::RUN_STATE_FAILED:
      return RunState::kFailed;
    case v1::RUN_STATE_CANCELLED:
      return RunState::kCancelled;
    default:
      return RefuseEnum(wire);
  }
}

v1::Run Encode(const Run& run) {
  v1::Run wire;
  wire.set_id(run.id.value);
  wire.set_policy(run.policy);
  wire.set_revision(run.revision);
  wire.set_variant(run.variant);
  wire.set_topology(run.topology);
  wire.set_workload(run.workload);
  wire.set_repetition(run.repetition);
  wire.set_seed(run.seed);
  wire.set_state(Encode(run.state));
  wire.set_attempt(run.attempt);
  if (run.result) *wire.mutable_result() = Encode(*run.result);
  wire.set_failure(run.failure);
  return wire;
}

Result<Run> Decode(const v1::Run& wire) {
  FieldReader read("run");
  Run run{.id = read.Key<RunId>("id", wire.id()),
          .policy = read.Name("policy", wire.policy()),
          .revision = read.OptionalName("revision", wire.revision()),
          .variant = read.Text("variant", wire.variant()),
          .topology = read.Name("topology", wire.topology()),
          .workload = read.Name("workload", wire.workload()),
          .repetition = read.Number32("repetition", wire.repetition(), 0, kMaxRepetitions),
          .seed = read.Count("seed", wire.seed()),
          .state = read.Value("state", Decode(wire.state())),
          .attempt = read.Number32("attempt", wire.attempt(), 0, INT32_MAX),
          .result = {},
          .failure = read.Text("failure", wire.failure())};
  if (wire.has_result()) run.result = read.Rooted(Decode(wire.result()));
  return read.Finish(std::move(run));
}

}  // namespace schedlab::rpc
