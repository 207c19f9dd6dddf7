#include "client/repeat_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/engine_version.h"
#include "core/expansion.h"

namespace schedlab::client {
namespace {

// A short job of one revision, and the run of it that a worker would have stored.
class RepeatRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    spec_.project = "linux";
    spec_.policies = {{"linux-fair", "v3.11", {}}};
    spec_.topologies = {"kvm-1x16"};
    spec_.workloads = {{"spinners", {}, 50'000'000}};
    spec_.repetitions = 2;
    const Result<ExpandedJob> job = Expand(catalog_, spec_);
    ASSERT_TRUE(job.has_value()) << job.error().message;
    const PlannedRun& planned = job->runs.back();
    digest_ = job->scenario_digests.front();
    run_.policy = "linux-fair";
    run_.revision = job->revisions.front().id;
    run_.topology = "kvm-1x16";
    run_.workload = "spinners";
    run_.repetition = planned.repetition;
    run_.seed = planned.seed;
  }

  Result<RunSpec> Spec() { return SpecOfRun(catalog_, spec_, run_, digest_, kEngineVersion); }

  const Catalog catalog_ = *ParseCatalog(EmbeddedCatalogFiles());
  JobSpec spec_;
  schedlab::Run run_;
  std::string digest_;
};

TEST_F(RepeatRunTest, ARunComesOutAsItWasStored) {
  const Result<RunSpec> spec = Spec();
  ASSERT_TRUE(spec.has_value()) << spec.error().message;
  run_.result = RunResult();
  run_.result = RepeatRun(*spec, run_, {})->repeated;

  const Result<RepeatedRun> repeated = RepeatRun(*spec, run_, {});

  ASSERT_TRUE(repeated.has_value()) << repeated.error().message;
  EXPECT_TRUE(repeated->IsEqual());
  EXPECT_FALSE(repeated->repeated.metrics.empty());
}

TEST_F(RepeatRunTest, OneBitMakesADifference) {
  const Result<RunSpec> spec = Spec();
  ASSERT_TRUE(spec.has_value()) << spec.error().message;
  run_.result = RunResult();
  run_.result = RepeatRun(*spec, run_, {})->repeated;
  double& value = run_.result->metrics.begin()->second;
  value = std::nextafter(value, 1e300);

  EXPECT_FALSE(RepeatRun(*spec, run_, {})->IsEqual());
}

// As the jobs of a bisection do.
TEST_F(RepeatRunTest, AJobMayNameItsPolicyOnceForEachRevision) {
  spec_.policies = {{"linux-fair", "v3.11", {}}, {"linux-fair", "v3.12", {}}};

  const Result<RunSpec> spec = Spec();

  ASSERT_TRUE(spec.has_value()) << spec.error().message;
  EXPECT_EQ(spec->policy.revision, run_.revision);
  EXPECT_EQ(spec->seed, run_.seed);
}

TEST_F(RepeatRunTest, ASeedThatIsNotOfTheJobIsRefused) {
  run_.seed += 1;

  const Result<RunSpec> spec = Spec();

  ASSERT_FALSE(spec.has_value());
  EXPECT_EQ(spec.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(spec.error().message.find("plans no run of spinners on kvm-1x16"), std::string::npos);
}

TEST_F(RepeatRunTest, AnotherEngineVersionIsRefused) {
  const Result<RunSpec> spec = SpecOfRun(catalog_, spec_, run_, digest_, "0");

  ASSERT_FALSE(spec.has_value());
  EXPECT_NE(spec.error().message.find("engine version 0"), std::string::npos);
}

TEST(RepeatedMetricTest, AnAbsentValueIsNotEqual) {
  EXPECT_FALSE((RepeatedMetric{"a", 1.0, std::nullopt}).IsEqual());
  EXPECT_TRUE((RepeatedMetric{"a", 1.0, 1.0}).IsEqual());
  EXPECT_FALSE((RepeatedMetric{"a", 0.0, -0.0}).IsEqual());
}

}  // namespace
}  // namespace schedlab::client
