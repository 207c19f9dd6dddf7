#include "tests/contract/analysis_fixture.h"

#include <fmt/format.h>

#include <map>

namespace schedlab::testing {

Job AnalysisFixture::Create(const JobShape& shape) {
  return ValueOf(jobs_.CreateJob(MakeJob(shape))).job;
}

Job AnalysisFixture::Execute(const JobShape& shape) {
  const Job job = Create(shape);
  std::map<std::string, double> base;
  for (const std::string& revision : shape.revisions) {
    base.emplace(revision, 100.0 * static_cast<double>(base.size() + 1));
  }
  std::map<RunId, double> expected;
  for (const ::schedlab::Run& run :
       ValueOf(jobs_.ListRuns(job.id, {.size = 1000, .token = ""})).items) {
    expected.emplace(run.id, base.at(run.revision) + run.repetition);
  }
  std::vector<AttemptReport> reports;
  for (const Lease& lease : ValueOf(jobs_.AcquireLeases(MakeWorker("w1"), 1000)).leases) {
    reports.push_back(Succeeded(lease, expected.at(lease.attempt.run)));
  }
  ValueOf(jobs_.CompleteAttempts("w1", reports));
  return ValueOf(jobs_.GetJob(job.id));
}

server::SeriesPoints AnalysisFixture::HeadlineOf(JobId job) {
  const std::vector<server::SeriesPoints> series = SeriesOf(job);
  EXPECT_EQ(series.size(), 1U);
  return series.empty() ? server::SeriesPoints() : series.front();
}

StoredChangePoint AnalysisFixture::ChangeAt(const server::SeriesPoints& series, std::size_t index) {
  StoredChangePoint change;
  change.revision = series.points.at(index).revision;
  change.previous = series.points.at(index - 1).revision;
  change.interval_first = change.revision;
  change.interval_last = change.revision;
  change.relative_change = -1.0 / 3.0;
  change.effect_sd = -12.5;
  change.p_value = 1e-9;
  change.is_regression = true;
  change.before = {
      .count = 2, .mean = 0.1, .stddev = 0.2, .median = 0.3, .minimum = 0.4, .maximum = 0.5};
  change.after = {
      .count = 1, .mean = 1.1, .stddev = {}, .median = 1.1, .minimum = 1.1, .maximum = 1.1};
  return change;
}

Alert AnalysisFixture::AlertAt(const server::SeriesPoints& series, std::size_t index) {
  const StoredChangePoint change = ChangeAt(series, index);
  Alert alert;
  alert.project = series.series.key.project;
  alert.policy = series.series.key.policy;
  alert.revision = change.revision;
  alert.previous = change.previous;
  alert.interval_first = change.interval_first;
  alert.interval_last = change.interval_last;
  alert.cells.push_back({.series = series.series,
                         .change = change,
                         .recovered = {},
                         .recovered_relative_change = {},
                         .counters = {{.metric = "idle_ratio",
                                       .unit = "ratio",
                                       .before = 0,
                                       .after = 0.3,
                                       .relative_change = {},
                                       .effect_sd = 4}},
                         .previous_run = {},
                         .revision_run = {}});
  return alert;
}

server::AnalysisOutcome AnalysisFixture::OutcomeOf(const server::SeriesPoints& series,
                                                   const std::vector<Alert>& alerts) {
  server::AnalysisOutcome outcome;
  outcome.change_points.push_back({.series = series.series.id, .change_points = {}});
  for (const Alert& alert : alerts) {
    outcome.change_points.back().change_points.push_back(alert.cells.front().change);
  }
  outcome.alerts = alerts;
  return outcome;
}

std::vector<Alert> AnalysisFixture::Alerts() {
  return ValueOf(store_.ListAlerts("", std::nullopt, {})).items;
}

server::AnalysisClaim AnalysisFixture::Claim(JobId job) {
  database_.Query(
      "UPDATE jobs SET analyzed_at = coalesce(analyzed_at, now()), "
      "analysis_claimed_until = NULL");
  database_.Query(fmt::format("UPDATE jobs SET analyzed_at = NULL WHERE id = {}", job.value));
  return ValueOf(store_.ClaimFinishedJob()).value_or(server::AnalysisClaim());
}

Status AnalysisFixture::Store(JobId job, const server::AnalysisOutcome& outcome) {
  const server::AnalysisClaim claim = Claim(job);
  return store_.StoreAnalysis(claim, ValueOf(store_.ReadSeriesOfJob(job)).generation, outcome);
}

std::vector<server::SeriesPoints> AnalysisFixture::SeriesOf(JobId job) {
  return ValueOf(store_.ReadSeriesOfJob(job)).series;
}

}  // namespace schedlab::testing
