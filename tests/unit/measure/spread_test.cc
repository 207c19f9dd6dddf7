#include "measure/spread.h"

#include <gtest/gtest.h>

namespace schedlab::measure {
namespace {

TEST(SpreadTest, OfFiveRoundsTheQuartilesAreTheSecondAndTheFourth) {
  const Spread spread = SpreadOf({5, 1, 4, 2, 3});

  EXPECT_EQ(spread.minimum, 1);
  EXPECT_EQ(spread.lower_quartile, 2);
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.upper_quartile, 4);
  EXPECT_EQ(spread.round_count, 5);
}

TEST(SpreadTest, WithoutRoundsNothingWasMeasured) {
  EXPECT_FALSE(SpreadOf({}).is_measured());
  EXPECT_TRUE(SpreadOf({0}).is_measured());
}

}  // namespace
}  // namespace schedlab::measure
