#include "client/series_input.h"

#include <gtest/gtest.h>

namespace schedlab::client {
namespace {

using Samples = std::vector<std::vector<double>>;

TEST(SeriesInputTest, ALineIsARevisionAndItsNumbersAreRuns) {
  EXPECT_EQ(ParseSeriesInput("1,2.5\n-3e2\n", "f").value(), (Samples{{1, 2.5}, {-300}}));
}

TEST(SeriesInputTest, AHeadingAndEmptyLinesAreSkipped) {
  EXPECT_EQ(ParseSeriesInput("files_per_sec\r\n\r\n 1 \r\n2", "f").value(), (Samples{{1}, {2}}));
}

TEST(SeriesInputTest, JsonHasNumbersOrArraysOfThem) {
  EXPECT_EQ(ParseSeriesInput(" [1, [2, 3], 4.5]", "f").value(), (Samples{{1}, {2, 3}, {4.5}}));
}

TEST(SeriesInputTest, AMistakeIsNamedByFileAndLine) {
  const auto samples = ParseSeriesInput("1\n2\nthree\n", "series.csv");

  EXPECT_EQ(samples.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(samples.error().message, "series.csv:3: 'three' is not a list of numbers");
}

TEST(SeriesInputTest, MalformedInputIsRefused) {
  for (const char* text : {"", "\n", "heading\n", "[", "[]", "[\"a\"]", "[[1], [null]]",
                           "{\"a\": 1}", "1\nnan\n", "1\n2,,3\n"}) {
    EXPECT_EQ(ParseSeriesInput(text, "f").error().code, ErrorCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace schedlab::client
