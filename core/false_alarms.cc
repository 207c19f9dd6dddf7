#include "core/false_alarms.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace schedlab {

Share ShareOf(std::int64_t count, std::int64_t of) {
  SCHEDLAB_CHECK(of > 0 && count >= 0 && count <= of);
  constexpr double kZ = 1.959963984540054;  // the normal quantile of 97.5 %
  const auto n = static_cast<double>(of);
  const double share = static_cast<double>(count) / n;
  const double scale = 1 + kZ * kZ / n;
  const double center = (share + kZ * kZ / (2 * n)) / scale;
  const double reach = kZ / scale * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n));
  return {
      .value = share, .low = std::max(0.0, center - reach), .high = std::min(1.0, center + reach)};
}

}  // namespace schedlab
