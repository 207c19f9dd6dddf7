#include "stats/segmentation.h"

#include <gtest/gtest.h>

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

TEST(DivideTest, FindsTheBestOfAllDivisions) {
  for (int seed = 1; seed <= 40; ++seed) {
    SplitMix random(static_cast<std::uint64_t>(seed));
    std::vector<double> values;
    for (int i = 0; i < 12; ++i) values.push_back(random.Normal() + (i / 4 == 1 ? 2 : 0));
    const double penalty = 0.5 + random.Uniform() * 3;

    EXPECT_NEAR(CostOfDivision(values, Divide(values, penalty, 2), penalty),
                LeastCost(values, penalty, 2), 1e-9)
        << seed;
  }
}

TEST(DivideTest, TooShortASeriesIsNotDivided) {
  EXPECT_TRUE(Divide(std::vector<double>{1, 100, 1}, 0.1, 2).empty());
}

TEST(NoiseFromDifferencesTest, StepsDoNotMoveIt) {
  testing::NoiseStream noise(testing::NoiseKind::kNormal, 4);
  std::vector<double> flat;
  for (int i = 0; i < 400; ++i) flat.push_back(noise.Next());
  std::vector<double> stepped = flat;
  for (std::size_t i = 200; i < stepped.size(); ++i) stepped[i] += 50;

  EXPECT_NEAR(NoiseFromDifferences(flat), 1, 0.15);
  EXPECT_NEAR(NoiseFromDifferences(stepped), NoiseFromDifferences(flat), 0.02);
}

TEST(AutocorrelationFromDifferencesTest, TellsAutocorrelatedFromIndependentNoise) {
  testing::NoiseStream independent(testing::NoiseKind::kNormal, 4);
  testing::NoiseStream correlated(testing::NoiseKind::kAutocorrelated, 4);
  std::vector<double> plain;
  std::vector<double> waves;
  for (int i = 0; i < 4000; ++i) {
    plain.push_back(independent.Next());
    waves.push_back(correlated.Next());
  }

  EXPECT_LT(AutocorrelationFromDifferences(plain), 0.05);
  EXPECT_NEAR(AutocorrelationFromDifferences(waves), 0.5, 0.12);
}

TEST(WithoutSpikesTest, OnlyValuesThatStandAloneAreReplaced) {
  const std::vector<double> values = {0, 0.1, 9, 0, 0.2, 9, 9, 9, 9.1};

  EXPECT_EQ(WithoutSpikes(values, 0.5), (std::vector<double>{0, 0.1, 0.1, 0, 0.2, 9, 9, 9, 9.1}));
}

}  // namespace
}  // namespace schedlab::stats
