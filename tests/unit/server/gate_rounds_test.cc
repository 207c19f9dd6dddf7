#include "server/campaigns/gate_rounds.h"

#include <gtest/gtest.h>

#include "tests/unit/server/gate_farm.h"

namespace schedlab::server {
namespace {

class GateRoundsTest : public ::testing::Test {
 protected:
  GateRoundsTest() {
    farm_.gate.question.suite.workloads.push_back({.workload = "spinners", .parameters = {}});
    farm_.gate.question.suite.metrics.clear();
    suite_ = *ExpandGate(farm_.catalog, farm_.gate);
  }

  std::vector<JobSpec> Jobs(const std::vector<ArmTarget>& targets) const {
    return JobsOf(suite_, farm_.gate.sides, targets);
  }

  GateFarm farm_;
  GateSuite suite_;  // arms: kvm-16x1 under fs_mark, spinners; kvm-1x16 under fs_mark, spinners
};

TEST_F(GateRoundsTest, EqualTargetsOfAllScenariosAreOneJob) {
  const std::vector<JobSpec> jobs = Jobs({{.arm = 0, .repetitions = {3, 3}},
                                          {.arm = 1, .repetitions = {3, 3}},
                                          {.arm = 2, .repetitions = {3, 3}},
                                          {.arm = 3, .repetitions = {3, 3}}});

  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].topologies.size(), 2U);
  EXPECT_EQ(jobs[0].workloads.size(), 2U);
  EXPECT_EQ(jobs[0].repetitions, 3);
}

TEST_F(GateRoundsTest, UnevenSidesAreAJobEach) {
  const std::vector<JobSpec> jobs = Jobs({{.arm = 0, .repetitions = {5, 6}}});

  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].repetitions, 5);
  EXPECT_EQ(jobs[0].policies.at(0).revisions, farm_.gate.sides.baseline.id);
  EXPECT_EQ(jobs[1].repetitions, 6);
  EXPECT_EQ(jobs[1].policies.at(0).revisions, farm_.gate.sides.candidate.id);
}

TEST_F(GateRoundsTest, ASideWithoutATargetIsLeftAlone) {
  const std::vector<JobSpec> jobs = Jobs({{.arm = 3, .repetitions = {0, 4}}});

  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].policies.size(), 1U);
  EXPECT_EQ(jobs[0].policies.at(0).revisions, farm_.gate.sides.candidate.id);
  EXPECT_EQ(jobs[0].topologies, std::vector<std::string>{"kvm-1x16"});
  EXPECT_EQ(jobs[0].workloads.at(0).workload, "spinners");
}

TEST_F(GateRoundsTest, NoJobRunsAScenarioThatNobodyAskedFor) {
  const std::vector<JobSpec> jobs =
      Jobs({{.arm = 0, .repetitions = {3, 3}}, {.arm = 3, .repetitions = {3, 3}}});

  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].topologies.size() * jobs[0].workloads.size(), 1U);
  EXPECT_EQ(jobs[1].topologies.size() * jobs[1].workloads.size(), 1U);
}

}  // namespace
}  // namespace schedlab::server
