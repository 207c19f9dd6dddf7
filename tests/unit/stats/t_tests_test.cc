#include "stats/t_tests.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/split_mix.h"

namespace schedlab::stats {
namespace {

using testing::SplitMix;

constexpr double kPi = 3.141592653589793;

// Student's t with 1 degree of freedom is Cauchy's distribution: P(T > t) = 1/2 - atan(t) / pi;
// with 2 degrees P(T > t) = (1 - t / sqrt(2 + t^2)) / 2.
TEST(TTest, PValuesHaveTheClosedFormsOfFewDegreesOfFreedom) {
  const MeanDifference cauchy{.estimate = 3, .standard_error = 2, .degrees_of_freedom = 1};
  const MeanDifference two{.estimate = 3, .standard_error = 2, .degrees_of_freedom = 2};

  EXPECT_NEAR(PValue(cauchy, 0, Alternative::kGreater), 0.5 - std::atan(1.5) / kPi, 1e-14);
  EXPECT_NEAR(PValue(two, 0, Alternative::kGreater), (1 - 1.5 / std::sqrt(4.25)) / 2, 1e-14);
  EXPECT_NEAR(PValue(two, 1, Alternative::kGreater), (1 - 1 / std::sqrt(3.0)) / 2, 1e-14);
  EXPECT_NEAR(PValue(two, 0, Alternative::kDifferent), 1 - 1.5 / std::sqrt(4.25), 1e-14);
  EXPECT_NEAR(PValue(two, 0, Alternative::kLess), (1 + 1.5 / std::sqrt(4.25)) / 2, 1e-14);
}

// Student (1908), "The probable error of a mean": the extra hours of sleep of ten patients by two
// drugs. Welch's t is 1.8608 with 17.776 degrees of freedom, p = 0.07939 and 95 % in
// [-0.2055, 3.3655]; as pairs t is 4.0621 with 9, p = 0.002833 and [0.7001, 2.4599].
class SleepTest : public ::testing::Test {
 protected:
  std::vector<double> first_ = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
  std::vector<double> second_ = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
};

TEST_F(SleepTest, WelchReproducesThePublishedValues) {
  const MeanDifference difference =
      *DifferenceOfMeans({.baseline = first_, .candidate = second_}, std::nullopt);
  const Interval interval = ConfidenceInterval(difference, 0.95);

  EXPECT_NEAR(difference.estimate / difference.standard_error, 1.8608, 5e-5);
  EXPECT_NEAR(difference.degrees_of_freedom, 17.776, 5e-4);
  EXPECT_NEAR(PValue(difference, 0, Alternative::kDifferent), 0.07939, 5e-6);
  EXPECT_NEAR(interval.low, -0.2055, 5e-5);
  EXPECT_NEAR(interval.high, 3.3655, 5e-5);
}

TEST_F(SleepTest, PairsReproduceThePublishedValues) {
  const MeanDifference difference =
      *MeanOfDifferences({.baseline = first_, .candidate = second_}, std::nullopt);
  const Interval interval = ConfidenceInterval(difference, 0.95);

  EXPECT_NEAR(difference.estimate / difference.standard_error, 4.0621, 5e-5);
  EXPECT_EQ(difference.degrees_of_freedom, 9);
  EXPECT_NEAR(PValue(difference, 0, Alternative::kDifferent), 0.002833, 5e-7);
  EXPECT_NEAR(interval.low, 0.7001, 5e-5);
  EXPECT_NEAR(interval.high, 2.4599, 5e-5);
}

TEST(TTest, HistoryIsPooledByDegreesOfFreedom) {
  const std::vector<double> baseline = {0, 2};
  const std::vector<double> candidate = {5, 7};

  const MeanDifference difference =
      *DifferenceOfMeans({.baseline = baseline, .candidate = candidate},
                         NoiseHistory{.stddev = 1, .degrees_of_freedom = 6});

  EXPECT_DOUBLE_EQ(difference.estimate, 5);
  EXPECT_DOUBLE_EQ(difference.degrees_of_freedom, 8);
  // Squares: 2 + 2 of the runs and 6 * 1 of the history, over 8.
  EXPECT_DOUBLE_EQ(difference.run_stddev, std::sqrt(10.0 / 8));
  EXPECT_DOUBLE_EQ(difference.standard_error, std::sqrt(10.0 / 8));
}

TEST(TTest, OneRunIsHeldAgainstTheNoiseOfTheOtherSide) {
  const std::vector<double> baseline = {1, 2, 3};
  const std::vector<double> candidate = {5};

  const MeanDifference difference =
      *DifferenceOfMeans({.baseline = baseline, .candidate = candidate}, std::nullopt);

  EXPECT_DOUBLE_EQ(difference.degrees_of_freedom, 2);
  EXPECT_DOUBLE_EQ(difference.standard_error, std::sqrt(1 + 1.0 / 3));
}

TEST(TTest, OneRunASideIsNoTest) {
  const std::vector<double> one = {1};

  EXPECT_EQ(DifferenceOfMeans({.baseline = one, .candidate = one}, std::nullopt).error().code,
            ErrorCode::kFailedPrecondition);
  EXPECT_EQ(MeanOfDifferences({.baseline = one, .candidate = one}, std::nullopt).error().code,
            ErrorCode::kFailedPrecondition);
}

TEST(TTest, WithoutNoiseTheEstimateIsComparedAsItIs) {
  const MeanDifference difference{
      .estimate = 0.1 + 0.2, .standard_error = 0, .degrees_of_freedom = 8};

  EXPECT_EQ(PValue(difference, 0.2, Alternative::kGreater), 0);
  EXPECT_EQ(PValue(difference, 0.2, Alternative::kLess), 1);
  EXPECT_EQ(PValue(difference, 0.3, Alternative::kGreater), 1);
  EXPECT_EQ(PValue(difference, 0.3, Alternative::kLess), 1);
}

TEST(TTest, EqualSamplesHaveNoNoiseWhateverTheirRounding) {
  const std::vector<double> equal(7, 0.1);

  EXPECT_EQ(
      DifferenceOfMeans({.baseline = equal, .candidate = equal}, std::nullopt)->standard_error, 0);
}

int CountRejections(std::size_t baseline_count, std::size_t candidate_count, double candidate_sd) {
  int rejections = 0;
  for (int seed = 1; seed <= 4000; ++seed) {
    SplitMix random(static_cast<std::uint64_t>(seed));
    std::vector<double> baseline;
    std::vector<double> candidate;
    for (std::size_t i = 0; i < baseline_count; ++i) baseline.push_back(random.Normal());
    for (std::size_t i = 0; i < candidate_count; ++i) {
      candidate.push_back(candidate_sd * random.Normal());
    }
    const auto difference =
        DifferenceOfMeans({.baseline = baseline, .candidate = candidate}, std::nullopt);
    if (PValue(*difference, 0, Alternative::kGreater) <= 0.05) ++rejections;
  }
  return rejections;
}

// 4,000 trials at 5 %: 200 with a standard error of 14.
TEST(TTest, FalseAlarmsAreAsRareAsTheLevelSays) {
  EXPECT_NEAR(CountRejections(5, 5, 1), 200, 56);
  EXPECT_NEAR(CountRejections(5, 15, 3), 200, 56);
  EXPECT_LE(CountRejections(3, 3, 1), 256);
}

}  // namespace
}  // namespace schedlab::stats
