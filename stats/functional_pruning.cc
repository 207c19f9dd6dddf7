#include "stats/functional_pruning.h"

#include <algorithm>
#include <cmath>

namespace schedlab::stats {
namespace {

// The cost of a later begin less that of an earlier one: a parabola over the level, open below.
struct Excess {
  double constant = 0;
  double slope = 0;
  double curvature = 0;  // < 0

  double At(double level) const { return constant + level * (slope + level * curvature); }
};

Excess ExcessOf(const BeginsByLevel::Begin& later, const BeginsByLevel::Begin& earlier) {
  return {.constant = later.constant - earlier.constant,
          .slope = later.slope - earlier.slope,
          .curvature = -static_cast<double>(later.begin - earlier.begin)};
}

struct Levels {
  double low = 0;
  double high = 0;
};

// Of a range, the part where the excess is not negative; low >= high if there is none.
Levels WhereNotNegative(const Excess& excess, Levels range) {
  // Between two levels where it is not negative, a parabola open below is not negative either.
  if (excess.At(range.low) >= 0 && excess.At(range.high) >= 0) return range;
  const double peak = excess.slope / (-2 * excess.curvature);
  const double height = excess.At(peak);
  if (!(height > 0)) return {};
  const double reach = std::sqrt(height / -excess.curvature);
  return {.low = std::max(range.low, peak - reach), .high = std::min(range.high, peak + reach)};
}

}  // namespace

void BeginsByLevel::Append(double low, double high, const Begin& begin) {
  if (!(low < high)) return;
  if (!pieces_.empty() && pieces_.back().begin.begin == begin.begin) {
    pieces_.back().high = high;
    return;
  }
  pieces_.push_back({.low = low, .high = high, .begin = begin});
}

void BeginsByLevel::Add(const Begin& begin) {
  std::swap(pieces_, former_);
  pieces_.clear();
  if (former_.empty()) return Append(lowest_, highest_, begin);
  for (const Piece& piece : former_) {
    const Levels kept =
        WhereNotNegative(ExcessOf(begin, piece.begin), {.low = piece.low, .high = piece.high});
    if (!(kept.low < kept.high)) {
      Append(piece.low, piece.high, begin);
      continue;
    }
    Append(piece.low, kept.low, begin);
    Append(kept.low, kept.high, piece.begin);
    Append(kept.high, piece.high, begin);
  }
}

}  // namespace schedlab::stats
