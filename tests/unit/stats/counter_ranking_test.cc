#include "stats/counter_ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "stats/effect.h"
#include "tests/support/noisy_series.h"

namespace schedlab::stats {
namespace {

std::vector<std::string> NamesOf(const std::vector<CounterMove>& moves) {
  std::vector<std::string> names;
  names.reserve(moves.size());
  for (const CounterMove& move : moves) names.push_back(move.name);
  return names;
}

TEST(RankCountersTest, FurthestBeyondItsNoiseComesFirst) {
  const std::vector<CounterSamples> counters = {
      {"migrations", false, {100, 102, 98, 101, 99}, {120, 122, 118, 121, 119}},
      {"noise", false, {100, 140, 60, 90, 110}, {105, 145, 65, 95, 115}},
      {"idle_balance_calls", false, {100, 102, 98, 101, 99}, {180, 182, 178, 181, 179}}};

  const std::vector<CounterMove> moves = *RankCounters(counters);

  EXPECT_EQ(NamesOf(moves), (std::vector<std::string>{"idle_balance_calls", "migrations"}));
  EXPECT_NEAR(*moves.front().relative_change, 0.8, 0.01);
  EXPECT_NEAR(moves.back().effect_in_sd, 20 / 1.4826, 0.1);
}

TEST(RankCountersTest, ChangeFromZeroHasNoRelativeChange) {
  const std::vector<CounterSamples> counters = {{"kicks", false, {0, 0, 0, 0}, {5, 6, 7, 8}}};

  const std::vector<CounterMove> moves = *RankCounters(counters);

  ASSERT_EQ(moves.size(), 1U);
  EXPECT_FALSE(moves.front().relative_change.has_value());
  EXPECT_GT(moves.front().effect_in_sd, 0);
}

TEST(RankCountersTest, ChangesWithoutNoiseShareTheCapAndAreOrderedBySize) {
  const std::vector<CounterSamples> counters = {{"c", false, {4, 4, 4}, {2, 2, 2}},
                                                {"d", false, {1, 1, 1}, {10, 10, 10}},
                                                {"b", false, {1, 1, 1}, {2, 2, 2}},
                                                {"a", false, {0, 0, 0}, {1, 1, 1}}};

  const std::vector<CounterMove> moves = *RankCounters(counters);

  EXPECT_EQ(NamesOf(moves), (std::vector<std::string>{"a", "d", "c", "b"}));
  EXPECT_EQ(moves.front().effect_in_sd, kLargestEffectInSd);
  EXPECT_EQ(moves[2].effect_in_sd, -kLargestEffectInSd);
}

TEST(RankCountersTest, ACountVariesByTheRootOfItsMeanAtLeast) {
  const std::vector<CounterSamples> counters = {
      {"balances", true, {3, 3, 3, 3, 3, 3}, {0, 0, 0, 0, 0, 0}},
      {"kicks", true, {400, 400, 400, 400, 400, 400}, {1400, 1400, 1400, 1400, 1400, 1400}}};

  const std::vector<CounterMove> moves = *RankCounters(counters);

  EXPECT_EQ(NamesOf(moves), (std::vector<std::string>{"kicks", "balances"}));
  EXPECT_NEAR(moves.front().effect_in_sd, 1000 / 30.0, 1e-9);
  EXPECT_NEAR(moves.back().effect_in_sd, -3 / std::sqrt(1.5), 1e-9);
}

TEST(RankCountersTest, ACountThatVariesMoreHasItsOwnNoise) {
  const std::vector<CounterSamples> counters = {
      {"kicks", true, {60, 80, 100, 120, 140}, {260, 280, 300, 320, 340}}};

  const std::vector<CounterMove> moves = *RankCounters(counters);

  ASSERT_EQ(moves.size(), 1U);
  EXPECT_NEAR(moves.front().effect_in_sd, 200 / (20 * 1.4826), 0.01);
}

TEST(RankCountersTest, EqualRatiosAreOrderedByTheDifferenceThenTheName) {
  const std::vector<CounterSamples> counters = {{"c", false, {1, 1, 1}, {2, 2, 2}},
                                                {"a", false, {1, 1, 1}, {2, 2, 2}},
                                                {"b", false, {50, 50, 50}, {100, 100, 100}}};

  EXPECT_EQ(NamesOf(*RankCounters(counters)), (std::vector<std::string>{"b", "a", "c"}));
}

TEST(RankCountersTest, UnchangedAndUnmeasuredCountersAreLeftOut) {
  const std::vector<CounterSamples> counters = {{"same", false, {3, 3, 3}, {3, 3, 3}},
                                                {"zero", false, {0, 0}, {0, 0}},
                                                {"absent", false, {}, {1, 2, 3}},
                                                {"single", false, {1}, {9}}};

  EXPECT_TRUE(RankCounters(counters)->empty());
}

TEST(RankCountersTest, CounterThatIsNotFiniteIsNamed) {
  const std::vector<CounterSamples> counters = {
      {"waits", false, {1, std::numeric_limits<double>::quiet_NaN()}, {1, 2}}};

  EXPECT_EQ(RankCounters(counters).error().message,
            "counter waits: sample 1 is nan, not a finite number");
}

int CountTold(int trials) {
  int told = 0;
  for (int seed = 1; seed <= trials; ++seed) {
    testing::NoiseStream noise(testing::NoiseKind::kLogNormal, static_cast<std::uint64_t>(seed));
    std::vector<CounterSamples> counters;
    counters.reserve(40);
    for (int i = 0; i < 40; ++i) {
      counters.push_back({std::to_string(i), false, testing::MakeRuns(noise, 5, 500, 0.1),
                          testing::MakeRuns(noise, 5, 500, 0.1)});
    }
    if (!RankCounters(counters)->empty()) ++told;
  }
  return told;
}

// Of 40 unchanged counters hardly ever one is told: at 5 % in 25 of 500 trials, 40 with 3 errors.
TEST(RankCountersTest, NoiseIsNotTold) { EXPECT_LE(CountTold(500), 40); }

}  // namespace
}  // namespace schedlab::stats
