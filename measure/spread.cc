#include "measure/spread.h"

#include <algorithm>

#include "core/check.h"
#include "stats/summary.h"

namespace schedlab::measure {
namespace {

double QuantileOf(const std::vector<double>& rounds, double fraction) {
  const Result<double> quantile = stats::Quantile(rounds, fraction);
  SCHEDLAB_CHECK(quantile.has_value());
  return *quantile;
}

}  // namespace

Spread SpreadOf(const std::vector<double>& rounds) {
  if (rounds.empty()) return {};
  return {.median = QuantileOf(rounds, 0.5),
          .minimum = *std::min_element(rounds.begin(), rounds.end()),
          .lower_quartile = QuantileOf(rounds, 0.25),
          .upper_quartile = QuantileOf(rounds, 0.75),
          .round_count = static_cast<std::int64_t>(rounds.size())};
}

}  // namespace schedlab::measure
