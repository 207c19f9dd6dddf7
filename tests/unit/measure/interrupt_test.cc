#include "measure/interrupt.h"

#include <gtest/gtest.h>

#include "tests/unit/measure/keeps_affinity.h"

namespace schedlab::measure {
namespace {

TEST(InterruptTest, AGapCountsThatLiesWithinACallOrItsMargin) {
  const std::vector<Gap> gaps = {{.begin_ns = 1'050, .length_ns = 900},
                                 {.begin_ns = 5'000, .length_ns = 900},
                                 {.begin_ns = 9'960, .length_ns = 2'030}};
  const std::vector<TimeSpan> calls = {{.begin_ns = 1'000, .end_ns = 2'000},
                                       {.begin_ns = 10'000, .end_ns = 11'950}};

  const std::vector<Gap> within = GapsWithin(gaps, calls, 50);

  ASSERT_EQ(within.size(), 2U);
  EXPECT_EQ(within[0].length_ns, 900);
  EXPECT_EQ(within[1].length_ns, 2'030);
}

TEST(InterruptTest, AGapThatReachesBeyondTheCallDoesNot) {
  const std::vector<TimeSpan> calls = {{.begin_ns = 1'000, .end_ns = 2'000}};

  EXPECT_TRUE(GapsWithin({{.begin_ns = 900, .length_ns = 500}}, calls, 50).empty());
  EXPECT_TRUE(GapsWithin({{.begin_ns = 1'900, .length_ns = 500}}, calls, 50).empty());
}

class InterruptPairTest : public KeepsAffinity {};

TEST_F(InterruptPairTest, ARoundOnTwoCpusEndsAndGivesNoLengthBelowZero) {
  const Result<Spread> measured =
      MeasureInterrupt({cpus().front(), cpus().back()}, {.round_count = 2, .size_permille = 50});

  ASSERT_TRUE(measured.has_value());
  EXPECT_LE(measured->round_count, 2);
  EXPECT_GE(measured->minimum, 0);
}

}  // namespace
}  // namespace schedlab::measure
