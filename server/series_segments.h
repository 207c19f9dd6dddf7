#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/alert.h"
#include "core/series.h"

namespace schedlab::server {

// Revisions by their ordinals, both ends included.
struct OrdinalRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  friend bool operator==(const OrdinalRange&, const OrdinalRange&) = default;
};

// The segments on both sides of a change point.
struct SegmentPair {
  OrdinalRange before;
  OrdinalRange after;
};

// The segments that `change` parts, bounded by its neighbours among `change_points` of its series.
SegmentPair SegmentsAround(std::span<const StoredChangePoint> change_points,
                           const StoredChangePoint& change);

// The samples of every point in the range, in order.
std::vector<double> SamplesIn(std::span<const Point> points, const OrdinalRange& range);

}  // namespace schedlab::server
