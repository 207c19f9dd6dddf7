#pragma once

#include <span>
#include <vector>

#include "stats/change_points.h"

namespace schedlab::stats {

// A change that was reported once, while its series grows.
struct OpenChange {
  ChangePoint latest;        // as it was found last
  bool is_supported = true;  // found in the newest analysis
};

// What is open after an analysis found `found`, by index. No change vanishes: one that is not found
// any more stays as it was, unsupported. None doubles: a found point is the open change whose
// interval it overlaps, or else the one of the same direction that went missing between the same
// neighbours, and opens a new one only if it overlaps none.
std::vector<OpenChange> FollowChangePoints(std::span<const OpenChange> open,
                                           std::span<const ChangePoint> found);

}  // namespace schedlab::stats
