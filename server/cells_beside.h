#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/alert.h"
#include "server/series_segments.h"
#include "server/store/analysis_store.h"

namespace schedlab::server {

// What is told of where a change did not show, and as much of where it could not be told.
inline constexpr std::size_t kMaxUnchangedPerAlert = 200;

struct CellsBeside {
  std::vector<CellBeside> unchanged;  // the interval of the change lies within the minimum effect
  std::vector<CellBeside> undecided;  // all others
};

// Compares both sides of a change in series without a change of their own, in their order. One
// that has no samples on either side is left out. A pure function.
CellsBeside CompareBeside(std::span<const SeriesPoints* const> series, const SegmentPair& segments);

// Adds to a stored alert what has been measured in `others`, which have no cell in it.
// `change_points` are those of the series of CellOfRevision().
void AddCellsBeside(std::span<const SeriesPoints> others,
                    std::span<const StoredChangePoint> change_points, Alert& alert);

// The strongest cell that changed at the alert's revision, else the strongest. Requires: it has a
// cell.
const AlertCell& CellOfRevision(const Alert& alert);

}  // namespace schedlab::server
