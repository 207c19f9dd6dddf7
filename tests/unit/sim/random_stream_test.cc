#include "sim/random_stream.h"

#include <gtest/gtest.h>

#include <array>

namespace schedlab::sim {
namespace {

// A change of these is a new engine version: every digest depends on them.
TEST(RandomStreamTest, FirstOutputsArePinned) {
  RandomStream stream(42, "arrivals");
  std::array<std::uint64_t, 8> outputs{};
  for (std::uint64_t& output : outputs) output = stream.Next();

  EXPECT_EQ(outputs, (std::array<std::uint64_t, 8>{0x036180f2e7323afaU, 0x07d0e7165e0ea278U,
                                                   0xc17c8b6060861a48U, 0xacbbc39678307900U,
                                                   0x25ad72350395e131U, 0xdca2b32387921d45U,
                                                   0x190ae2ab09e4bff5U, 0x051be3a39aa307b9U}));
}

TEST(RandomStreamTest, StreamsOfTwoPurposesDiffer) {
  EXPECT_NE(RandomStream(42, "arrivals").Next(), RandomStream(42, "sleeps").Next());
}

TEST(RandomStreamTest, BelowReachesEveryValueAndNoOther) {
  RandomStream stream(1, "dice");
  std::array<int, 6> seen{};
  for (int i = 0; i < 6'000; ++i) ++seen.at(static_cast<std::size_t>(stream.Below(6)));

  for (const int count : seen) EXPECT_NEAR(count, 1'000, 150);  // five standard deviations
}

TEST(RandomStreamTest, AroundStaysWithinItsSpread) {
  RandomStream stream(1, "lengths");
  for (int i = 0; i < 1'000; ++i) {
    const SimDuration length = stream.Around(SimDuration(1'000), 500);
    EXPECT_GE(length.count(), 500);
    EXPECT_LE(length.count(), 1'500);
  }
}

}  // namespace
}  // namespace schedlab::sim
