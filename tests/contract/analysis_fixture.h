#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/store/analysis_store.h"
#include "server/store/postgres_job_store.h"
#include "tests/support/builders.h"
#include "tests/support/test_database.h"

namespace schedlab::testing {

// A database whose jobs are executed by the test: a run of the revision with ordinal o and
// repetition r measures 100 * (o + 1) + r files per second.
class AnalysisFixture : public ::testing::Test {
 protected:
  Job Create(const JobShape& shape);
  // Creates the job and completes its runs.
  Job Execute(const JobShape& shape);
  // The only headline series of a job with one topology.
  server::SeriesPoints HeadlineOf(JobId job);
  // A regression between two neighbouring points.
  static StoredChangePoint ChangeAt(const server::SeriesPoints& series, std::size_t index);
  // An alert about one change of one series.
  static Alert AlertAt(const server::SeriesPoints& series, std::size_t index);
  static server::AnalysisOutcome OutcomeOf(const server::SeriesPoints& series,
                                           const std::vector<Alert>& alerts);
  std::vector<Alert> Alerts();
  // Claims the job, again if it was analysed before.
  server::AnalysisClaim Claim(JobId job);
  // Stores what an analysis of the job, done just now, found.
  Status Store(JobId job, const server::AnalysisOutcome& outcome);
  std::vector<server::SeriesPoints> SeriesOf(JobId job);

  template <class T>
  static T ValueOf(Result<T> result) {
    if (result) return std::move(*result);
    ADD_FAILURE() << result.error().message;
    return T();
  }

  TestDatabase database_{SchemaOf::kServer};
  server::ConnectionPool pool_{database_.pool_options()};
  server::PostgresJobStore jobs_{pool_};
  server::AnalysisStore store_{pool_};
};

}  // namespace schedlab::testing
