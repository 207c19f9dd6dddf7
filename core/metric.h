#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace schedlab {

enum class Direction { kHigherIsBetter, kLowerIsBetter };

// Headline metrics are judged; counters explain and are never judged alone.
enum class MetricRole { kHeadline, kCounter };

// A measured quantity, as catalog/metrics.toml describes it.
struct MetricSpec {
  std::string name;
  std::string unit;
  Direction direction = Direction::kHigherIsBetter;
  MetricRole role = MetricRole::kCounter;
  std::string meaning;  // one sentence in words
  // The smallest relative change that is worth a person's time, e.g. 0.03. Headline metrics only.
  double minimum_effect = 0;

  friend bool operator==(const MetricSpec&, const MetricSpec&) = default;
};

// "higher_is_better" or "lower_is_better".
std::string_view ToString(Direction direction);
// "headline" or "counter".
std::string_view ToString(MetricRole role);

}  // namespace schedlab
