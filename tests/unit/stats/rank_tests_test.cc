#include "stats/rank_tests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/split_mix.h"

namespace schedlab::stats {
namespace {

using testing::SplitMix;

// Twice U: of all pairs of a value that is the candidate's with one that is not.
int DoubledU(const std::vector<double>& values, const std::vector<char>& is_candidate) {
  int sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_candidate[i] == 0) continue;
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (is_candidate[j] == 1) continue;
      sum += (values[i] > values[j] ? 2 : 0) + (values[i] == values[j] ? 1 : 0);
    }
  }
  return sum;
}

// P(U >= observed) by walking through every way to choose the candidate's places.
double UpperTailByEnumeration(const std::vector<double>& baseline,
                              const std::vector<double>& candidate) {
  std::vector<double> all = candidate;
  all.insert(all.end(), baseline.begin(), baseline.end());
  std::vector<char> is_candidate(all.size(), 0);
  std::fill_n(is_candidate.begin(), candidate.size(), 1);
  const int observed = DoubledU(all, is_candidate);
  double at_least = 0;
  double ways = 0;
  do {
    ++ways;
    if (DoubledU(all, is_candidate) >= observed) ++at_least;
  } while (std::prev_permutation(is_candidate.begin(), is_candidate.end()));
  return at_least / ways;
}

// P(W >= observed) by walking through every choice of signs.
double SignedTailByEnumeration(const std::vector<double>& differences) {
  std::vector<double> sizes = differences;
  for (double& size : sizes) size = std::abs(size);
  std::vector<double> ranks;
  for (const double size : sizes) {
    double rank = 0.5;
    for (const double other : sizes) rank += other < size ? 1 : (other == size ? 0.5 : 0);
    ranks.push_back(rank);
  }
  double observed = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) observed += differences[i] > 0 ? ranks[i] : 0;
  const unsigned ways = 1U << ranks.size();
  double at_least = 0;
  for (unsigned signs = 0; signs < ways; ++signs) {
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) sum += (signs >> i & 1U) != 0 ? ranks[i] : 0;
    if (sum >= observed) ++at_least;
  }
  return at_least / ways;
}

std::vector<double> WholeNumbers(SplitMix& random, std::size_t count, std::uint64_t bound) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(static_cast<double>(random.Below(bound)));
  return values;
}

std::vector<double> NormalRuns(SplitMix& random, std::size_t count, double mean) {
  std::vector<double> runs;
  for (std::size_t i = 0; i < count; ++i) runs.push_back(mean + random.Normal());
  return runs;
}

// The smallest one-sided p-value is 1 / C(2k, k).
TEST(MannWhitneyTest, SeparatedSidesGiveTheSmallestPValueOfTheirCounts) {
  const std::vector<double> low = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<double> high = {11, 12, 13, 14, 15, 16, 17, 18};
  const auto smallest = [&](std::size_t k) {
    return MannWhitney({.baseline = {low.data(), k}, .candidate = {high.data(), k}},
                       Alternative::kGreater)
        ->p_value;
  };

  EXPECT_DOUBLE_EQ(smallest(1), 1.0 / 2);
  EXPECT_DOUBLE_EQ(smallest(3), 1.0 / 20);
  EXPECT_DOUBLE_EQ(smallest(5), 1.0 / 252);
  EXPECT_DOUBLE_EQ(smallest(8), 1.0 / 12870);
}

// Of the 126 orders of 4 + 5 runs 1, 1 and 2 have U = 0, 1 and 2.
TEST(MannWhitneyTest, CountsTheSequencesOfASmallU) {
  const std::vector<double> baseline = {3, 5, 6, 7, 8};
  const std::vector<double> candidate = {1, 2, 4, 4.5};

  const RankTest test =
      *MannWhitney({.baseline = baseline, .candidate = candidate}, Alternative::kLess);

  EXPECT_DOUBLE_EQ(test.statistic, 2);
  EXPECT_TRUE(test.is_exact);
  EXPECT_DOUBLE_EQ(test.p_value, 4.0 / 126);
}

// Every second trial has ties.
double LargestErrorOfMannWhitney(int trials) {
  SplitMix random(7);
  double largest = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const std::uint64_t bound = trial % 2 == 0 ? 4 : 1'000'000;
    const auto baseline = WholeNumbers(random, 1 + random.Below(5), bound);
    const auto candidate = WholeNumbers(random, 1 + random.Below(6), bound);
    const RankTest test =
        *MannWhitney({.baseline = baseline, .candidate = candidate}, Alternative::kGreater);
    largest =
        std::max(largest, std::abs(test.p_value - UpperTailByEnumeration(baseline, candidate)));
  }
  return largest;
}

TEST(MannWhitneyTest, AgreesWithEnumerationWithAndWithoutTies) {
  EXPECT_LT(LargestErrorOfMannWhitney(60), 1e-12);
}

TEST(MannWhitneyTest, ExchangedSidesExchangeTheAlternatives) {
  const std::vector<double> a = {1, 4, 4, 9, 12, 13};
  const std::vector<double> b = {2, 4, 5};

  EXPECT_DOUBLE_EQ(MannWhitney({.baseline = a, .candidate = b}, Alternative::kGreater)->p_value,
                   MannWhitney({.baseline = b, .candidate = a}, Alternative::kLess)->p_value);
  EXPECT_DOUBLE_EQ(MannWhitney({.baseline = a, .candidate = b}, Alternative::kDifferent)->p_value,
                   MannWhitney({.baseline = b, .candidate = a}, Alternative::kDifferent)->p_value);
}

TEST(MannWhitneyTest, AllEqualSamplesTellNothing) {
  const std::vector<double> equal(5, 3.0);
  const std::vector<double> many(30, 3.0);

  EXPECT_EQ(MannWhitney({.baseline = equal, .candidate = equal}, Alternative::kDifferent)->p_value,
            1);
  EXPECT_EQ(MannWhitney({.baseline = many, .candidate = many}, Alternative::kGreater)->p_value, 1);
}

// At 21 + 20 runs the normal approximation takes over: close to the exact 20 + 20.
TEST(MannWhitneyTest, NormalApproximationContinuesTheExactValues) {
  SplitMix random(3);
  std::vector<double> baseline = NormalRuns(random, 20, 0);
  const std::vector<double> candidate = NormalRuns(random, 20, 0.6);
  const RankTest exact =
      *MannWhitney({.baseline = baseline, .candidate = candidate}, Alternative::kGreater);
  baseline.push_back(0);

  const RankTest normal =
      *MannWhitney({.baseline = baseline, .candidate = candidate}, Alternative::kGreater);

  EXPECT_TRUE(exact.is_exact);
  EXPECT_FALSE(normal.is_exact);
  EXPECT_NEAR(normal.p_value / exact.p_value, 1, 0.25);
}

TEST(MannWhitneyTest, BadInputIsRefused) {
  const std::vector<double> fine = {1, 2};
  const std::vector<double> infinite = {1, std::numeric_limits<double>::infinity()};

  EXPECT_EQ(MannWhitney({.baseline = fine, .candidate = {}}, Alternative::kGreater).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(
      MannWhitney({.baseline = infinite, .candidate = fine}, Alternative::kGreater).error().code,
      ErrorCode::kInvalidArgument);
}

// All n differences positive: 1 / 2^n.
TEST(SignedRankTest, OneSidedDifferencesGiveTheSmallestPValueOfTheirCount) {
  const std::vector<double> baseline = {1, 2, 3, 4, 5, 6};
  const std::vector<double> candidate = {2, 4, 6, 8, 10, 12};

  const RankTest test =
      *SignedRank({.baseline = baseline, .candidate = candidate}, Alternative::kGreater);

  EXPECT_DOUBLE_EQ(test.statistic, 21);
  EXPECT_DOUBLE_EQ(test.p_value, 1.0 / 64);
}

double LargestErrorOfSignedRank(int trials) {
  SplitMix random(11);
  double largest = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const std::size_t count = 1 + random.Below(9);
    std::vector<double> differences;
    for (std::size_t i = 0; i < count; ++i) {
      const double size =
          trial % 2 == 0 ? 1 + static_cast<double>(random.Below(3)) : random.Uniform();
      differences.push_back(random.Below(2) == 0 ? size : -size);
    }
    const std::vector<double> zeros(count, 0.0);
    const RankTest test =
        *SignedRank({.baseline = zeros, .candidate = differences}, Alternative::kGreater);
    largest = std::max(largest, std::abs(test.p_value - SignedTailByEnumeration(differences)));
  }
  return largest;
}

TEST(SignedRankTest, AgreesWithEnumerationWithAndWithoutTies) {
  EXPECT_LT(LargestErrorOfSignedRank(60), 1e-12);
}

TEST(SignedRankTest, PairsWithoutADifferenceAreDropped) {
  const std::vector<double> baseline = {5, 5, 1, 2, 3};
  const std::vector<double> candidate = {5, 5, 2, 4, 6};

  EXPECT_DOUBLE_EQ(
      SignedRank({.baseline = baseline, .candidate = candidate}, Alternative::kGreater)->p_value,
      1.0 / 8);
}

TEST(SignedRankTest, NoDifferenceAtAllTellsNothing) {
  const std::vector<double> equal = {5, 6, 7};

  EXPECT_EQ(SignedRank({.baseline = equal, .candidate = equal}, Alternative::kGreater)->p_value, 1);
}

TEST(SignedRankTest, SidesOfUnequalCountAreNoPairs) {
  const std::vector<double> two = {1, 2};
  const std::vector<double> one = {1};

  EXPECT_EQ(SignedRank({.baseline = two, .candidate = one}, Alternative::kGreater).error().message,
            "2 baseline and 1 candidate samples are no pairs");
}

}  // namespace
}  // namespace schedlab::stats
