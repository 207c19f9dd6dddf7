#pragma once

namespace schedlab::stats {

// A closed interval; low <= high.
struct Interval {
  double low = 0;
  double high = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

}  // namespace schedlab::stats
