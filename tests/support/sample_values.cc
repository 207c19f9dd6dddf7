#include "tests/support/sample_values.h"

namespace schedlab::testing {
namespace {

using std::chrono::microseconds;

RevisionRef OnlyId(std::string id) {
  return {.id = std::move(id), .ordinal = 0, .subject = {}, .date = {}};
}

RevisionRef WithSubject(std::string id, std::string subject) {
  return {.id = std::move(id), .ordinal = 0, .subject = std::move(subject), .date = {}};
}

}  // namespace

Topology SampleTopology() {
  Topology topology;
  topology.name = "two-nodes";
  topology.description = "a machine for tests";
  for (std::int32_t cpu = 0; cpu < 4; ++cpu) {
    const std::int32_t node = cpu / 2;
    topology.cpus.push_back({.node = node,
                             .package = node,
                             .llc = node,
                             .core = cpu,
                             .thread = 0,
                             .capacity = 512,
                             .cluster = node});
  }
  topology.node_distances = {{10, 20}, {20, 10}};
  topology.tick_hz = 1000;
  topology.housekeeping_period_ns = 1'000'000'000;
  std::int64_t cost = 100;
  for (const CostField& field : kCostFields) topology.costs.*field.member = ++cost;
  return topology;
}

PolicySpec SamplePolicy() {
  return {.name = "linux-fair",
          .revision = "0123456789abcdef0123456789abcdef01234567",
          .variant = "wakeup=near",
          .switches = {{"wakeup", "near"}, {"slice", "3ms"}},
          .implementation = "linux-classes"};
}

RunSpec SampleRunSpec() {
  return {.executor = Executor::kSim,
          .engine_version = "7",
          .policy = SamplePolicy(),
          .scenario = {.topology = SampleTopology(),
                       .workload = {.name = "hackbench",
                                    .parameters = {{"group_count", 4}},
                                    .document = "{}"},
                       .duration_ns = 2'000'000'000,
                       .hotplug = {{.at_ns = 1'000, .cpu = 1, .is_online = false},
                                   {.at_ns = 2'000, .cpu = 1, .is_online = true}},
                       .irq_sources = {{.cpu = 1, .period_ns = 1'000, .duration_ns = 50}}},
          .seed = 42};
}

RunResult SampleRunResult() {
  return {.digest = 0x0123456789abcdef,
          .event_count = 1000,
          .simulated_ns = 2'000'000'000,
          .metrics = {{"elapsed_seconds", 1.25}, {"migration_count", 17}}};
}

JobSpec SampleJobSpec() {
  return {.project = "linux",
          .suite = "smoke",
          .executor = Executor::kSim,
          .policies = {{.policy = "linux-fair",
                        .revisions = "v3.11..v3.13",
                        .switches = {{"wakeup", "near"}}}},
          .topologies = {"two-nodes", "kvm-16x1"},
          .workloads = {{.workload = "hackbench",
                         .parameters = {{"group_count", 4}},
                         .duration_ns = 1'000'000'000,
                         .document = "{}",
                         .hotplug = {{.at_ns = 5, .cpu = 1, .is_online = false}},
                         .irq_sources = {{.cpu = 2, .period_ns = 9, .duration_ns = 4}}}},
          .repetitions = 5,
          .seed_mode = SeedMode::kPaired,
          .salt = "again",
          .metrics = {"elapsed_seconds"},
          .yardsticks = {"oracle"}};
}

Job SampleJob() {
  return {.id = JobId{7},
          .spec = SampleJobSpec(),
          .state = JobState::kFailed,
          .run_counts = {.queued = 1, .leased = 2, .succeeded = 3, .failed = 4, .cancelled = 5},
          .cached_run_count = 2,
          .created_at = WallTime(microseconds(1'700'000'000'123'456)),
          .finished_at = WallTime(microseconds(1'700'000'100'000'001)),
          .is_analyzed = true,
          .first_failure = "run 9: the workload is unknown",
          .analysis_failure = "the database refuses"};
}

Run SampleRun() {
  return {.id = RunId{9},
          .policy = "linux-fair",
          .revision = "0123456789ab",
          .variant = "wakeup=near",
          .topology = "two-nodes",
          .workload = "hackbench",
          .repetition = 3,
          .seed = 42,
          .state = RunState::kSucceeded,
          .attempt = 2,
          .result = SampleRunResult(),
          .failure = "lost once"};
}

WorkerIdentity SampleWorker() {
  return {.name = "rack1-sim",
          .incarnation = "a1b2",
          .build_version = "0.1.0",
          .executors = {Executor::kSim},
          .engine_version = "7",
          .slot_count = 8,
          .is_draining = true};
}

Series SampleSeries() {
  return {.id = SeriesId{11},
          .key = {.project = "linux",
                  .policy = "linux-fair",
                  .variant = "wakeup=near",
                  .topology = "two-nodes",
                  .workload = "hackbench",
                  .scenario_digest = "5d41402abc4b2a76",
                  .executor = Executor::kSim,
                  .engine_version = "7",
                  .metric = "elapsed_seconds"},
          .unit = "s",
          .direction = Direction::kLowerIsBetter,
          .role = MetricRole::kHeadline,
          .minimum_effect = 0,
          .point_count = 12};
}

SampleSummary SampleOfThree() {
  return {.count = 3, .mean = 2.5, .stddev = 0.5, .median = 2.25, .minimum = 2.125, .maximum = 3.0};
}

StoredChangePoint SampleChangePoint() {
  return {.revision = OnlyId("bbb"),
          .previous = OnlyId("aaa"),
          .interval_first = OnlyId("aab"),
          .interval_last = OnlyId("bbc"),
          .relative_change = 0.25,
          .effect_sd = 6.5,
          .p_value = 0.001,
          .is_regression = true,
          .before = SampleOfThree(),
          .after = {.count = 1, .mean = 1, .stddev = {}, .median = 1, .minimum = 1, .maximum = 1}};
}

Alert SampleAlert() {
  return {.id = AlertId{5},
          .project = "linux",
          .policy = "linux-fair",
          .state = AlertState::kResolved,
          .revision = WithSubject("bbb", "balance: look further"),
          .previous = OnlyId("aaa"),
          .interval_first = OnlyId("aab"),
          .interval_last = OnlyId("bbc"),
          .recovered = WithSubject("ccc", "balance: look less far"),
          .merged_into = AlertId{6},
          .backfill = CampaignId{9},
          .cells = {{.series = SampleSeries(),
                     .change = SampleChangePoint(),
                     .recovered = OnlyId("ccc"),
                     .recovered_relative_change = -0.01,
                     .counters = {{.metric = "migration_count",
                                   .unit = "1",
                                   .before = 10,
                                   .after = 20,
                                   .relative_change = 1.0,
                                   .effect_sd = 3}},
                     .previous_run = ExampleRun{.job = JobId{3}, .seed = 7},
                     .revision_run = ExampleRun{.job = JobId{4}, .seed = 8}}},
          .unchanged = {{.series = SampleSeries(),
                         .relative_change = 0.001,
                         .before = SampleOfThree(),
                         .after = SampleOfThree()}},
          .undecided = {{.series = SampleSeries(),
                         .relative_change = -0.02,
                         .before = SampleOfThree(),
                         .after = SampleOfThree()}},
          .not_run = {{.series = SampleSeries(), .last = OnlyId("aaa")}},
          .history = {{.at = WallTime(microseconds(1'700'000'000'000'000)),
                       .from = std::nullopt,
                       .to = AlertState::kOpen,
                       .who = "schedlab",
                       .why = "raised"},
                      {.at = WallTime(microseconds(1'700'000'000'000'001)),
                       .from = AlertState::kOpen,
                       .to = AlertState::kResolved,
                       .who = "ann@host",
                       .why = "reverted"}},
          .created_at = WallTime(microseconds(1'700'000'000'000'000))};
}

ChangeExplanation SampleExplanation() {
  return {.series = SampleSeries(),
          .revision = WithSubject("bbb", "balance: look further"),
          .reason = ChangeReason::kAnotherRevision,
          .points = {{.revision = {.id = "aaa", .ordinal = 1, .subject = "", .date = ""},
                      .samples = {1.0, 2.0}},
                     {.revision = {.id = "bbb", .ordinal = 2, .subject = "", .date = ""},
                      .samples = {}}},
          .step = ChangeStep{.before = SampleOfThree(),
                             .after = SampleOfThree(),
                             .relative_change = 0.25,
                             .effect_sd = 2,
                             .p_value = 0.5},
          .checks = {{.name = "minimum_effect", .value = 0.25, .limit = 0.5, .is_passed = false}},
          .change = SampleChangePoint(),
          .likelier = OnlyId("ccc"),
          .series_count = 7,
          .alerts = {SampleAlert()}};
}

ComparisonRow SampleComparisonRow() {
  return {.series = SampleSeries(),
          .baseline_samples = {1.0, 2.0},
          .candidate_samples = {2.0, 3.0, 4.0},
          .baseline = SampleOfThree(),
          .candidate = SampleOfThree(),
          .relative_change = 0.5,
          .interval = ChangeInterval{.low = 0.25, .high = 0.75},
          .p_value = 0.01,
          .verdict = Verdict::kWorse,
          .more_runs_needed = 4,
          .yardsticks = {{.policy = "oracle", .summary = SampleOfThree()}}};
}

Campaign SampleCampaign() {
  ComparisonRow row = SampleComparisonRow();
  row.yardsticks.clear();  // a gate has none
  ComparisonRow counter = row;
  counter.series.role = MetricRole::kCounter;
  counter.series.key.metric = "idle_ratio";
  return {.id = CampaignId{6},
          .project = "linux",
          .question = GateCampaign{.question = {.suite = SampleJobSpec(),
                                                .candidate = "v3.12",
                                                .baseline_rule = BaselineRule::kExplicit,
                                                .baseline = "v3.11",
                                                .false_discovery_rate = 0.1},
                                   .sides = {.baseline = WithSubject("aaa", "Linux 3.11"),
                                             .candidate = WithSubject("bbb", "Linux 3.12"),
                                             .rule_taken = BaselineRule::kExplicit,
                                             .commits_back = 9}},
          .state = CampaignState::kFinished,
          .round = 2,
          .run_budget = 100,
          .run_count = 22,
          .round_runs = {.queued = 1, .leased = 2, .succeeded = 3, .failed = 4, .cancelled = 5},
          .answer = GateAnswer{.end = GateEnd::kBudgetSpent,
                               .rows = {row},
                               .unmeasured = {{.policy = "linux-fair",
                                               .variant = "idle_buddy=false",
                                               .topology = "kvm-1x16",
                                               .workload = "fs_mark",
                                               .metric = "files_per_sec",
                                               .has_failed = true,
                                               .reason = "3 runs of the candidate failed"}},
                               .counters = {counter}},
          .failure = "",
          .jobs = {{.round = 1, .job = JobId{8}}, {.round = 2, .job = JobId{9}}},
          .created_at = WallTime(microseconds(1'700'000'000'000'000)),
          .updated_at = WallTime(microseconds(1'700'000'001'000'000)),
          .finished_at = WallTime(microseconds(1'700'000'002'000'000))};
}

Campaign SampleBisection() {
  const RevisionRef culprit = WithSubject("bbb", "sched: Rework it");
  const RevisionRef neighbour = WithSubject("ccc", "sched: Rework it again");
  JobSpec probe = SampleJobSpec();
  probe.policies.resize(1);
  probe.topologies.resize(1);
  probe.workloads.resize(1);
  Campaign campaign = SampleCampaign();
  campaign.question = BisectionCampaign{.question = {.probe = probe,
                                                     .metric = "files_per_sec",
                                                     .good = "v3.11",
                                                     .bad = "v3.12",
                                                     .worker_count = 8,
                                                     .direction = ChangeDirection::kDecrease,
                                                     .minimum_effect = 0.05,
                                                     .skipped = {"ddd"}},
                                        .range = {.good = WithSubject("aaa", "Linux 3.11"),
                                                  .bad = WithSubject("eee", "Linux 3.12"),
                                                  .commit_count = 12,
                                                  .unit = "files/s",
                                                  .metric_direction = Direction::kLowerIsBetter,
                                                  .minimum_effect = 0.05}};
  campaign.answer = BisectionAnswer{.outcome = BisectionOutcome::kSkippedRange,
                                    .reason = "the step is at one of 2 commits",
                                    .descends_into_merge = true,
                                    .culprits = {{.revision = culprit,
                                                  .candidates = {culprit, neighbour},
                                                  .smallest_set = {culprit, neighbour},
                                                  .probability = 0.97,
                                                  .is_confirmed = true,
                                                  .is_merge = true,
                                                  .step = -0.25,
                                                  .step_interval = {.low = -0.27, .high = -0.23},
                                                  .share = 0.98}},
                                    .smallest_set = {culprit, neighbour},
                                    .likeliest = {{.revision = culprit, .probability = 0.6},
                                                  {.revision = neighbour, .probability = 0.37}},
                                    .difference = -0.26,
                                    .difference_sd = -4,
                                    .runs = {{.revision = culprit,
                                              .count = 4,
                                              .mean = 750,
                                              .failed_count = 3,
                                              .is_skipped = true,
                                              .failure = "it does not boot"}}};
  return campaign;
}

}  // namespace schedlab::testing
