#include "server/series_segments.h"

#include <algorithm>
#include <limits>

namespace schedlab::server {

SegmentPair SegmentsAround(std::span<const StoredChangePoint> change_points,
                           const StoredChangePoint& change) {
  SegmentPair pair{.before = {std::numeric_limits<std::int64_t>::min(), change.previous.ordinal},
                   .after = {change.revision.ordinal, std::numeric_limits<std::int64_t>::max()}};
  for (const StoredChangePoint& other : change_points) {
    if (other.revision.ordinal < change.revision.ordinal) {
      pair.before.first = std::max(pair.before.first, other.revision.ordinal);
    } else if (other.revision.ordinal > change.revision.ordinal) {
      pair.after.last = std::min(pair.after.last, other.previous.ordinal);
    }
  }
  return pair;
}

std::vector<double> SamplesIn(std::span<const Point> points, const OrdinalRange& range) {
  std::vector<double> samples;
  for (const Point& point : points) {
    if (point.revision.ordinal < range.first || point.revision.ordinal > range.last) continue;
    samples.insert(samples.end(), point.samples.begin(), point.samples.end());
  }
  return samples;
}

}  // namespace schedlab::server
