#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace schedlab {

// What one run measured. A metric that the run could not measure is absent, never 0.
struct RunResult {
  std::uint64_t digest = 0;  // of everything the run did, in order
  std::int64_t event_count = 0;
  std::int64_t simulated_ns = 0;
  std::map<std::string, double> metrics;  // by the names of catalog/metrics.toml, in its units

  friend bool operator==(const RunResult&, const RunResult&) = default;
};

}  // namespace schedlab
