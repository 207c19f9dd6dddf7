#include "measure/handoff.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/measure/keeps_affinity.h"

namespace schedlab::measure {
namespace {

constexpr Effort kLeast{.round_count = 2, .size_permille = 1};

class HandoffTest : public KeepsAffinity, public ::testing::WithParamInterface<Sides> {};

TEST_P(HandoffTest, ARingOfManyGivesAsManyRoundsAsAPair) {
  const std::int32_t cpu = cpus().front();

  const Result<Spread> pair = MeasureHandoff(cpu, {.sides = GetParam()}, kLeast);
  const Result<Spread> ring = MeasureHandoff(cpu, {.sides = GetParam(), .member_count = 9}, kLeast);

  ASSERT_TRUE(pair.has_value() && ring.has_value());
  EXPECT_EQ(pair->round_count, 2);
  EXPECT_EQ(ring->round_count, 2);
  EXPECT_GT(ring->minimum, 0);
}

INSTANTIATE_TEST_SUITE_P(Sides, HandoffTest, ::testing::Values(Sides::kThreads, Sides::kProcesses));

TEST(HandoffPlaceTest, ACpuThatDoesNotExistIsNamed) {
  const Result<Spread> measured = MeasureHandoff(1'000'000, {}, kLeast);

  ASSERT_FALSE(measured.has_value());
  EXPECT_NE(measured.error().message.find("1000000"), std::string::npos);
}

}  // namespace
}  // namespace schedlab::measure
