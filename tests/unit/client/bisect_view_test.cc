#include "client/bisect_view.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "client/bisect_document.h"
#include "tests/support/sample_values.h"

namespace schedlab::client {
namespace {

Campaign Ended(BisectionOutcome outcome) {
  Campaign bisection = testing::SampleBisection();
  std::get<BisectionAnswer>(*bisection.answer).outcome = outcome;
  return bisection;
}

Campaign Running() {
  Campaign bisection = testing::SampleBisection();
  BisectionAnswer& answer = std::get<BisectionAnswer>(*bisection.answer);
  answer.outcome.reset();
  answer.culprits.clear();
  answer.smallest_set.clear();
  bisection.state = CampaignState::kRunning;
  return bisection;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(BisectViewTest, AnAnswerNamesTheCommitItsProbabilityAndItsStep) {
  const std::string text = RenderBisection(Ended(BisectionOutcome::kCulprit), false);

  EXPECT_TRUE(Has(text, "\nbbb  sched: Rework it\n")) << text;
  EXPECT_TRUE(Has(text, "97 %, confirmed by fresh runs beside its parent")) << text;
  EXPECT_TRUE(Has(text, "-25.0 % (-27.0 % to -23.0 % with 95 %), 98 % of the difference")) << text;
  EXPECT_TRUE(Has(text, "smallest set  2 commits with 95 %")) << text;
  EXPECT_TRUE(Has(text, "bbb: it does not boot")) << text;
  EXPECT_TRUE(Has(text, "2 rounds and 22 new runs")) << text;
}

TEST(BisectViewTest, ProgressIsTheLikeliestCommitsInOneLine) {
  EXPECT_EQ(DescribeBisectionRound(Running()), "round 2: 15 runs; 60 % bbb, 37 % ccc");
  EXPECT_TRUE(Has(RenderBisection(Running(), false), "first bad so far: 60 % bbb, 37 % ccc\n"));
}

TEST(BisectViewTest, InOneLineItIsTheAnswerOrHowFarItIs) {
  Campaign without = Ended(BisectionOutcome::kNotReproduced);
  std::get<BisectionAnswer>(*without.answer).culprits.clear();
  std::get<BisectionAnswer>(*without.answer).reason = "the ends do not differ";
  Campaign failed = Running();
  failed.failure = "no\x1b such topology";

  EXPECT_TRUE(Has(DescribeBisection(Ended(BisectionOutcome::kCulprit)),
                  ": culprit: bbb (97 %, confirmed by fresh runs beside its parent); 22 new runs"))
      << DescribeBisection(Ended(BisectionOutcome::kCulprit));
  EXPECT_TRUE(Has(DescribeBisection(without), ": not reproduced: the ends do not differ; 22"));
  EXPECT_TRUE(Has(DescribeBisection(Running()), ": running, round 2, so far 60 % bbb, 37 % ccc;"));
  EXPECT_FALSE(Has(DescribeBisection(failed), "\x1b"));
}

TEST(BisectViewTest, ABisectionBeforeItsFirstRunsHasNothingToTell) {
  Campaign bisection = Running();
  bisection.answer.reset();

  EXPECT_EQ(DescribeBisectionRound(bisection), "round 2: 15 runs");
  EXPECT_FALSE(Has(RenderBisection(bisection, false), "first bad"));
}

TEST(BisectViewTest, ControlCharactersOfASubjectAreShown) {
  Campaign bisection = Ended(BisectionOutcome::kCulprit);
  std::get<BisectionAnswer>(*bisection.answer).culprits[0].revision.subject = "a\x1b[2Jb";

  EXPECT_FALSE(Has(RenderBisection(bisection, false), "\x1b"));
}

TEST(BisectViewTest, WhatDidNotTellIsInconclusive) {
  EXPECT_EQ(ResultOf(Ended(BisectionOutcome::kCulprit)), ExitCode::kOk);
  EXPECT_EQ(ResultOf(Ended(BisectionOutcome::kGradual)), ExitCode::kOk);
  EXPECT_EQ(ResultOf(Ended(BisectionOutcome::kNotReproduced)), ExitCode::kInconclusive);
  EXPECT_EQ(ResultOf(Ended(BisectionOutcome::kUndecided)), ExitCode::kInconclusive);
}

TEST(BisectViewTest, WhatDidNotFinishIsAFailureOfTheInfrastructure) {
  Campaign bisection = Ended(BisectionOutcome::kCulprit);
  bisection.state = CampaignState::kCancelled;

  EXPECT_EQ(ResultOf(bisection), ExitCode::kInfrastructure);
}

TEST(BisectViewTest, TheDocumentHasEveryNumber) {
  const auto document = nlohmann::json::parse(BisectionDocument(testing::SampleBisection()));

  EXPECT_EQ(document.at("commit_count"), 12);
  EXPECT_EQ(document.at("answer").at("outcome"), "skipped_range");
  EXPECT_EQ(document.at("answer").at("culprits").at(0).at("step"), -0.25);
  EXPECT_EQ(document.at("answer").at("runs").at(0).at("failed_count"), 3);
}

}  // namespace
}  // namespace schedlab::client
