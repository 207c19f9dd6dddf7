#include "tests/support/builders.h"

#include "core/spec_json.h"

namespace schedlab::testing {
namespace {

constexpr const char* kPolicy = "linux-fair";

std::vector<MetricSpec> Metrics() {
  return {{.name = "files_per_sec",
           .unit = "files/s",
           .direction = Direction::kHigherIsBetter,
           .role = MetricRole::kHeadline,
           .meaning = "Files written per second.",
           .minimum_effect = 0.03},
          {.name = "cpu_time_per_op_ns",
           .unit = "ns",
           .direction = Direction::kLowerIsBetter,
           .role = MetricRole::kCounter,
           .meaning = "CPU time per file."},
          {.name = "idle_ratio",
           .unit = "ratio",
           .direction = Direction::kLowerIsBetter,
           .role = MetricRole::kCounter,
           .meaning = "Idle time over all time."}};
}

Scenario ScenarioOn(const std::string& topology_name) {
  Scenario scenario;
  scenario.topology.name = topology_name;
  scenario.topology.cpus = {Cpu{}};
  scenario.topology.node_distances = {{10}};
  scenario.workload = {.name = "fs_mark", .parameters = {{"writer_count", 16}}};
  scenario.duration_ns = 1'000'000;
  return scenario;
}

JobSpec SpecOfShape(const JobShape& shape) {
  JobSpec spec;
  spec.project = shape.project;
  spec.suite = "test";
  for (const std::string& revision : shape.revisions) {
    spec.policies.push_back({.policy = kPolicy, .revisions = revision, .switches = {}});
  }
  spec.topologies = shape.topologies;
  spec.workloads = {{.workload = "fs_mark", .parameters = {{"writer_count", 16}}}};
  spec.repetitions = shape.repetitions;
  spec.salt = shape.salt;
  return spec;
}

void AddRevisions(const JobShape& shape, ExpandedJob& job) {
  for (const std::string& id : shape.revisions) {
    Revision revision;
    revision.id = id;
    revision.aliases = {"v-" + id.substr(0, 2)};
    revision.ordinal = static_cast<std::int64_t>(job.revisions.size());
    revision.date = "2013-08-21";
    revision.subject = "sched: change \"" + id + "\"";
    job.revisions.push_back(revision);
    job.policies.push_back(
        {.name = kPolicy, .revision = id, .variant = "", .switches = {{"idle_buddy", "true"}}});
  }
}

void PlanRuns(const JobShape& shape, ExpandedJob& job) {
  for (std::size_t policy = 0; policy < job.policies.size(); ++policy) {
    for (std::size_t scenario = 0; scenario < job.scenarios.size(); ++scenario) {
      for (std::int32_t repetition = 0; repetition < shape.repetitions; ++repetition) {
        PlannedRun run = {.policy_index = policy,
                          .scenario_index = scenario,
                          .repetition = repetition,
                          .seed = SeedOf({.salt = shape.salt,
                                          .policy = kPolicy,
                                          .revision = job.policies[policy].revision,
                                          .variant = "",
                                          .scenario_digest = job.scenario_digests[scenario],
                                          .repetition = repetition}),
                          .key = {}};
        run.key = RunKey({.engine_version = job.engine_version,
                          .policy_json = ToJson(job.policies[policy]),
                          .scenario_digest = job.scenario_digests[scenario],
                          .seed = run.seed});
        job.runs.push_back(run);
      }
    }
  }
}

}  // namespace

server::NewJob MakeJob(const JobShape& shape) {
  server::NewJob job;
  job.request_id = shape.request_id;
  job.spec = SpecOfShape(shape);
  job.content_digest = Sha256Hex(ToJson(job.spec));
  job.expanded.engine_version = shape.engine_version;
  AddRevisions(shape, job.expanded);
  for (const std::string& topology : shape.topologies) {
    job.expanded.scenarios.push_back(ScenarioOn(topology));
    job.expanded.scenario_digests.push_back(ScenarioDigest(job.expanded.scenarios.back()));
  }
  job.expanded.metrics = Metrics();
  job.expanded.judged_metrics = shape.judged_metrics;
  PlanRuns(shape, job.expanded);
  return job;
}

WorkerIdentity MakeWorker(const std::string& name) {
  return {.name = name,
          .incarnation = name + "-1",
          .build_version = "0.1.0",
          .executors = {Executor::kSim},
          .engine_version = "1",
          .slot_count = 4,
          .is_draining = false};
}

RunResult MakeResult(double files_per_sec) {
  return {.digest = 0xfedc'ba98'7654'3210,
          .event_count = 1234,
          .simulated_ns = 1'000'000,
          .metrics = {{"files_per_sec", files_per_sec},
                      {"cpu_time_per_op_ns", 0.1 + files_per_sec},
                      {"idle_ratio", 1.0 / 3.0}}};
}

AttemptReport Succeeded(const Lease& lease, double files_per_sec) {
  return {.attempt = lease.attempt, .outcome = MakeResult(files_per_sec)};
}

AttemptReport Failed(const Lease& lease, const std::string& message) {
  return {.attempt = lease.attempt,
          .outcome = AttemptFailure{.message = message, .is_retryable = false}};
}

AttemptReport FailedForNow(const Lease& lease, const std::string& message) {
  return {.attempt = lease.attempt,
          .outcome = AttemptFailure{.message = message, .is_retryable = true}};
}

}  // namespace schedlab::testing
