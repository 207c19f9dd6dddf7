#include "ingest/cpu_bitmap.h"

#include <gtest/gtest.h>

#include <string>

namespace schedlab::ingest {
namespace {

TEST(CpuBitmapTest, TheHighestWordStandsFirst) {
  const CpuBitmap bitmap = CpuBitmap::Parse("0x00000001,,0x80000003").value();

  EXPECT_TRUE(bitmap.Contains(0));
  EXPECT_TRUE(bitmap.Contains(1));
  EXPECT_TRUE(bitmap.Contains(31));
  EXPECT_TRUE(bitmap.Contains(64));
  EXPECT_FALSE(bitmap.Contains(2));
  EXPECT_FALSE(bitmap.Contains(-1));
  EXPECT_FALSE(bitmap.Contains(1'000'000));
  EXPECT_EQ(bitmap.Count(), 4);
}

TEST(CpuBitmapTest, WhatIsNoFiniteSetIsRefused) {
  EXPECT_FALSE(CpuBitmap::Parse(""));
  EXPECT_FALSE(CpuBitmap::Parse("0xf...f"));
  EXPECT_FALSE(CpuBitmap::Parse("0x123456789"));
  EXPECT_FALSE(CpuBitmap::Parse("0-3"));
  EXPECT_FALSE(CpuBitmap::Parse("0x"));
}

TEST(CpuBitmapTest, NumbersBeyondTheLimitAreRefused) {
  EXPECT_TRUE(CpuBitmap::Parse("0x1" + std::string(2'047, ',')));
  EXPECT_EQ(CpuBitmap::Parse("0x1" + std::string(2'048, ',')).error().message,
            "holds numbers above 65535");
}

}  // namespace
}  // namespace schedlab::ingest
