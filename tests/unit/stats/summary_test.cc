#include "stats/summary.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace schedlab::stats {
namespace {

TEST(SummaryTest, DescribesASampleOfEvenCount) {
  const Summary summary = *Summarize(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});

  EXPECT_EQ(summary.count, 8);
  EXPECT_DOUBLE_EQ(summary.mean, 5);
  EXPECT_DOUBLE_EQ(*summary.stddev, 2.138089935299395);  // sqrt(32 / 7)
  EXPECT_DOUBLE_EQ(summary.median, 4.5);
  EXPECT_DOUBLE_EQ(summary.mad, 0.5);
  EXPECT_DOUBLE_EQ(summary.minimum, 2);
  EXPECT_DOUBLE_EQ(summary.maximum, 9);
}

TEST(SummaryTest, OneSampleHasNoStandardDeviation) {
  const Summary summary = *Summarize(std::vector<double>{3});

  EXPECT_FALSE(summary.stddev.has_value());
  EXPECT_EQ(summary.median, 3);
  EXPECT_EQ(summary.mad, 0);
}

TEST(SummaryTest, NoSamplesAreRefused) {
  EXPECT_EQ(Summarize({}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Quantile({}, 0.5).error().code, ErrorCode::kInvalidArgument);
}

TEST(SummaryTest, ASampleThatIsNotFiniteIsNamed) {
  const std::vector<double> samples = {1, std::numeric_limits<double>::quiet_NaN()};

  EXPECT_EQ(Summarize(samples).error().message, "sample 1 is nan, not a finite number");
}

TEST(SummaryTest, LargeSamplesDoNotOverflowTheMean) {
  const Summary summary = *Summarize(std::vector<double>{1.7e308, 1.7e308});

  EXPECT_DOUBLE_EQ(summary.mean, 1.7e308);
  EXPECT_DOUBLE_EQ(summary.median, 1.7e308);
}

// Hyndman and Fan (1996), definition 7: the position is (n - 1) p.
TEST(SummaryTest, QuantilesInterpolateBetweenOrderStatistics) {
  const std::vector<double> samples = {40, 10, 30, 20};

  EXPECT_DOUBLE_EQ(*Quantile(samples, 0), 10);
  EXPECT_DOUBLE_EQ(*Quantile(samples, 0.25), 17.5);
  EXPECT_DOUBLE_EQ(*Quantile(samples, 0.5), 25);
  EXPECT_DOUBLE_EQ(*Quantile(samples, 1), 40);
  EXPECT_FALSE(Quantile(samples, 1.5).has_value());
}

// Hampel (1974): one wild value of five moves neither the median nor the deviation from it.
TEST(SummaryTest, RobustSpreadIgnoresOneWildValue) {
  const std::vector<double> samples = {9, 10, 11, 10, 1000};

  EXPECT_DOUBLE_EQ(Median(samples), 10);
  EXPECT_NEAR(RobustStddev(samples, 10), 1.4826, 1e-4);
}

}  // namespace
}  // namespace schedlab::stats
