#include "core/campaign_json.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/sample_values.h"

namespace schedlab {
namespace {

TEST(CampaignJsonTest, KeepsAQuestion) {
  const CampaignQuestion question = testing::SampleCampaign().question;

  const Result<CampaignQuestion> read = CampaignQuestionFromJson(ToJson(question));

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, question);
}

TEST(CampaignJsonTest, KeepsAnAnswer) {
  const CampaignAnswer answer = *testing::SampleCampaign().answer;

  const Result<CampaignAnswer> read = CampaignAnswerFromJson(ToJson(answer));

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, answer);
}

TEST(CampaignJsonTest, KeepsAnIntervalThatIsBoundedOnOneSideOnly) {
  GateAnswer answer = std::get<GateAnswer>(*testing::SampleCampaign().answer);
  answer.rows[0].interval = {.low = -std::numeric_limits<double>::infinity(), .high = 0.25};

  const Result<CampaignAnswer> read = CampaignAnswerFromJson(ToJson(CampaignAnswer(answer)));

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::get<GateAnswer>(*read), answer);
}

TEST(CampaignJsonTest, KeepsABisection) {
  const Campaign campaign = testing::SampleBisection();
  BisectionAnswer answer = std::get<BisectionAnswer>(*campaign.answer);
  answer.probes = {
      {.commit = 3,
       .repetition = 2,
       .purpose = {
           .stage = BisectionStage::kConfirm, .first = 0, .last = 11, .claim = 3, .attempt = 1}}};

  const Result<CampaignQuestion> question = CampaignQuestionFromJson(ToJson(campaign.question));
  const Result<CampaignAnswer> read = CampaignAnswerFromJson(ToJson(CampaignAnswer(answer)));

  ASSERT_TRUE(question) << question.error().message;
  EXPECT_EQ(*question, campaign.question);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::get<BisectionAnswer>(*read), answer);
}

TEST(CampaignJsonTest, KeepsABisectionThatGoesOn) {
  const BisectionAnswer answer;

  const Result<CampaignAnswer> read = CampaignAnswerFromJson(ToJson(CampaignAnswer(answer)));

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::get<BisectionAnswer>(*read), answer);
}

TEST(CampaignJsonTest, RefusesAVersionOfTheFuture) {
  std::string text = ToJson(testing::SampleCampaign().question);
  const std::string version = R"("version":1)";
  text.replace(text.find(version), version.size(), R"("version":2)");

  const Result<CampaignQuestion> read = CampaignQuestionFromJson(text);

  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(read.error().message.find("version 2"), std::string::npos) << read.error().message;
}

TEST(CampaignJsonTest, RefusesAWordThatItDoesNotKnow) {
  std::string text = ToJson(*testing::SampleCampaign().answer);
  const std::string word = R"("budget spent")";
  text.replace(text.find(word), word.size(), R"("tired")");

  const Result<CampaignAnswer> read = CampaignAnswerFromJson(text);

  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace schedlab
