#pragma once

#include <cstdint>
#include <string>

namespace schedlab {

// What the A/A evaluations of a project found. An evaluation with a metric that is called worse or
// better is a false alarm.
struct FalseAlarms {
  std::string project;
  std::int64_t evaluation_count = 0;
  std::int64_t alarm_count = 0;  // of the evaluations
  std::int64_t cell_count = 0;   // headline metrics in scenarios, over all evaluations
  std::int64_t false_count = 0;  // of the cells

  friend bool operator==(const FalseAlarms&, const FalseAlarms&) = default;
};

// A share of so many with its 95 % interval, by Wilson (1927).
struct Share {
  double value = 0;
  double low = 0;
  double high = 1;
};

// Requires: 0 <= count <= of, and of > 0.
Share ShareOf(std::int64_t count, std::int64_t of);

}  // namespace schedlab
