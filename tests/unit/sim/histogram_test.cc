#include "sim/histogram.h"

#include <gtest/gtest.h>

namespace schedlab::sim {
namespace {

TEST(HistogramTest, AnEmptyOneHasNoQuantile) {
  EXPECT_FALSE(Histogram().Quantile(500).has_value());
  EXPECT_FALSE(Histogram().Max().has_value());
  EXPECT_FALSE(Histogram().Mean().has_value());
}

TEST(HistogramTest, SmallValuesAreExact) {
  Histogram histogram;
  for (int value = 1; value <= 10; ++value) histogram.Add(SimDuration(value));

  EXPECT_EQ(histogram.Quantile(500), 5);
  EXPECT_EQ(histogram.Quantile(990), 10);
}

TEST(HistogramTest, AQuantileIsAtMostASixteenthTooLow) {
  Histogram histogram;
  histogram.Add(SimDuration(1'234'567));

  const std::int64_t median = *histogram.Quantile(500);

  EXPECT_LE(median, 1'234'567);
  EXPECT_GE(median, 1'234'567 - 1'234'567 / 16);
}

TEST(HistogramTest, OneInAThousandShowsAtP999) {
  Histogram histogram;
  for (int i = 0; i < 9'980; ++i) histogram.Add(SimDuration(10));
  for (int i = 0; i < 20; ++i) histogram.Add(SimDuration(1 << 20));

  EXPECT_EQ(histogram.Quantile(990), 10);
  EXPECT_EQ(histogram.Quantile(998), 10);
  EXPECT_EQ(histogram.Quantile(999), 1 << 20);
}

TEST(HistogramTest, MaximumAndMeanAreExact) {
  Histogram histogram;
  histogram.Add(SimDuration(1'234'567));
  histogram.Add(SimDuration(1));

  EXPECT_EQ(histogram.Max(), 1'234'567);
  EXPECT_EQ(histogram.Mean(), 617'284);
}

TEST(HistogramTest, TheLargestDurationHasABucket) {
  Histogram histogram;
  histogram.Add(SimDuration::max());

  EXPECT_GT(*histogram.Quantile(1000), SimDuration::max().count() / 2);
}

}  // namespace
}  // namespace schedlab::sim
