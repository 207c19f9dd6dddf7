#include "measure/tick.h"

#include <gtest/gtest.h>

namespace schedlab::measure {
namespace {

constexpr std::int64_t kPeriod = 4'000'000;

TEST(TickTest, AGapIsPeriodicIfAnotherFollowsAfterOnePeriod) {
  const std::vector<Gap> gaps = {{.begin_ns = 100'000, .length_ns = 900},
                                 {.begin_ns = 1'234'567, .length_ns = 50'000},
                                 {.begin_ns = 100'000 + kPeriod + 1'000, .length_ns = 800}};

  const std::vector<Gap> periodic = PeriodicGaps(gaps, kPeriod);

  ASSERT_EQ(periodic.size(), 1U);
  EXPECT_EQ(periodic[0].length_ns, 900);
}

TEST(TickTest, AGapThatIsAHundredthOfAPeriodOffIsNot) {
  const std::vector<Gap> gaps = {{.begin_ns = 0, .length_ns = 900},
                                 {.begin_ns = kPeriod + kPeriod / 100 + 1, .length_ns = 900}};

  EXPECT_TRUE(PeriodicGaps(gaps, kPeriod).empty());
}

TEST(TickTest, TheRateIsOneThatKernelsAreBuiltWith) {
  const std::int64_t hz = TickHz();

  EXPECT_GE(hz, 24);
  EXPECT_LE(hz, 10'000);
}

}  // namespace
}  // namespace schedlab::measure
