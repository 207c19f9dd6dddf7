#pragma once

#include <cstdint>
#include <vector>

namespace schedlab::measure {

// What repeated rounds of one measurement gave, in nanoseconds unless said otherwise. Without
// rounds it was not measured, and the numbers mean nothing.
struct Spread {
  double median = 0;
  double minimum = 0;
  double lower_quartile = 0;
  double upper_quartile = 0;
  std::int64_t round_count = 0;

  bool is_measured() const { return round_count > 0; }
};

Spread SpreadOf(const std::vector<double>& rounds);

}  // namespace schedlab::measure
