#include "client/series_input.h"

#include <gtest/gtest.h>

namespace schedlab::client {
namespace {

using Runs = std::vector<std::vector<double>>;

Runs RunsOf(std::string_view text) {
  const auto points = ParseSeriesInput(text, "f");
  Runs runs;
  for (const InputPoint& point : *points) runs.push_back(point.runs);
  return runs;
}

TEST(SeriesInputTest, ALineIsARevisionAndItsNumbersAreRuns) {
  EXPECT_EQ(RunsOf("1,2.5\n-3e2\n"), (Runs{{1, 2.5}, {-300}}));
}

TEST(SeriesInputTest, AHeadingAndEmptyLinesAreSkipped) {
  EXPECT_EQ(RunsOf("files_per_sec\r\n\r\n 1 \r\n2"), (Runs{{1}, {2}}));
}

TEST(SeriesInputTest, JsonHasNumbersOrArraysOfThem) {
  EXPECT_EQ(RunsOf(" [1, [2, 3], 4.5]"), (Runs{{1}, {2, 3}, {4.5}}));
}

TEST(SeriesInputTest, CommitsStandBesideTheirValues) {
  const std::vector<InputPoint> points = {{.commit = "a1", .runs = {1.5}, .mean_count = 3},
                                          {.commit = "b2", .runs = {}, .mean_count = 1},
                                          {.commit = "c3", .runs = {2}, .mean_count = 5}};

  EXPECT_EQ(ParseSeriesInput("commit,value,count\na1,1.5,3\nb2,,0\nc3,2,5\n", "f").value(), points);
  EXPECT_EQ(ParseSeriesInput("a1,1.5,3\nb2,7,0\nc3,2,5\n", "f").value(), points);
  EXPECT_EQ(ParseSeriesInput("count, value, commit\n3,1.5,a1\n0,,b2\n5,2,c3\n", "f").value(),
            points);
}

TEST(SeriesInputTest, NeighbouringLinesOfACommitAreItsRuns) {
  EXPECT_EQ(RunsOf("commit,value\na,1\na,2\nb,3\n"), (Runs{{1, 2}, {3}}));
}

TEST(SeriesInputTest, AFirstColumnThatCountsTheLinesIsTheCommit) {
  EXPECT_EQ(RunsOf("7,1.5\n8,2\n9,2.5\n"), (Runs{{1.5}, {2}, {2.5}}));
  EXPECT_EQ(RunsOf("7,1.5\n8,2\n9.5,2.5\n"), (Runs{{7, 1.5}, {8, 2}, {9.5, 2.5}}));
}

TEST(SeriesInputTest, AMistakeInALineOfACommitIsNamed) {
  const auto message = [](std::string_view text) {
    return ParseSeriesInput(text, "f.csv").error().message;
  };

  EXPECT_EQ(message("commit,value\na,1\nb,nan\n"), "f.csv:3: the value 'nan' is not a number");
  EXPECT_EQ(message("commit,value\na,1\nb,inf\n"), "f.csv:3: the value 'inf' is not a number");
  EXPECT_EQ(message("commit,value\na\n"), "f.csv:2: 'a' lacks a field");
  EXPECT_EQ(message("commit,value\n,1\n"), "f.csv:2: names no commit");
  EXPECT_EQ(message("commit,value,count\na,1,-1\n"),
            "f.csv:2: the count '-1' is not a whole number of 0 or more");
  EXPECT_EQ(message("commit,value,count\na,1,1.5\n"),
            "f.csv:2: the count '1.5' is not a whole number of 0 or more");
  EXPECT_EQ(
      message("commit,value\na,1\nb,2\na,3\n"),
      "f.csv:4: commit 'a' stands in line 2 already, with others between: give the commits in "
      "the order of the history");
  EXPECT_EQ(message("commit,value,count\na,1,2\na,3,2\n"),
            "f.csv:3: commit 'a' has a second line: with counts each has one");
  EXPECT_EQ(message("commit,value,count\na,1,0\n"), "f.csv: has no numbers");
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
