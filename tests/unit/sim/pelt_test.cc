#include "sim/fair/pelt.h"

#include <gtest/gtest.h>

namespace schedlab::sim::fair {
namespace {

constexpr SimDuration kSegment{1'024 * 1'024};

SimTime After(SimDuration duration) { return SimTime(duration); }

TEST(PeltTest, ALoadIsHalvedIn32Segments) {
  EXPECT_EQ(DecayLoad(1'000'000, 0), 1'000'000);
  EXPECT_EQ(DecayLoad(1'000'000, 32), 500'000);
  EXPECT_EQ(DecayLoad(1'000'000, 64), 250'000);
}

TEST(PeltTest, SixteenSegmentsDecayByTheSquareRootOfAHalf) {
  EXPECT_NEAR(static_cast<double>(DecayLoad(1'000'000, 16)), 707'106.8, 2.0);
}

TEST(PeltTest, NothingIsLeftAfterTwoSeconds) { EXPECT_EQ(DecayLoad(47'742, 2'017), 0); }

// 1024 * y / (1 - y) = 46765 without truncation; with the segment at hand it makes about 47742.
TEST(PeltTest, AnEndlessHistoryAddsUpToTheKnownMaximum) {
  EXPECT_NEAR(static_cast<double>(DecayedSegments(1'000)), 46'765, 50);
}

TEST(PeltTest, AnAlwaysRunnableEntityHasItsFullWeight) {
  FairEntity entity;
  for (int i = 1; i <= 400; ++i) UpdateAverages(entity, After(kSegment * i), true);

  EXPECT_NEAR(static_cast<double>(entity.load), 1'024, 2);
}

TEST(PeltTest, HalfOfTheTimeIsHalfOfTheWeight) {
  FairEntity entity;
  for (int i = 1; i <= 800; ++i) UpdateAverages(entity, After(kSegment * i), i % 2 == 0);

  EXPECT_NEAR(static_cast<double>(entity.load), 512, 15);
}

TEST(PeltTest, SleepingFor32SegmentsHalvesTheLoad) {
  FairEntity entity;
  for (int i = 1; i <= 400; ++i) UpdateAverages(entity, After(kSegment * i), true);
  UpdateAverages(entity, After(kSegment * 432), false);

  EXPECT_NEAR(static_cast<double>(entity.load), 512, 8);
}

TEST(PeltTest, ANewEntityStartsWithItsFullWeight) {
  FairEntity entity;
  entity.weight = 335;
  InitAverages(entity, SimTime(), SimDuration(6'000'000));

  EXPECT_NEAR(static_cast<double>(entity.load), 335, 1);
}

TEST(PeltTest, ManySmallStepsEqualOneLargeOne) {
  FairEntity small;
  FairEntity large;
  for (int i = 1; i <= 1'000; ++i) UpdateAverages(small, After(SimDuration(102'400) * i), true);
  UpdateAverages(large, After(SimDuration(102'400'000)), true);

  EXPECT_NEAR(static_cast<double>(small.runnable_sum), static_cast<double>(large.runnable_sum),
              100);  // truncated once a segment instead of once
}

constexpr std::int64_t kLeastFull = 47'742 - 1'024;

// How many sums around multiples of what a full history comes to are not averaged as a division
// would.
int CountWrongAverages(std::int64_t quotient) {
  int wrong_count = 0;
  for (std::int64_t used = 0; used < 1'024; ++used) {
    const std::int64_t full = kLeastFull + used;
    for (const std::int64_t sum : {quotient * full - 1, quotient * full, quotient * full + 1}) {
      wrong_count += AverageOfSum(sum, used) == sum / full ? 0 : 1;
    }
  }
  return wrong_count;
}

TEST(PeltTest, AnAverageIsTheWholeQuotientOfItsSum) {
  EXPECT_EQ(CountWrongAverages(0), 0);
  EXPECT_EQ(CountWrongAverages(1), 0);
  EXPECT_EQ(CountWrongAverages(1'024), 0);
  EXPECT_EQ(CountWrongAverages(88'761 * 4), 0);
}

// 2^48 by the largest and the least divisor, and beyond what a product can divide.
TEST(PeltTest, AnAverageOfVeryMuchIsTheWholeQuotientToo) {
  const std::int64_t limit = std::int64_t{1} << 48;
  EXPECT_EQ(CountWrongAverages(limit / kLeastFull), 0);
  EXPECT_EQ(CountWrongAverages(limit / 47'741), 0);
  EXPECT_EQ(CountWrongAverages(limit), 0);
}

}  // namespace
}  // namespace schedlab::sim::fair
