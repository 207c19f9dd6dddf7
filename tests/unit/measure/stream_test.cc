#include "measure/stream.h"

#include <gtest/gtest.h>

#include "tests/unit/measure/keeps_affinity.h"

namespace schedlab::measure {
namespace {

constexpr Effort kLeast{.round_count = 2, .size_permille = 1};
constexpr MessageSetting kFew{.kind = ChannelKind::kSocket, .bytes = 100, .channel_count = 2};

class StreamTest : public KeepsAffinity {};

TEST_F(StreamTest, AnExchangeByTurnsIsGivenForOneChannel) {
  const Result<Spread> measured = MeasureExchange(
      {.kind = ChannelKind::kPipe, .bytes = 1, .channel_count = 16}, cpus().front(), kLeast);

  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->round_count, 2);
  EXPECT_GT(measured->minimum, 0);
}

class BothAtOnceTest : public KeepsAffinity, public ::testing::WithParamInterface<Reads> {};

TEST_P(BothAtOnceTest, EachRoundHasATimeToWriteAndOneToRead) {
  const Result<MessageTimes> measured =
      MeasureMessagesAtOnce(kFew, GetParam(), {cpus().front(), cpus().back()}, kLeast);

  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->write.round_count, 2);
  EXPECT_EQ(measured->read.round_count, 2);
  EXPECT_GT(measured->write.minimum, 0);
  EXPECT_GT(measured->read.minimum, 0);
}

INSTANTIATE_TEST_SUITE_P(Readers, BothAtOnceTest, ::testing::Values(Reads::kOwn, Reads::kOthers));

}  // namespace
}  // namespace schedlab::measure
