#include "tests/contract/analysis_fixture.h"

namespace schedlab::testing {
namespace {

using SeriesTest = AnalysisFixture;

const std::vector<std::string> kThreeRevisions = {"aaaaaaaa", "bbbbbbbb", "cccccccc"};

TEST_F(SeriesTest, ResultsBecomePointsInTheOrderOfRevisions) {
  const Job job = Execute({.revisions = {"cccccccc", "aaaaaaaa"}, .repetitions = 3});

  const server::SeriesPoints series = HeadlineOf(job.id);

  EXPECT_EQ(series.series.key.metric, "files_per_sec");
  EXPECT_EQ(series.series.unit, "files/s");
  EXPECT_EQ(series.series.role, MetricRole::kHeadline);
  EXPECT_EQ(series.series.minimum_effect, 0.03);
  EXPECT_EQ(series.series.point_count, 2);
  ASSERT_EQ(series.points.size(), 2U);
  EXPECT_EQ(series.points[0].revision.id, "cccccccc");
  EXPECT_EQ(series.points[0].revision.subject, "sched: change \"cccccccc\"");
  EXPECT_EQ(series.points[0].samples, (std::vector<double>{100, 101, 102}));
  EXPECT_EQ(series.points[1].samples, (std::vector<double>{200, 201, 202}));
}

TEST_F(SeriesTest, ASeriesGrowsWithTheJobsOfItsScenario) {
  Execute({.request_id = "a", .repetitions = 2});
  const Job second = Execute({.request_id = "b", .repetitions = 2, .salt = "more"});

  const server::SeriesPoints series = HeadlineOf(second.id);

  ASSERT_EQ(series.points.size(), 1U);
  EXPECT_EQ(series.points[0].samples.size(), 4U);
}

TEST_F(SeriesTest, APointNeverHoldsSamplesOfTwoPolicies) {
  Execute({.request_id = "a", .repetitions = 2});
  server::NewJob other = MakeJob({.request_id = "b", .repetitions = 1, .salt = "other"});
  other.expanded.policies.at(0).switches = {{"idle_buddy", "false"}};

  const JobId second = ValueOf(jobs_.CreateJob(other)).job.id;
  const Lease lease = ValueOf(jobs_.AcquireLeases(MakeWorker("w1"), 1)).leases.at(0);
  ValueOf(jobs_.CompleteAttempts("w1", std::vector{Succeeded(lease, 777)}));
  const server::SeriesPoints changed = HeadlineOf(second);
  const Job back = Create({.request_id = "c", .repetitions = 2});
  const server::SeriesPoints restored = HeadlineOf(back.id);

  ASSERT_EQ(changed.points.size(), 1U);
  EXPECT_EQ(changed.points[0].samples, std::vector<double>{777});
  ASSERT_EQ(restored.points.size(), 1U);
  EXPECT_EQ(restored.points[0].samples, (std::vector<double>{100, 101}));
}

TEST_F(SeriesTest, AnotherTopologyIsAnotherSeries) {
  const Job job = Execute({.topologies = {"kvm-16x1", "kvm-1x16"}});

  const auto series = SeriesOf(job.id);

  ASSERT_EQ(series.size(), 2U);
  EXPECT_NE(series[0].series.key.topology, series[1].series.key.topology);
}

TEST_F(SeriesTest, ACachedRunIsNotCountedTwice) {
  Execute({.request_id = "a"});
  const Job second = Execute({.request_id = "b"});

  EXPECT_EQ(second.cached_run_count, 1);
  EXPECT_EQ(HeadlineOf(second.id).points.at(0).samples.size(), 1U);
}

TEST_F(SeriesTest, SeriesAreListedByMetricAndTopologyInPages) {
  Execute({.topologies = {"kvm-1x16", "kvm-16x1"}});

  const auto first = ValueOf(store_.ListSeries({}, {.size = 4, .token = ""}));
  const auto second = ValueOf(store_.ListSeries({}, {.size = 4, .token = first.next_token}));

  ASSERT_EQ(first.items.size(), 4U);
  ASSERT_EQ(second.items.size(), 2U);
  EXPECT_EQ(first.items[0].key.metric, "cpu_time_per_op_ns");
  EXPECT_EQ(first.items[0].key.topology, "kvm-16x1");
  EXPECT_EQ(first.items[1].key.topology, "kvm-1x16");
  EXPECT_EQ(second.items[1].key.metric, "idle_ratio");
  EXPECT_EQ(second.next_token, "");
}

TEST_F(SeriesTest, SeriesAreFiltered) {
  Execute({.topologies = {"kvm-1x16", "kvm-16x1"}});

  const auto headline =
      ValueOf(store_.ListSeries({.topology = "kvm-1x16", .headline_only = true}, {}));
  const auto other_variant = ValueOf(store_.ListSeries({.variant = "idle_buddy=false"}, {}));

  ASSERT_EQ(headline.items.size(), 1U);
  EXPECT_EQ(headline.items[0].key.metric, "files_per_sec");
  EXPECT_TRUE(other_variant.items.empty());
}

TEST_F(SeriesTest, AnUnknownSeriesIsNotFound) {
  const auto series = store_.ReadSeries({4711});

  ASSERT_FALSE(series.has_value());
  EXPECT_EQ(series.error().code, ErrorCode::kNotFound);
}

TEST_F(SeriesTest, PairsHoldTheSamplesOfBothRevisions) {
  Execute({.revisions = kThreeRevisions, .repetitions = 2});

  const auto pairs = ValueOf(store_.ReadPairs({.metric = "files_per_sec"}, "aaaaaaaa", "cccccccc"));

  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].series.key.metric, "files_per_sec");
  EXPECT_EQ(pairs[0].baseline.values, (std::vector<double>{100, 101}));
  EXPECT_EQ(pairs[0].candidate.values, (std::vector<double>{300, 301}));
}

TEST_F(SeriesTest, PairsNameTheSeedsOfTheirSamples) {
  const Job job = Execute({.revisions = kThreeRevisions, .repetitions = 2});

  const auto pairs = ValueOf(store_.ReadPairs({.metric = "files_per_sec"}, "aaaaaaaa", "cccccccc"));

  const auto runs = ValueOf(jobs_.ListRuns(job.id, {.size = 1000, .token = ""})).items;
  ASSERT_EQ(runs.size(), 6U);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].baseline.seeds, (std::vector{runs[0].seed, runs[1].seed}));
  EXPECT_EQ(pairs[0].candidate.seeds, (std::vector{runs[4].seed, runs[5].seed}));
}

TEST_F(SeriesTest, APairMayHaveOneSideOnly) {
  Execute({.revisions = kThreeRevisions});

  const auto pairs = ValueOf(store_.ReadPairs({.metric = "files_per_sec"}, "dddddddd", "cccccccc"));

  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_TRUE(pairs[0].baseline.values.empty());
  EXPECT_EQ(pairs[0].candidate.values, std::vector<double>{300});
}

TEST_F(SeriesTest, ARevisionIsFoundByPrefixAliasAndParent) {
  Execute({.revisions = kThreeRevisions});

  EXPECT_EQ(ValueOf(store_.FindRevision("linux", "linux-fair", "bbbbbbb")).id, "bbbbbbbb");
  EXPECT_EQ(ValueOf(store_.FindRevision("linux", "", "v-cc")).id, "cccccccc");
  EXPECT_EQ(ValueOf(store_.FindRevision("linux", "", "v-cc~~")).id, "aaaaaaaa");
}

TEST_F(SeriesTest, ARevisionWithoutResultsIsNotFound) {
  Create({.revisions = kThreeRevisions});

  const auto revision = store_.FindRevision("linux", "", "bbbbbbbb");

  ASSERT_FALSE(revision.has_value());
  EXPECT_EQ(revision.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(revision.error().message, "revision bbbbbbbb has no results");
}

TEST_F(SeriesTest, AnUnknownOrFirstRevisionIsNotFound) {
  Execute({.revisions = kThreeRevisions});

  const auto unknown = store_.FindRevision("linux", "", "v9.9");
  const auto before_first = store_.FindRevision("linux", "", "aaaaaaaa~");

  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  ASSERT_FALSE(before_first.has_value());
  EXPECT_EQ(before_first.error().message, "no revision before aaaaaaaa has results");
}

TEST_F(SeriesTest, AnAmbiguousPrefixIsRefused) {
  Execute({.revisions = {"aaaaaaaa1", "aaaaaaaa2"}});

  const auto revision = store_.FindRevision("linux", "", "aaaaaaaa");

  ASSERT_FALSE(revision.has_value());
  EXPECT_EQ(revision.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(SeriesTest, DashboardsReadPointsAsTheReader) {
  Execute({.revisions = kThreeRevisions, .repetitions = 2});

  const std::string point = database_.Query(
      "SET ROLE schedlab_reader; SELECT concat_ws(' ', time, revision, ordinal, mean, n, unit, "
      "direction) FROM reporting.series_points WHERE metric = 'files_per_sec' AND ordinal = 1");
  const std::string queue = database_.Query(
      "SET ROLE schedlab_reader; SELECT string_agg(state || ' ' || count, ', ' ORDER BY state) "
      "FROM reporting.queue");

  EXPECT_EQ(point, "2013-08-21 00:00:00+00 bbbbbbbb 1 200.5 2 files/s higher_is_better");
  EXPECT_EQ(queue, "leased 0, queued 0");
}

TEST_F(SeriesTest, AMetricIsHeadlineFromTheFirstJobOnThatJudgesIt) {
  const Job narrow = Execute({.request_id = "narrow"});
  EXPECT_EQ(SeriesOf(narrow.id).size(), 1U);

  const Job wide =
      Execute({.request_id = "wide", .judged_metrics = {"cpu_time_per_op_ns", "files_per_sec"}});

  EXPECT_EQ(SeriesOf(wide.id).size(), 2U);
}

TEST_F(SeriesTest, PairsHoldWhatPoliciesWithoutAHistoryCameTo) {
  Execute({.request_id = "a", .revisions = kThreeRevisions, .repetitions = 2});
  server::NewJob beside = MakeJob({.request_id = "b", .revisions = {""}, .repetitions = 2});
  beside.expanded.policies.at(0).name = "oracle";
  const JobId job = ValueOf(jobs_.CreateJob(beside)).job.id;
  std::vector<AttemptReport> reports;
  for (const Lease& lease : ValueOf(jobs_.AcquireLeases(MakeWorker("w1"), 2)).leases) {
    reports.push_back(Succeeded(lease, 500));
  }
  ValueOf(jobs_.CompleteAttempts("w1", reports));

  const auto pairs = ValueOf(store_.ReadPairs({.policy = "linux-fair", .metric = "files_per_sec"},
                                              "aaaaaaaa", "cccccccc"));
  const auto its_own =
      ValueOf(store_.ReadPairs({.policy = "oracle", .metric = "files_per_sec"}, "", ""));

  ASSERT_EQ(ValueOf(jobs_.GetJob(job)).state, JobState::kSucceeded);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].candidate.values, (std::vector<double>{300, 301}));
  ASSERT_EQ(pairs[0].yardsticks.size(), 1U);
  EXPECT_EQ(pairs[0].yardsticks[0].policy, "oracle");
  EXPECT_EQ(pairs[0].yardsticks[0].values, (std::vector<double>{500, 500}));
  ASSERT_EQ(its_own.size(), 1U);
  EXPECT_TRUE(its_own[0].yardsticks.empty());  // other policies there have revisions
}

}  // namespace
}  // namespace schedlab::testing
