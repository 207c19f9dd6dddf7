#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace schedlab::testing {

// Random choices that are a function of a seed, with draws of our own: the standard's distributions
// differ between libraries.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  std::uint64_t Number() { return random_(); }
  // From 0 to `bound` - 1.
  std::int64_t Below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }
  bool Chance(double probability) {
    constexpr double kResolution = 1e9;
    return static_cast<double>(Below(static_cast<std::int64_t>(kResolution))) <
           probability * kResolution;
  }
  std::chrono::microseconds Between(std::chrono::microseconds low, std::chrono::microseconds high) {
    return low + std::chrono::microseconds(Below((high - low).count() + 1));
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace schedlab::testing
