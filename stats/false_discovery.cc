#include "stats/false_discovery.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "core/check.h"

namespace schedlab::stats {

std::vector<double> AdjustForFalseDiscovery(std::span<const double> p_values) {
  std::vector<std::size_t> by_p_value(p_values.size());
  std::iota(by_p_value.begin(), by_p_value.end(), std::size_t{0});
  std::stable_sort(by_p_value.begin(), by_p_value.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  const auto count = static_cast<double>(p_values.size());
  std::vector<double> adjusted(p_values.size());
  double smallest = 1;
  for (std::size_t rank = p_values.size(); rank > 0; --rank) {
    const std::size_t index = by_p_value[rank - 1];
    SCHEDLAB_CHECK(p_values[index] >= 0 && p_values[index] <= 1);
    smallest = std::min(smallest, p_values[index] * count / static_cast<double>(rank));
    adjusted[index] = smallest;
  }
  return adjusted;
}

}  // namespace schedlab::stats
