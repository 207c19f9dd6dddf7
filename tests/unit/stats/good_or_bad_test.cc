#include "stats/good_or_bad.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace schedlab::stats {
namespace {

const std::vector<double> kGood = {99, 100, 101, 100, 98, 102};
const std::vector<double> kBad = {79, 80, 81, 80, 78, 82};

TEST(GoodOrBadTest, ValuesAtALevelAreOfIt) {
  EXPECT_GT(*ProbabilityOfGood(kGood, kBad, std::vector{100.0, 101.0, 99.0}), 0.999);
  EXPECT_LT(*ProbabilityOfGood(kGood, kBad, std::vector{80.0, 81.0, 79.0}), 0.001);
}

TEST(GoodOrBadTest, ValuesHalfwayCannotBeTold) {
  const double halfway = std::sqrt(100.0 * 80.0);

  const double probability = *ProbabilityOfGood(kGood, kBad, std::vector{halfway});

  EXPECT_GT(probability, 0.1);
  EXPECT_LT(probability, 0.9);
}

// -1, 0, 1 and 9, 10, 11 with a value at 2: squares of 2 + 2 and either 3/4 (2 - 0)^2 or
// 3/4 (10 - 2)^2 more; both groups of 4 and 3.
TEST(GoodOrBadTest, AgreesWithTheClosedForm) {
  const std::vector<double> good = {-1, 0, 1};
  const std::vector<double> bad = {9, 10, 11};
  const double as_good = std::pow(4 + 0.75 * 4, -2.5);
  const double as_bad = std::pow(4 + 0.75 * 64, -2.5);

  EXPECT_NEAR(*ProbabilityOfGood(good, bad, std::vector{2.0}), as_good / (as_good + as_bad), 1e-12);
}

TEST(GoodOrBadTest, ExchangedReferencesExchangeTheProbability) {
  const std::vector<double> values = {92, 88};

  EXPECT_NEAR(*ProbabilityOfGood(kGood, kBad, values), 1 - *ProbabilityOfGood(kBad, kGood, values),
              1e-12);
}

TEST(GoodOrBadTest, AUnitChangesNothing) {
  const auto in_thousands = [](std::vector<double> values) {
    for (double& value : values) value *= 1'000;
    return values;
  };
  const std::vector<double> values = {92, 88};

  EXPECT_NEAR(*ProbabilityOfGood(kGood, kBad, values),
              *ProbabilityOfGood(in_thousands(kGood), in_thousands(kBad), in_thousands(values)),
              1e-9);
}

TEST(GoodOrBadTest, ReferencesThatDoNotDifferTellNothing) {
  EXPECT_NEAR(*ProbabilityOfGood(kGood, kGood, std::vector{100.0, 99.0}), 0.5, 1e-12);
  const std::vector<double> constant = {5, 5, 5};
  EXPECT_EQ(*ProbabilityOfGood(constant, constant, std::vector{5.0}), 0.5);
}

TEST(GoodOrBadTest, WithoutNoiseASideThatFitsExactlyIsCertain) {
  const std::vector<double> good = {5, 5, 5};
  const std::vector<double> bad = {4, 4, 4};

  EXPECT_EQ(*ProbabilityOfGood(good, bad, std::vector{5.0}), 1);
  EXPECT_EQ(*ProbabilityOfGood(good, bad, std::vector{4.0}), 0);
}

TEST(GoodOrBadTest, OneWildValueDoesNotDecideAgainstTheRest) {
  EXPECT_GT(*ProbabilityOfGood(kGood, kBad, std::vector{100.0, 101.0, 99.0, 100.0, 10.0}), 0.95);
}

// Of those that are said to be good or bad with 95 %, 95 % are.
TEST(GoodOrBadTest, TheConfidenceHolds) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 1);
  const auto draw = [&](double level, int count) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(level + noise(random));
    return values;
  };
  int told = 0;
  int right = 0;
  for (int i = 0; i < 4'000; ++i) {
    const std::vector<double> good = draw(0, 8);
    const std::vector<double> bad = draw(1.5, 8);
    const bool is_good = i % 2 == 0;
    const double probability = *ProbabilityOfGood(good, bad, draw(is_good ? 0 : 1.5, 3));
    if (probability < 0.95 && probability > 0.05) continue;
    ++told;
    if (is_good == (probability >= 0.95)) ++right;
  }

  EXPECT_GT(told, 1'000);
  EXPECT_GE(static_cast<double>(right) / told, 0.95);
}

TEST(GoodOrBadTest, RefusesTooFewReferencesAndNumbersThatAreNone) {
  const std::vector<double> two = {1, 2};
  const std::vector<double> bad_number = {1, 2, std::numeric_limits<double>::quiet_NaN()};

  EXPECT_FALSE(ProbabilityOfGood(two, kBad, std::vector{1.0}));
  EXPECT_FALSE(ProbabilityOfGood(kGood, bad_number, std::vector{1.0}));
  EXPECT_FALSE(ProbabilityOfGood(kGood, kBad, {}));
}

}  // namespace
}  // namespace schedlab::stats
