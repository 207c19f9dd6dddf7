#include "stats/bisection_posterior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "stats/bisection_shapes.h"
#include "tests/support/split_mix.h"

namespace schedlab::stats {
namespace {

// The likelihood of a step with a shift for each round, all parameters integrated by the
// trapezoidal rule, whose error for such integrands falls faster than any power of the step.
class BruteForce {
 public:
  BruteForce(std::vector<PlacedValue> values, double round_variance)
      : values_(std::move(values)), round_variance_(round_variance) {}

  double Likelihood(std::size_t first_bad) const {
    constexpr double kStep = 0.125;
    double sum = 0;
    // log(stddev), on which the prior 1 / variance is flat.
    for (double log_stddev = -4; log_stddev <= 7; log_stddev += kStep) {
      sum += GivenNoise(first_bad, std::exp(log_stddev)) * kStep;
    }
    return sum;
  }

 private:
  static constexpr double kTwoPi = 6.283185307179586;

  // Over both levels, in units of the noise about the means of the sides.
  double GivenNoise(std::size_t first_bad, double stddev) const {
    const double before = MeanOf(0, first_bad);
    const double after = MeanOf(first_bad, 1'000);
    constexpr double kReach = 7.5;
    constexpr double kStep = 0.3;
    double sum = 0;
    for (double a = -kReach; a <= kReach; a += kStep) {
      for (double b = -kReach; b <= kReach; b += kStep) {
        sum += GivenLevels(first_bad, before + a * stddev, after + b * stddev, stddev);
      }
    }
    return sum * kStep * kStep * stddev * stddev;
  }

  double GivenLevels(std::size_t first_bad, double before, double after, double stddev) const {
    std::vector<double> rests[2];
    for (const PlacedValue& value : values_) {
      rests[value.round].push_back((value.value - (value.place < first_bad ? before : after)) /
                                   stddev);
    }
    double product = std::pow(stddev * std::sqrt(kTwoPi), -static_cast<double>(values_.size()));
    for (const auto& round : rests) product *= OverShift(round);
    return product;
  }

  double OverShift(const std::vector<double>& rests) const {
    if (!(round_variance_ > 0)) {
      double squares = 0;
      for (const double rest : rests) squares += rest * rest;
      return std::exp(-squares / 2);
    }
    constexpr double kStep = 0.25;
    double sum = 0;
    for (double shift = -7.5; shift <= 7.5; shift += kStep) {
      double squares = shift * shift / round_variance_;
      for (const double rest : rests) squares += (rest - shift) * (rest - shift);
      sum += std::exp(-squares / 2) * kStep;
    }
    return sum / std::sqrt(kTwoPi * round_variance_);
  }

  double MeanOf(std::size_t begin, std::size_t end) const {
    double sum = 0;
    double count = 0;
    for (const PlacedValue& value : values_) {
      if (value.place < begin || value.place >= end) continue;
      sum += value.value;
      count += 1;
    }
    return sum / count;
  }

  std::vector<PlacedValue> values_;
  double round_variance_;
};

std::vector<double> BruteForcePosterior(const std::vector<double>& weights,
                                        const std::vector<PlacedValue>& values,
                                        const std::vector<RoundShift>& shifts) {
  std::vector<double> posterior(weights.size());
  for (const RoundShift& shift : shifts) {
    const BruteForce brute(values, shift.variance);
    for (std::size_t place = 1; place < weights.size(); ++place) {
      posterior[place] += shift.weight * weights[place] * brute.Likelihood(place);
    }
  }
  const double sum = std::accumulate(posterior.begin(), posterior.end(), 0.0);
  for (double& probability : posterior) probability /= sum;
  return posterior;
}

double LargestDifference(const std::vector<double>& one, const std::vector<double>& other) {
  double largest = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    largest = std::max(largest, std::abs(one[i] - other[i]));
  }
  return largest;
}

std::vector<PlacedValue> RandomValues(std::uint64_t seed, std::size_t place_count,
                                      std::size_t count, std::size_t round_count) {
  testing::SplitMix random(seed);
  std::vector<PlacedValue> values = {{0, 0, random.Normal()},
                                     {place_count - 1, 0, 1.5 + random.Normal()}};
  while (values.size() < count) {
    const std::size_t place = random.Below(place_count);
    values.push_back({place, values.size() % round_count,
                      (place * 2 >= place_count ? 1.5 : 0) + random.Normal()});
  }
  std::stable_sort(values.begin(), values.end(),
                   [](const PlacedValue& a, const PlacedValue& b) { return a.place < b.place; });
  return values;
}

TEST(FirstBadPosteriorTest, EqualsNumericalIntegrationInOneRound) {
  const std::vector<double> weights = {1, 1, 2, 1, 0.5, 1};
  const std::vector<PlacedValue> values = RandomValues(7, 6, 9, 1);

  const std::vector<double> expected = BruteForcePosterior(weights, values, {{0, 1}});

  EXPECT_LT(LargestDifference(FirstBadPosterior(weights, values), expected), 1e-10);
}

TEST(FirstBadPosteriorTest, EqualsNumericalIntegrationOverTheShiftsOfRounds) {
  const std::vector<double> weights = {1, 1, 2, 3};
  const std::vector<PlacedValue> values = RandomValues(11, 4, 7, 2);

  const std::vector<double> expected =
      BruteForcePosterior(weights, values, {std::begin(kRoundShifts), std::end(kRoundShifts)});

  EXPECT_LT(LargestDifference(FirstBadPosterior(weights, values), expected), 1e-10);
}

TEST(FirstBadPosteriorTest, SumsToOneAndIsInvariantUnderShiftAndScale) {
  testing::SplitMix random(3);
  double worst_sum = 0;
  double worst_change = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::size_t places = 2 + random.Below(60);
    const std::vector<double> weights(places, 1.0);
    std::vector<PlacedValue> values = RandomValues(seed, places, 2 + random.Below(40), 3);
    const std::vector<double> posterior = FirstBadPosterior(weights, values);
    for (PlacedValue& value : values) value.value = 1e-3 * value.value + 7;
    const double sum = std::accumulate(posterior.begin(), posterior.end(), 0.0);
    worst_sum = std::max(worst_sum, std::abs(sum - 1));
    worst_change =
        std::max(worst_change, LargestDifference(posterior, FirstBadPosterior(weights, values)));
  }

  EXPECT_LT(worst_sum, 1e-12);
  // What 7 + 0.001 x leaves of 16 digits, amplified by up to 40 values.
  EXPECT_LT(worst_change, 1e-9);
}

TEST(FirstBadPosteriorTest, IsThePriorWhileAnEndIsNotMeasured) {
  const std::vector<double> weights = {9, 1, 3};
  const std::vector<PlacedValue> values = {{0, 0, 1}, {1, 0, 5}};

  const std::vector<double> posterior = FirstBadPosterior(weights, values);

  EXPECT_EQ(posterior, (std::vector<double>{0, 0.25, 0.75}));
}

TEST(FirstBadPosteriorTest, ValuesWithoutNoiseLeaveOnePlace) {
  const std::vector<double> weights(5, 1.0);
  const std::vector<PlacedValue> values = {{0, 0, 1}, {0, 0, 1}, {2, 0, 1},
                                           {3, 0, 2}, {4, 0, 2}, {4, 0, 2}};

  EXPECT_GT(FirstBadPosterior(weights, values)[3], 1 - 1e-9);
}

TEST(FirstBadPosteriorTest, EqualValuesLeaveThePrior) {
  const std::vector<double> weights(4, 1.0);
  const std::vector<PlacedValue> values = {{0, 0, 2}, {1, 0, 2}, {3, 0, 2}, {3, 0, 2}};

  const std::vector<double> posterior = FirstBadPosterior(weights, values);

  EXPECT_NEAR(posterior[1], 1.0 / 3, 1e-12);
  EXPECT_NEAR(posterior[3], 1.0 / 3, 1e-12);
}

// Each round measures both ends and the place before the step, and shifts as much as the noise.
TEST(FirstBadPosteriorTest, KnowingTheRoundsRemovesTheirShifts) {
  double known = 0;
  double unknown = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    testing::SplitMix random(seed);
    std::vector<PlacedValue> values;
    std::vector<double> shifts;
    for (int round = 0; round < 6; ++round) shifts.push_back(random.Normal());
    for (std::size_t place = 0; place < 3; ++place) {
      for (std::size_t round = 0; round < shifts.size(); ++round) {
        const double level = place == 2 ? 1.5 : 0;
        values.push_back({place, round, level + shifts[round] + random.Normal()});
      }
    }
    known += FirstBadPosterior(std::vector<double>(3, 1.0), values)[2] / 50;
    for (PlacedValue& value : values) value.round = 0;
    unknown += FirstBadPosterior(std::vector<double>(3, 1.0), values)[2] / 50;
  }

  EXPECT_GT(known, unknown + 0.02);
}

TEST(SmallestSetTest, TakesTheLikeliestInOrder) {
  const std::vector<double> probabilities = {0, 0.1, 0.5, 0.05, 0.35};

  EXPECT_EQ(SmallestSet(probabilities, 0.95), (std::vector<std::size_t>{1, 2, 4}));
  EXPECT_EQ(SmallestSet(probabilities, 0.5), (std::vector<std::size_t>{2}));
}

TEST(FitStepTest, GivesLevelsAndPooledNoise) {
  const std::vector<PlacedValue> values = {{0, 0, 1}, {0, 0, 3}, {5, 0, 10}, {6, 0, 14}};

  const StepFit fit = FitStep(values, 5);

  EXPECT_DOUBLE_EQ(fit.before, 2);
  EXPECT_DOUBLE_EQ(fit.after, 12);
  EXPECT_DOUBLE_EQ(fit.stddev, std::sqrt(5.0));
  EXPECT_EQ(fit.degrees_of_freedom, 2);
}

struct LineSpec {
  double step_at_5 = 0;
  double step_at_10 = 0;
  double slope = 0;
};

std::vector<PlacedValue> ValuesOnLine(const LineSpec& spec, std::uint64_t seed) {
  testing::SplitMix random(seed);
  std::vector<PlacedValue> values;
  for (std::size_t place = 0; place <= 15; ++place) {
    const double level = (place >= 5 ? spec.step_at_5 : 0) + (place >= 10 ? spec.step_at_10 : 0) +
                         spec.slope * static_cast<double>(place);
    for (int i = 0; i < 4; ++i) values.push_back({place, 0, level + random.Normal()});
  }
  return values;
}

// The mean over seeds.
double MeanProbability(const LineSpec& spec, double ShapeProbabilities::*shape) {
  constexpr int kSeeds = 100;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    sum += CompareShapes(std::vector<double>(16, 1.0), ValuesOnLine(spec, seed)).*shape;
  }
  return sum / kSeeds;
}

TEST(CompareShapesTest, KnowsEachShape) {
  EXPECT_GT(MeanProbability({}, &ShapeProbabilities::flat), 0.6);
  EXPECT_GT(MeanProbability({.step_at_5 = 4}, &ShapeProbabilities::one_step), 0.6);
  EXPECT_GT(MeanProbability({.step_at_5 = 3, .step_at_10 = 3}, &ShapeProbabilities::two_steps),
            0.95);
  EXPECT_GT(MeanProbability({.slope = 0.4}, &ShapeProbabilities::drift), 0.9);
}

TEST(CompareShapesTest, SumsToOneAndCannotTellFromOnePlace) {
  const std::vector<double> weights(16, 1.0);
  const ShapeProbabilities shapes =
      CompareShapes(weights, ValuesOnLine({.step_at_5 = 2, .slope = 0.1}, 9));
  const std::vector<PlacedValue> one_place = {{3, 0, 1}, {3, 0, 2}};

  EXPECT_NEAR(shapes.flat + shapes.one_step + shapes.two_steps + shapes.drift, 1, 1e-12);
  EXPECT_EQ(CompareShapes(weights, one_place).flat, 0.25);
}

}  // namespace
}  // namespace schedlab::stats
