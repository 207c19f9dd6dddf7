#include "server/campaigns/gate_sides.h"

#include <gtest/gtest.h>

#include "tests/unit/server/gate_farm.h"

namespace schedlab::server {
namespace {

constexpr const char* kParent = "95a79b805b935f4a7b685aa8a117d916c638323e";
constexpr const char* kRelease = "6e4664525b1db28f8c4e1130957f70a94c19213e";  // v3.11, 5 before

class GateSidesTest : public ::testing::Test {
 protected:
  Result<GateSides> Resolve() {
    return ResolveSides(farm_.catalog, question_, [this](const MeasuredSearch& search) {
      searched_ = search;
      return Result<std::optional<std::string>>(newest_);
    });
  }

  GateFarm farm_;
  GateQuestion question_ = farm_.gate.question;
  std::optional<std::string> newest_;
  MeasuredSearch searched_;
};

TEST_F(GateSidesTest, TheMergeBaseOfACommitOfALineIsItsParentAndSaysSo) {
  question_.baseline_rule = BaselineRule::kMergeBase;

  const Result<GateSides> sides = Resolve();

  ASSERT_TRUE(sides) << sides.error().message;
  EXPECT_EQ(sides->baseline.id, kParent);
  EXPECT_EQ(sides->rule_taken, BaselineRule::kParent);
  EXPECT_EQ(sides->commits_back, 1);
}

TEST_F(GateSidesTest, TheNewestMeasuredIsAskedOfTheStore) {
  question_.baseline_rule = BaselineRule::kNewestMeasured;
  newest_ = kRelease;

  const Result<GateSides> sides = Resolve();

  ASSERT_TRUE(sides) << sides.error().message;
  EXPECT_EQ(sides->baseline.id, kRelease);
  EXPECT_EQ(sides->rule_taken, BaselineRule::kNewestMeasured);
  EXPECT_EQ(sides->commits_back, 5);
  EXPECT_EQ(searched_.policy, "linux-fair");
  EXPECT_EQ(searched_.scenario_digests.size(), 2U);
}

TEST_F(GateSidesTest, WithoutAMeasuredRevisionItSaysWhatToDo) {
  question_.baseline_rule = BaselineRule::kNewestMeasured;

  const Result<GateSides> sides = Resolve();

  ASSERT_FALSE(sides);
  EXPECT_EQ(sides.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(sides.error().message.find("name a baseline"), std::string::npos);
}

TEST_F(GateSidesTest, ANamedBaselineMayBeAnyRevision) {
  question_.baseline_rule = BaselineRule::kExplicit;
  question_.baseline = "v3.11";

  const Result<GateSides> sides = Resolve();

  ASSERT_TRUE(sides) << sides.error().message;
  EXPECT_EQ(sides->baseline.id, kRelease);
  EXPECT_EQ(sides->commits_back, 5);
}

TEST_F(GateSidesTest, TheFirstCommitOfAHistoryHasNoParent) {
  question_.candidate = "v3.11";

  const Result<GateSides> sides = Resolve();

  ASSERT_FALSE(sides);
  EXPECT_EQ(sides.error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(GateSidesTest, ACandidateIsNotItsOwnBaseline) {
  question_.baseline_rule = BaselineRule::kExplicit;
  question_.baseline = question_.candidate;

  const Result<GateSides> sides = Resolve();

  ASSERT_FALSE(sides);
  EXPECT_EQ(sides.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(GateSidesTest, AnEvaluationOfItselfHasOneRevisionOnBothSides) {
  question_.baseline_rule = BaselineRule::kItself;

  const Result<GateSides> sides = Resolve();

  ASSERT_TRUE(sides) << sides.error().message;
  EXPECT_EQ(sides->baseline, sides->candidate);
  EXPECT_EQ(sides->rule_taken, BaselineRule::kItself);
  EXPECT_EQ(sides->commits_back, 0);
  question_.suite.seed_mode = SeedMode::kPaired;
  EXPECT_EQ(Resolve().error().code, ErrorCode::kInvalidArgument);
}

TEST_F(GateSidesTest, ASuiteWithoutAHistoryIsRefused) {
  question_.suite.policies = {{.policy = "oracle", .revisions = "", .switches = {}}};

  const Result<GateSides> sides = Resolve();

  ASSERT_FALSE(sides);
  EXPECT_EQ(sides.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(GateSidesTest, EveryPolicyMustHaveBothRevisions) {
  question_.suite.policies.push_back({.policy = "linux-fair-3.4", .revisions = "", .switches = {}});

  const Result<GateSides> sides = Resolve();

  ASSERT_FALSE(sides);
  EXPECT_NE(sides.error().message.find("linux-fair-3.4"), std::string::npos);
}

}  // namespace
}  // namespace schedlab::server
