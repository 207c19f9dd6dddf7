#include "server/series_segments.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace schedlab::server {
namespace {

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

RevisionRef RevisionAt(std::int64_t ordinal) {
  return {.id = "r" + std::to_string(ordinal), .ordinal = ordinal, .subject = "", .date = ""};
}

StoredChangePoint ChangeAt(std::int64_t ordinal) {
  StoredChangePoint change;
  change.revision = RevisionAt(ordinal);
  change.previous = RevisionAt(ordinal - 1);
  return change;
}

TEST(SegmentsAroundTest, AnOnlyChangePartsTheWholeSeries) {
  const std::vector changes = {ChangeAt(5)};

  const SegmentPair pair = SegmentsAround(changes, changes[0]);

  EXPECT_EQ(pair.before, (OrdinalRange{kFirst, 4}));
  EXPECT_EQ(pair.after, (OrdinalRange{5, kLast}));
}

TEST(SegmentsAroundTest, NeighboursBoundTheSegments) {
  const std::vector changes = {ChangeAt(2), ChangeAt(5), ChangeAt(9), ChangeAt(20)};

  const SegmentPair pair = SegmentsAround(changes, changes[1]);

  EXPECT_EQ(pair.before, (OrdinalRange{2, 4}));
  EXPECT_EQ(pair.after, (OrdinalRange{5, 8}));
}

TEST(SamplesInTest, BothEndsBelongToTheRange) {
  const std::vector<Point> points = {
      {RevisionAt(1), {1}}, {RevisionAt(2), {2, 3}}, {RevisionAt(5), {4}}, {RevisionAt(6), {5}}};

  EXPECT_EQ(SamplesIn(points, {2, 5}), (std::vector<double>{2, 3, 4}));
}

}  // namespace
}  // namespace schedlab::server
