#include "stats/sequential_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/distributions.h"
#include "tests/support/split_mix.h"

namespace schedlab::stats {
namespace {

std::vector<SequentialRound> NormalRounds(std::uint64_t seed, double effect, int round_count) {
  testing::SplitMix random(seed);
  std::vector<SequentialRound> rounds(static_cast<std::size_t>(round_count));
  for (SequentialRound& round : rounds) {
    for (int i = 0; i < 2; ++i) {
      round.baseline.push_back(random.Normal());
      round.candidate.push_back(effect + random.Normal());
    }
  }
  return rounds;
}

int CountDifferent(double effect, int trials) {
  int count = 0;
  for (int seed = 1; seed <= trials; ++seed) {
    const auto result =
        TestSequentially(NormalRounds(static_cast<std::uint64_t>(seed), effect, 40), {});
    if (result.outcome == SequentialOutcome::kDiffers) ++count;
  }
  return count;
}

TEST(SpendingBoundsTest, OneLookHasTheBoundOfAFixedSample) {
  const std::vector<double> fractions = {1};

  EXPECT_NEAR(SpendingBounds(fractions, 0.05)[0], NormalQuantile(0.95), 1e-6);
}

TEST(SpendingBoundsTest, LooksTogetherSpendTheSignificance) {
  const std::vector<double> fractions = {0.25, 0.5, 0.75, 1};
  const std::vector<double> bounds = SpendingBounds(fractions, 0.05);
  testing::SplitMix random(1);
  constexpr int kTrials = 40'000;
  int crossings = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    double score = 0;
    bool has_crossed = false;
    for (std::size_t look = 0; look < fractions.size(); ++look) {
      score += 0.5 * random.Normal();
      has_crossed |= score > bounds[look] * std::sqrt(fractions[look]);
    }
    if (has_crossed) ++crossings;
  }

  // 3.5 standard errors of a share of 0.05 over the trials.
  EXPECT_NEAR(static_cast<double>(crossings) / kTrials, 0.05, 0.0038);
}

TEST(SequentialTestTest, SeesADifferenceWhereThereIsNoneInAtMostTheSignificance) {
  // 0.05 and 3 standard errors.
  EXPECT_LE(CountDifferent(0, 2'000), 130);
}

TEST(SequentialTestTest, FindsTheSmallestEffectNearlyAlways) {
  EXPECT_GE(CountDifferent(1, 500), 475);
}

TEST(SequentialTestTest, ALargeEffectIsSeenAtTheFirstLooks) {
  const SequentialResult result = TestSequentially(NormalRounds(4, 6, 40), {});

  EXPECT_EQ(result.outcome, SequentialOutcome::kDiffers);
  EXPECT_LE(result.side_count, 6);
}

TEST(SequentialTestTest, LaterRoundsDoNotChangeADecision) {
  std::vector<SequentialRound> rounds = NormalRounds(4, 3, 10);
  const SequentialResult before = TestSequentially(rounds, {});
  for (const SequentialRound& round : NormalRounds(5, -50, 10)) rounds.push_back(round);

  EXPECT_EQ(before.outcome, SequentialOutcome::kDiffers);
  EXPECT_EQ(TestSequentially(rounds, {}).outcome, SequentialOutcome::kDiffers);
}

TEST(SequentialTestTest, WithoutNoiseThreeRunsASideDecide) {
  const std::vector<SequentialRound> higher = {{{1, 1, 1}, {2, 2, 2}}};
  const std::vector<SequentialRound> lower = {{{2, 2, 2}, {1, 1, 1}}};
  const std::vector<SequentialRound> equal = {{{1, 1, 1}, {1, 1, 1}}};

  EXPECT_EQ(TestSequentially(higher, {}).outcome, SequentialOutcome::kDiffers);
  EXPECT_EQ(TestSequentially(lower, {}).outcome, SequentialOutcome::kDoesNotDiffer);
  EXPECT_EQ(TestSequentially(equal, {}).outcome, SequentialOutcome::kDoesNotDiffer);
}

TEST(SequentialTestTest, ASureDifferenceBelowTheMinimumIsNone) {
  const std::vector<SequentialRound> rounds = NormalRounds(4, 6, 40);

  EXPECT_EQ(TestSequentially(rounds, {.minimum_shift = 20}).outcome,
            SequentialOutcome::kDoesNotDiffer);
}

TEST(SequentialTestTest, NoRoundsOrOneSideGoOn) {
  const std::vector<SequentialRound> one_sided = {{{1, 2, 3, 4}, {}}};

  EXPECT_EQ(TestSequentially({}, {}).outcome, SequentialOutcome::kContinue);
  EXPECT_EQ(TestSequentially(one_sided, {}).outcome, SequentialOutcome::kContinue);
}

}  // namespace
}  // namespace schedlab::stats
