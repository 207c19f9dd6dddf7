#include "client/plan_gate_options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace schedlab::client {
namespace {

const PlanGateOptions kFourPercent{.effect = "4%", .cv = "2%", .metrics = "20", .history = "20"};

std::string MistakeOf(const PlanGateOptions& options) {
  const Result<PlanRequest> request = ParsePlanRequest(options);
  return request ? "" : request.error().message;
}

TEST(ParseShareTest, ReadsPercentAndRatios) {
  EXPECT_DOUBLE_EQ(ParseShare("--cv", "4%").value_or(0), 0.04);
  EXPECT_DOUBLE_EQ(ParseShare("--cv", "2.7 %").value_or(0), 0.027);
  EXPECT_DOUBLE_EQ(ParseShare("--cv", "0.04").value_or(0), 0.04);
  EXPECT_DOUBLE_EQ(ParseShare("--cv", "-4%").value_or(0), -0.04);
}

TEST(ParseShareTest, WhatIsNoShareIsRefusedWithItsOption) {
  for (const char* text : {"", "%", "four", "4x", "4%%", "nan", "inf", "1e999", "4 %x", " 4%"}) {
    EXPECT_FALSE(ParseShare("--cv", text).has_value()) << text;
  }
  EXPECT_EQ(ParseShare("--cv", "four").error().message,
            "--cv 'four' is not a share such as 4% or 0.04");
}

TEST(ParsePlanRequestTest, ReadsTheQuestion) {
  const Result<PlanRequest> request = ParsePlanRequest(kFourPercent);

  ASSERT_TRUE(request.has_value());
  EXPECT_DOUBLE_EQ(request->question.effect, 0.04);
  EXPECT_DOUBLE_EQ(request->question.noise, 0.02);
  EXPECT_EQ(request->question.metric_count, 20);
  EXPECT_DOUBLE_EQ(request->question.history_degrees, 20);
  EXPECT_DOUBLE_EQ(request->question.power, 0.9);
  EXPECT_DOUBLE_EQ(request->question.false_discovery_rate, 0.05);
  EXPECT_EQ(request->looks.looks(), (std::vector<std::int64_t>{3, 5, 8, 12}));
}

TEST(ParsePlanRequestTest, TakesLooksAsTheyAreGiven) {
  PlanGateOptions options = kFourPercent;
  options.looks = "4,9";

  EXPECT_EQ(ParsePlanRequest(options)->looks.looks(), (std::vector<std::int64_t>{4, 9}));
}

TEST(ParsePlanRequestTest, SaysWhatIsWrongWithEachOption) {
  const auto with = [](std::string PlanGateOptions::*option, const char* text) {
    PlanGateOptions options = kFourPercent;
    options.*option = text;
    return MistakeOf(options);
  };

  EXPECT_EQ(with(&PlanGateOptions::effect, "-100%"),
            "--effect '-100%' is not a change above -100 % and at most 10000 %");
  EXPECT_EQ(with(&PlanGateOptions::effect, "0"),
            "--effect '0' is too small: no number of runs finds no change");
  EXPECT_EQ(with(&PlanGateOptions::cv, "0"), "--cv '0' is not a noise above 0 and at most 1000 %");
  EXPECT_EQ(with(&PlanGateOptions::metrics, "0"),
            "--metrics '0' is not a whole number from 1 to 1000000");
  EXPECT_EQ(with(&PlanGateOptions::history, "-1"),
            "--history '-1' is not a whole number from 0 to 1000000");
  EXPECT_EQ(with(&PlanGateOptions::power, "100%"),
            "--power '100%' is not above 5 % and at most 99.9 %");
  EXPECT_EQ(with(&PlanGateOptions::fdr, "0"), "--fdr '0' is not above 0.001 % and at most 50 %");
  EXPECT_EQ(with(&PlanGateOptions::looks, "3,,5"),
            "--looks '3,,5' are not whole numbers between commas");
  EXPECT_EQ(with(&PlanGateOptions::looks, "5,3"),
            "--looks: a look after 3 runs a side is not after 5 and at most 1000");
  EXPECT_EQ(with(&PlanGateOptions::looks, "1,3"),
            "--looks '1,3': the first is not after 2 runs a side or more");
}

}  // namespace
}  // namespace schedlab::client
