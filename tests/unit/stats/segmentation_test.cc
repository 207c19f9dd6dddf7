#include "stats/segmentation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/noisy_series.h"
#include "tests/support/split_mix.h"

namespace schedlab::stats {
namespace {

using testing::SplitMix;

double CostOf(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  double mean = 0;
  for (std::size_t i = begin; i < end; ++i) mean += values[i] / static_cast<double>(end - begin);
  double cost = 0;
  for (std::size_t i = begin; i < end; ++i) cost += (values[i] - mean) * (values[i] - mean);
  return cost;
}

// The least penalised cost over all divisions, by walking through them.
double LeastCost(const std::vector<double>& values, double penalty, std::size_t shortest) {
  double least = std::numeric_limits<double>::infinity();
  const std::size_t places = values.size() - 1;
  for (std::size_t mask = 0; mask < std::size_t{1} << places; ++mask) {
    double cost = 0;
    std::size_t begin = 0;
    bool is_allowed = true;
    for (std::size_t end = 1; end <= values.size(); ++end) {
      if (end < values.size() && (mask >> (end - 1) & 1U) == 0) continue;
      is_allowed = is_allowed && end - begin >= shortest;
      cost += CostOf(values, begin, end) + (begin > 0 ? penalty : 0);
      begin = end;
    }
    if (is_allowed) least = std::min(least, cost);
  }
  return least;
}

double CostOfDivision(const std::vector<double>& values, const std::vector<std::size_t>& divisions,
                      double penalty) {
  double cost = penalty * static_cast<double>(divisions.size());
  std::size_t begin = 0;
  for (const std::size_t division : divisions) {
    cost += CostOf(values, begin, division);
    begin = division;
  }
  return cost + CostOf(values, begin, values.size());
}

// By how much any division found costs more than the best one.
double LargestExcessCost(int trials) {
  double largest = 0;
  for (int seed = 1; seed <= trials; ++seed) {
    SplitMix random(static_cast<std::uint64_t>(seed));
    std::vector<double> values(12);
    for (std::size_t i = 0; i < 12; ++i) values[i] = random.Normal() + (i / 4 == 1 ? 2 : 0);
    const double penalty = 0.5 + random.Uniform() * 3;
    const double cost = CostOfDivision(values, Divide(values, penalty, 2), penalty);
    largest = std::max(largest, std::abs(cost - LeastCost(values, penalty, 2)));
  }
  return largest;
}

TEST(DivideTest, FindsTheBestOfAllDivisions) { EXPECT_LT(LargestExcessCost(40), 1e-9); }

TEST(DivideTest, TooShortASeriesIsNotDivided) {
  EXPECT_TRUE(Divide(std::vector<double>{1, 100, 1}, 0.1, 2).empty());
}

std::vector<double> Draw(testing::NoiseKind kind, std::size_t count) {
  testing::NoiseStream noise(kind, 4);
  std::vector<double> values(count);
  for (double& value : values) value = noise.Next();
  return values;
}

TEST(NoiseFromDifferencesTest, StepsDoNotMoveIt) {
  const std::vector<double> flat = Draw(testing::NoiseKind::kNormal, 400);
  std::vector<double> stepped = flat;
  std::transform(stepped.begin() + 200, stepped.end(), stepped.begin() + 200,
                 [](double value) { return value + 50; });

  EXPECT_NEAR(NoiseFromDifferences(flat), 1, 0.15);
  EXPECT_NEAR(NoiseFromDifferences(stepped), NoiseFromDifferences(flat), 0.02);
}

TEST(AutocorrelationFromDifferencesTest, TellsAutocorrelatedFromIndependentNoise) {
  const std::vector<double> plain = Draw(testing::NoiseKind::kNormal, 4000);
  const std::vector<double> waves = Draw(testing::NoiseKind::kAutocorrelated, 4000);

  EXPECT_LT(AutocorrelationFromDifferences(plain, {}), 0.05);
  EXPECT_NEAR(AutocorrelationFromDifferences(waves, {}), 0.5, 0.12);
}

TEST(WithoutSpikesTest, OnlyValuesThatStandAloneAreReplaced) {
  const std::vector<double> values = {0, 0.1, 9, 0, 0.2, 9, 9, 9, 9.1};

  EXPECT_EQ(WithoutSpikes(values, 0.5), (std::vector<double>{0, 0.1, 0.1, 0, 0.2, 9, 9, 9, 9.1}));
}

}  // namespace
}  // namespace schedlab::stats
