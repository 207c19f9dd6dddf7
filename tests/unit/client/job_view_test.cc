#include "client/job_view.h"

#include <gtest/gtest.h>

namespace schedlab::client {
namespace {

Job FailedJob() {
  Job job;
  job.id = JobId{12};
  job.spec.suite = "nightly";
  job.spec.project = "linux";
  job.state = JobState::kFailed;
  job.run_counts = {.succeeded = 9, .failed = 1};
  job.cached_run_count = 4;
  job.first_failure = "run 3: no such thing";
  return job;
}

TEST(RenderJobsTest, OneLineForEachJob) {
  EXPECT_EQ(RenderJobs({FailedJob()}),
            "id  state   runs  cached  failed  project  suite    created               analyzed\n"
            "12  failed  9/10       4       1  linux    nightly  1970-01-01T00:00:00Z  no\n");
}

TEST(RenderJobTest, SaysWhyItFailed) {
  schedlab::Run run;
  run.id = RunId{3};
  run.policy = "linux-fair";
  run.revision = "23f0d2093c789e612185";
  run.attempt = 2;
  run.result.emplace();
  run.result->digest = 0xabc;

  const std::string text = RenderJob(FailedJob(), {run});

  EXPECT_NE(text.find("first failure: run 3: no such thing\n"), std::string::npos);
  EXPECT_NE(text.find("linux-fair@23f0d2093c78"), std::string::npos);
  EXPECT_NE(text.find("0000000000000abc"), std::string::npos);
}

TEST(DescribeEndTest, ACancelledJobSaysHowManyRunsHadEnded) {
  Job job;
  job.state = JobState::kCancelled;
  job.run_counts = {.succeeded = 11, .failed = 1, .cancelled = 28};

  EXPECT_EQ(DescribeEnd(job), "12 of 40 runs had ended when it was cancelled");
}

TEST(DescribeEndTest, AFailedJobNamesItsFirstFailure) {
  EXPECT_EQ(DescribeEnd(FailedJob()), "1 of 10 runs failed; the first: run 3: no such thing");
}

}  // namespace
}  // namespace schedlab::client
