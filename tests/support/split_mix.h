#pragma once

#include <cmath>
#include <cstdint>

namespace schedlab::testing {

// SplitMix64 (Steele, Lea and Flood 2014) with distributions of our own: those of the standard
// library differ between implementations, so that a test's numbers would.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
  }

  // In (0, 1), never an end.
  double Uniform() { return (static_cast<double>(Next() >> 11) + 0.5) * 0x1p-53; }

  // In [0, bound). Requires: bound > 0. The bias of bound / 2^64 is of no account here.
  std::uint64_t Below(std::uint64_t bound) { return Next() % bound; }

  // Standard normal (Box and Muller 1958).
  double Normal() {
    constexpr double kTwoPi = 6.283185307179586;
    return std::sqrt(-2 * std::log(Uniform())) * std::cos(kTwoPi * Uniform());
  }

  // Student's t with 3 degrees of freedom, scaled to variance 1.
  double HeavyTailed() {
    const double numerator = Normal();
    double squares = 0;
    for (int i = 0; i < 3; ++i) {
      const double normal = Normal();
      squares += normal * normal;
    }
    return numerator / std::sqrt(squares / 3) / std::sqrt(3.0);
  }

 private:
  std::uint64_t state_;
};

}  // namespace schedlab::testing
