#include "core/expansion.h"

#include <gtest/gtest.h>

#include <set>

#include "core/limits.h"
#include "tests/unit/core/sample_catalog.h"

namespace schedlab {
namespace {

JobSpec Sample() {
  return {.project = "linux",
          .suite = "s",
          .policies = {{.policy = "fair", .revisions = "v1..v2", .switches = {}}},
          .topologies = {"duo", "quad"},
          .workloads = {{.workload = "spin", .parameters = {}, .duration_ns = 0}},
          .repetitions = 5,
          .salt = "",
          .metrics = {}};
}

ExpandedJob Expanded(const JobSpec& spec) { return Expand(testing::SampleCatalog(), spec).value(); }

TEST(ExpansionTest, RunsArePoliciesTimesScenariosTimesRepetitions) {
  const ExpandedJob job = Expanded(Sample());

  EXPECT_EQ(job.policies.size(), 3U);
  EXPECT_EQ(job.scenarios.size(), 2U);
  EXPECT_EQ(job.runs.size(), 30U);
  EXPECT_EQ(job.judged_metrics, (std::vector<std::string>{"ops_per_sec"}));
}

TEST(ExpansionTest, NoTwoRunsShareASeedOrAKey) {
  std::set<std::int64_t> seeds;
  std::set<std::string> keys;
  for (const PlannedRun& run : Expanded(Sample()).runs) {
    EXPECT_GE(run.seed, 0);
    seeds.insert(run.seed);
    keys.insert(run.key);
  }

  EXPECT_EQ(seeds.size(), 30U);
  EXPECT_EQ(keys.size(), 30U);
}

TEST(ExpansionTest, PairedRevisionsShareTheirSeedsRepetitionByRepetition) {
  JobSpec spec = Sample();
  spec.seed_mode = SeedMode::kPaired;
  const ExpandedJob job = Expanded(spec);

  // Runs are ordered by policy, scenario, repetition: ten a revision.
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(job.runs[i].seed, job.runs[i + 10].seed);
    EXPECT_NE(job.runs[i].key, job.runs[i + 10].key);
  }
}

TEST(ExpansionTest, AnotherSaltGivesOtherSeeds) {
  JobSpec spec = Sample();
  spec.salt = "again";

  EXPECT_NE(Expanded(spec).runs[0].seed, Expanded(Sample()).runs[0].seed);
}

TEST(ExpansionTest, ExpandingTwiceGivesTheSame) {
  EXPECT_EQ(Expanded(Sample()).runs[7].key, Expanded(Sample()).runs[7].key);
}

TEST(ExpansionTest, AnotherCostIsAnotherScenarioAndAnotherKey) {
  Catalog catalog = testing::SampleCatalog();
  const ExpandedJob before = Expand(catalog, Sample()).value();
  catalog.topologies[0].costs.ipi_ns += 1;
  const ExpandedJob after = Expand(catalog, Sample()).value();

  EXPECT_NE(before.scenario_digests[0], after.scenario_digests[0]);
  EXPECT_NE(before.runs[0].key, after.runs[0].key);
}

TEST(ExpansionTest, UnknownNamesAreNotFound) {
  const Catalog catalog = testing::SampleCatalog();
  JobSpec topology = Sample();
  topology.topologies = {"dou"};
  JobSpec policy = Sample();
  policy.policies[0].policy = "fare";
  JobSpec workload = Sample();
  workload.workloads[0].workload = "spinn";
  JobSpec metric = Sample();
  metric.metrics = {"ops_per_second"};

  EXPECT_EQ(Expand(catalog, topology).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Expand(catalog, policy).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Expand(catalog, workload).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Expand(catalog, metric).error().code, ErrorCode::kNotFound);
}

TEST(ExpansionTest, ACounterCannotBeJudged) {
  JobSpec spec = Sample();
  spec.metrics = {"switches"};

  EXPECT_EQ(Expand(testing::SampleCatalog(), spec).error().message,
            "metric 'switches' is not a headline metric of the job's workloads; those are "
            "ops_per_sec");
}

TEST(ExpansionTest, AJobOfAnotherProjectIsRefused) {
  JobSpec spec = Sample();
  spec.project = "scx";

  EXPECT_EQ(Expand(testing::SampleCatalog(), spec).error().message,
            "policy 'fair' belongs to project 'linux', not to the job's project 'scx'");
}

TEST(ExpansionTest, AJobTooLargeIsRefusedWithItsSize) {
  JobSpec spec = Sample();
  spec.repetitions = kMaxRepetitions;
  for (std::int64_t tasks = 1; tasks <= 20; ++tasks) {
    spec.workloads.push_back(
        {.workload = "spin", .parameters = {{"tasks_count", tasks + 10}}, .duration_ns = 0});
  }
  const Error error = Expand(testing::SampleCatalog(), spec).error();

  EXPECT_EQ(error.code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(error.message,
            "the job has 126000 runs (3 policies x 42 scenarios x 1000 repetitions); at most "
            "100000 are allowed: split it");
}

TEST(ExpansionTest, ADocumentHasALimit) {
  JobSpec spec = Sample();
  spec.workloads.assign(1, {.workload = "script", .parameters = {}, .duration_ns = 0});

  spec.workloads[0].document.assign(kMaxDocumentBytes, ' ');
  EXPECT_TRUE(Expand(testing::SampleCatalog(), spec).has_value());

  spec.workloads[0].document.assign(kMaxDocumentBytes + 1, ' ');
  EXPECT_EQ(Expand(testing::SampleCatalog(), spec).error().message,
            "the document of workload script has 262145 bytes; at most 262144 are allowed");
}

TEST(ExpansionTest, TheDocumentsOfAJobHaveALimitTogether) {
  JobSpec spec = Sample();
  spec.workloads.assign(5, {.workload = "script", .parameters = {}, .duration_ns = 0});
  for (WorkloadSelection& one : spec.workloads) one.document.assign(kMaxDocumentBytes, ' ');

  EXPECT_EQ(Expand(testing::SampleCatalog(), spec).error().message,
            "the documents of the job's workloads have 1310720 bytes together; at most 1048576 are "
            "allowed");
}

TEST(ExpansionTest, TheSameScenarioTwiceIsRefused) {
  JobSpec spec = Sample();
  spec.topologies = {"duo", "duo"};

  EXPECT_EQ(Expand(testing::SampleCatalog(), spec).error().message,
            "the job names a scenario twice");
}

TEST(ExpansionTest, EmptyFieldsAreRefused) {
  const Catalog catalog = testing::SampleCatalog();
  JobSpec spec = Sample();
  spec.repetitions = 0;

  EXPECT_EQ(Expand(catalog, spec).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Expand(catalog, JobSpec{}).error().message, "the job names no project");
}

TEST(ExpansionTest, AYardstickRunsInEveryScenarioOnceForAllRevisions) {
  JobSpec spec = Sample();
  spec.yardsticks = {"ideal"};
  const ExpandedJob job = Expanded(spec);
  spec.policies[0].revisions = "v1";
  const ExpandedJob other = Expanded(spec);

  ASSERT_EQ(job.policies.size(), 4U);
  EXPECT_EQ(job.policies.back().name, "ideal");
  EXPECT_EQ(job.revisions.back().id, "");
  ASSERT_EQ(job.runs.size(), 40U);
  ASSERT_EQ(other.runs.size(), 20U);
  // The cache knows them whatever commits the job is about.
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(job.runs[30 + i].key, other.runs[10 + i].key);
}

TEST(ExpansionTest, AYardstickHasNoHistory) {
  JobSpec spec = Sample();
  spec.yardsticks = {"fair"};

  EXPECT_EQ(Expand(testing::SampleCatalog(), spec).error().message,
            "policy 'fair' has a history, so it is no yardstick: name one without, such as "
            "'oracle'");
}

TEST(ExpansionTest, DisturbancesBelongToTheScenario) {
  JobSpec spec = Sample();
  spec.topologies = {"quad"};
  const std::string quiet = Expanded(spec).scenario_digests[0];
  spec.workloads[0].hotplug = {{.at_ns = 5, .cpu = 3, .is_online = false}};
  spec.workloads[0].irq_sources = {{.cpu = 0, .period_ns = 100, .duration_ns = 7}};
  const ExpandedJob job = Expanded(spec);

  EXPECT_EQ(job.scenarios[0].hotplug, spec.workloads[0].hotplug);
  EXPECT_EQ(job.scenarios[0].irq_sources, spec.workloads[0].irq_sources);
  EXPECT_NE(job.scenario_digests[0], quiet);
}

TEST(ExpansionTest, ADisturbanceOfACpuThatATopologyLacksIsRefused) {
  JobSpec spec = Sample();
  spec.workloads[0].hotplug = {{.at_ns = 5, .cpu = 3, .is_online = false}};

  EXPECT_EQ(
      Expand(testing::SampleCatalog(), spec).error().message,
      "workload 'spin' on topology 'duo': CPU 3 goes offline at 5 ns: the machine has CPUs 0 to 1");
}

}  // namespace
}  // namespace schedlab
