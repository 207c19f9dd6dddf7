#include "client/gate_view.h"

#include <gtest/gtest.h>

#include "tests/support/sample_values.h"

namespace schedlab::client {
namespace {

// A gate that has ended, with one row of the verdict.
Campaign GateWith(Verdict verdict) {
  Campaign gate = testing::SampleCampaign();
  GateAnswer answer = std::get<GateAnswer>(*gate.answer);
  answer.end = GateEnd::kDecided;
  answer.rows.resize(1);
  answer.rows[0].verdict = verdict;
  answer.unmeasured.clear();
  gate.answer = answer;
  return gate;
}

Campaign WithUnmeasured(Campaign gate, bool has_failed) {
  GateAnswer answer = std::get<GateAnswer>(*gate.answer);
  answer.unmeasured = std::get<GateAnswer>(*testing::SampleCampaign().answer).unmeasured;
  answer.unmeasured[0].has_failed = has_failed;
  gate.answer = answer;
  return gate;
}

TEST(GateViewTest, TheVerdictOfAGateIsThatOfItsMetrics) {
  EXPECT_EQ(VerdictOf(GateWith(Verdict::kWorse)), ExitCode::kRegression);
  EXPECT_EQ(VerdictOf(GateWith(Verdict::kNoChange)), ExitCode::kOk);
  EXPECT_EQ(VerdictOf(GateWith(Verdict::kBetter)), ExitCode::kOk);
  EXPECT_EQ(VerdictOf(GateWith(Verdict::kUndecided)), ExitCode::kInconclusive);
}

TEST(GateViewTest, WhatFailedIsNotPassed) {
  EXPECT_EQ(VerdictOf(WithUnmeasured(GateWith(Verdict::kNoChange), true)),
            ExitCode::kInfrastructure);
  EXPECT_EQ(VerdictOf(WithUnmeasured(GateWith(Verdict::kNoChange), false)),
            ExitCode::kInconclusive);
  EXPECT_EQ(VerdictOf(WithUnmeasured(GateWith(Verdict::kWorse), true)), ExitCode::kRegression);
}

TEST(GateViewTest, AGateThatDidNotFinishIsNotPassed) {
  Campaign gate = GateWith(Verdict::kNoChange);
  gate.state = CampaignState::kCancelled;

  EXPECT_EQ(VerdictOf(gate), ExitCode::kInfrastructure);
}

TEST(GateViewTest, CountersStandApartAndAreNoVerdict) {
  Campaign gate = GateWith(Verdict::kNoChange);  // its counter is worse

  const std::string text = RenderGate(gate, false);

  EXPECT_LT(text.find("no change"), text.find("counters that moved where something is worse"));
  EXPECT_LT(text.find("counters that moved"), text.find(".idle_ratio"));
  EXPECT_EQ(VerdictOf(gate), ExitCode::kOk);
}

TEST(GateViewTest, SaysWhichBaselineWasTakenAndWhatItCost) {
  const Campaign gate = GateWith(Verdict::kWorse);

  const std::string text = RenderGate(gate, false);

  EXPECT_NE(text.find("decided after 2 rounds and 22 new runs"), std::string::npos) << text;
  EXPECT_NE(text.find("baseline aaa (explicit, 9 commits back)"), std::string::npos) << text;
}

}  // namespace
}  // namespace schedlab::client
