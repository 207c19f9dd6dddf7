#include "core/false_alarms.h"

#include <gtest/gtest.h>

namespace schedlab {
namespace {

// Without any, Wilson's upper end is z^2 / (n + z^2); with half of them the interval is symmetric.
TEST(ShareOfTest, HasItsClosedForms) {
  constexpr double kZ2 = 1.959963984540054 * 1.959963984540054;

  const Share none = ShareOf(0, 20);
  const Share half = ShareOf(10, 20);

  EXPECT_EQ(none.value, 0);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, kZ2 / (20 + kZ2), 1e-12);
  EXPECT_EQ(half.value, 0.5);
  EXPECT_NEAR(half.low + half.high, 1, 1e-12);
  EXPECT_NEAR(ShareOf(20, 20).low, 1 - none.high, 1e-12);
}

}  // namespace
}  // namespace schedlab
