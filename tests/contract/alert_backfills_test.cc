#include "server/campaigns/alert_backfills.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/expansion.h"
#include "server/analyzer.h"
#include "server/job_content.h"
#include "tests/contract/campaign_fixture.h"

namespace schedlab::testing {
namespace {

constexpr std::int64_t kRunBudget = 200;
constexpr std::int64_t kCulpritOrdinal = 5;
constexpr const char* kCulprit = "23f0d2093c789e612185180c468fa09063834e87";

// fs_mark loses a fifth at one commit. The commits around it were not measured.
class AlertBackfillsTest : public CampaignFixture {
 protected:
  double Value(const RunSpec& spec) const override {
    const PolicyDefinition& policy = **catalog_.FindPolicy("linux-fair");
    const Revision& revision = **FindRevision(policy, spec.policy.revision);
    const bool is_worse = is_worse_ && revision.ordinal >= kCulpritOrdinal;
    return (1'000.0 + static_cast<double>(spec.seed % 7)) * (is_worse ? 0.8 : 1.0);
  }

  void Measure(std::int64_t first, std::int64_t last) {
    const PolicyDefinition& policy = **catalog_.FindPolicy("linux-fair");
    const auto id = [&policy](std::int64_t ordinal) {
      return policy.revisions.at(static_cast<std::size_t>(ordinal)).id;
    };
    const JobSpec spec = {
        .project = "linux",
        .suite = "measured",
        .policies = {{.policy = "linux-fair",
                      .revisions = id(first) + ".." + id(last),
                      .switches = {}}},
        .topologies = {"kvm-16x1"},
        .workloads = {{.workload = "fs_mark", .parameters = {{"iterations_count", 1}}}},
        .repetitions = 4,
        .salt = "",
        .metrics = {"files_per_sec"}};
    const ExpandedJob job = ValueOf(Expand(catalog_, spec));
    ValueOf(jobs_.CreateJob({.request_id = fmt::format("{}..{}", first, last),
                             .content_digest = server::ContentDigest(spec, job),
                             .spec = spec,
                             .expanded = job}));
    ExecuteQueued();
    Analyse();
  }

  void Analyse() {
    server::Analyzer analyzer(store_, log_, telemetry_, [] {});
    EXPECT_TRUE(analyzer.AnalyzeFinishedJobs({}));
  }

  server::AlertBackfills Backfills(std::int64_t run_budget = kRunBudget) {
    return server::AlertBackfills(catalog_, {campaigns_, store_, jobs_}, log_, run_budget,
                                  [this] { ++begun_count_; });
  }

  Alert OnlyAlert() {
    const std::vector<Alert> alerts = Alerts();
    EXPECT_EQ(alerts.size(), 1U);
    return alerts.empty() ? Alert() : ValueOf(store_.GetAlert(alerts.front().id));
  }

  // The alert once more, under another id.
  void RaiseAgain() {
    database_.Query(
        "INSERT INTO alerts (project, policy, variant, state, revision_id, previous_id, "
        "interval_first_id, interval_last_id, first_ordinal, last_ordinal) "
        "SELECT project, policy, variant, state, revision_id, previous_id, interval_first_id, "
        "interval_last_id, first_ordinal, last_ordinal FROM alerts");
    database_.Query(
        "INSERT INTO alert_cells (alert_id, series_id, revision_id, previous_id, "
        "interval_first_id, interval_last_id, relative_change, effect_sd, p_value, is_regression, "
        "before, after) SELECT (SELECT max(id) FROM alerts), series_id, revision_id, previous_id, "
        "interval_first_id, interval_last_id, relative_change, effect_sd, p_value, is_regression, "
        "before, after FROM alert_cells");
  }

  std::string CampaignCount() { return database_.Query("SELECT count(*) FROM campaigns"); }

  bool is_worse_ = true;
  int begun_count_ = 0;
};

TEST_F(AlertBackfillsTest, TheIntervalIsNarrowedToTheCommitThatFreshRunsConfirm) {
  Measure(0, 2);
  Measure(9, 11);
  const Alert before = OnlyAlert();
  ASSERT_NE(before.interval_first.id, before.interval_last.id);

  ASSERT_TRUE(Backfills().BeginOne());
  const Alert begun = OnlyAlert();
  ASSERT_TRUE(begun.backfill.has_value());
  const Campaign bisection = RunToItsEnd(*begun.backfill);
  Analyse();

  const auto& answer = std::get<BisectionAnswer>(bisection.answer.value());
  EXPECT_EQ(answer.outcome, BisectionOutcome::kCulprit);
  ASSERT_EQ(answer.culprits.size(), 1U);
  EXPECT_EQ(answer.culprits[0].revision.id, kCulprit);
  EXPECT_TRUE(answer.culprits[0].is_confirmed);
  const Alert after = OnlyAlert();
  EXPECT_EQ(after.id, before.id);
  EXPECT_EQ(after.state, AlertState::kOpen);
  EXPECT_EQ(after.revision.id, kCulprit) << "the runs of the bisection are results as all others";
  EXPECT_EQ(after.interval_first.id, after.interval_last.id);
}

TEST_F(AlertBackfillsTest, AnAlertOfOneCommitIsConfirmedByFreshRunsOfItAndItsParent) {
  Measure(2, 8);
  const Alert alert = OnlyAlert();
  ASSERT_EQ(alert.interval_first.id, alert.interval_last.id);

  ASSERT_TRUE(Backfills().BeginOne());
  const Campaign bisection = RunToItsEnd(OnlyAlert().backfill.value());

  const auto& answer = std::get<BisectionAnswer>(bisection.answer.value());
  ASSERT_EQ(answer.culprits.size(), 1U);
  EXPECT_EQ(answer.culprits[0].revision.id, alert.revision.id);
  EXPECT_TRUE(answer.culprits[0].is_confirmed);
  EXPECT_EQ(answer.runs.size(), 2U);
  EXPECT_GT(bisection.run_count, 0) << "not those that raised the alert";
}

TEST_F(AlertBackfillsTest, FreshRunsThatDoNotShowItSaySo) {
  Measure(2, 8);
  is_worse_ = false;

  ASSERT_TRUE(Backfills().BeginOne());
  const Campaign bisection = RunToItsEnd(OnlyAlert().backfill.value());

  EXPECT_EQ(std::get<BisectionAnswer>(bisection.answer.value()).outcome,
            BisectionOutcome::kNotReproduced);
}

TEST_F(AlertBackfillsTest, AnAlertIsBisectedOnceWhicheverCoordinatorIsFirst) {
  Measure(2, 8);
  {
    std::vector<std::jthread> coordinators;
    for (int i = 0; i < 3; ++i) {
      coordinators.emplace_back([this] {
        server::AlertBackfills backfills(catalog_, {campaigns_, store_, jobs_}, log_, kRunBudget,
                                         [] {});
        EXPECT_TRUE(backfills.BeginOne());
      });
    }
  }
  RunToItsEnd(OnlyAlert().backfill.value());
  ASSERT_TRUE(Backfills().BeginOne());

  EXPECT_EQ(CampaignCount(), "1");
  EXPECT_EQ(begun_count_, 0);
}

TEST_F(AlertBackfillsTest, AProjectHasOneAtATime) {
  Measure(2, 8);
  ASSERT_TRUE(Backfills().BeginOne());
  ASSERT_EQ(begun_count_, 1);
  RaiseAgain();

  ASSERT_TRUE(Backfills().BeginOne());
  EXPECT_EQ(begun_count_, 1) << "while the first is running";

  RunToItsEnd(CampaignId{1});
  ASSERT_TRUE(Backfills().BeginOne());
  EXPECT_EQ(begun_count_, 2);
}

TEST_F(AlertBackfillsTest, WhatIsClosedOrRecoveredOrOfAnotherEngineIsLeftAlone) {
  Measure(2, 8);
  const auto begin = [this] { ASSERT_TRUE(Backfills().BeginOne()); };

  database_.Query("UPDATE alerts SET state = 'dismissed'");
  begin();
  database_.Query("UPDATE alerts SET state = 'open', recovered_id = revision_id");
  begin();
  database_.Query("UPDATE alerts SET recovered_id = NULL");
  database_.Query("UPDATE series SET engine_version = 'older'");
  begin();
  EXPECT_EQ(CampaignCount(), "0");
  database_.Query(fmt::format("UPDATE series SET engine_version = '{}'", kEngineVersion));
  ASSERT_TRUE(Backfills(0).BeginOne());
  EXPECT_EQ(CampaignCount(), "0") << "without a budget";

  begin();
  EXPECT_EQ(CampaignCount(), "1");
}

TEST_F(AlertBackfillsTest, WhatCannotBeBisectedIsToldOnceAndHindersNoOther) {
  Measure(2, 8);
  database_.Query(
      "UPDATE jobs SET spec_json = replace(spec_json, 'iterations_count', 'no_such_parameter')");
  std::vector<std::string> lines;
  Log log(clock_, LogLevel::kWarn, [&lines](std::string_view line) { lines.emplace_back(line); });
  server::AlertBackfills backfills(catalog_, {campaigns_, store_, jobs_}, log, kRunBudget, [] {});

  ASSERT_TRUE(backfills.BeginOne());
  ASSERT_TRUE(backfills.BeginOne());

  EXPECT_EQ(CampaignCount(), "0");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("event=backfill_refused"), std::string::npos);
}

}  // namespace
}  // namespace schedlab::testing
