#pragma once

#include <cstdint>

namespace schedlab::measure {

// How much is measured: rounds of each measurement, and operations of a round in thousandths of
// what a measurement does by default.
struct Effort {
  std::int64_t round_count = 21;
  std::int64_t size_permille = 1000;

  std::int64_t Operations(std::int64_t by_default) const {
    const std::int64_t count = by_default * size_permille / 1000;
    return count > 0 ? count : 1;
  }
};

}  // namespace schedlab::measure
