#include "sim/histogram.h"

#include <gtest/gtest.h>

namespace schedlab::sim {
namespace {

TEST(HistogramTest, AnEmptyOneHasNoQuantile) {
  EXPECT_FALSE(Histogram().Quantile(500).has_value());
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

TEST(HistogramTest, TheLargestDurationHasABucket) {
  Histogram histogram;
  histogram.Add(SimDuration::max());

  EXPECT_GT(*histogram.Quantile(1000), SimDuration::max().count() / 2);
}

}  // namespace
}  // namespace schedlab::sim
