#include "measure/channel.h"

#include <gtest/gtest.h>

#include <utility>

namespace schedlab::measure {
namespace {

class ChannelTest : public ::testing::TestWithParam<ChannelKind> {};

TEST_P(ChannelTest, WhatIsWrittenCanBeRead) {
  const Result<Channel> channel = Channel::Open(GetParam());

  ASSERT_TRUE(channel.has_value());
  EXPECT_TRUE(channel->Write(100));
  EXPECT_TRUE(channel->Write(100));
  EXPECT_TRUE(channel->Read(200));
}

TEST_P(ChannelTest, AMovedOneIsStillOpen) {
  Result<Channel> opened = Channel::Open(GetParam());
  ASSERT_TRUE(opened.has_value());
  const Channel channel(std::move(*opened));

  EXPECT_TRUE(channel.Write(1));
  EXPECT_TRUE(channel.Read(1));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ChannelTest,
                         ::testing::Values(ChannelKind::kPipe, ChannelKind::kSocket));

}  // namespace
}  // namespace schedlab::measure
