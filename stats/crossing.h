#pragma once

#include <vector>

namespace schedlab::stats {

// A standard normal process that is looked at again and again, its values correlated as those of a
// sum at growing counts, and stopped for good at the first look that exceeds its bound. By
// repeated integration (Armitage, McPherson and Rowe 1969), to about 8 digits.
class CrossingProcess {
 public:
  // Requires: 0 < information, growing from look to look.
  explicit CrossingProcess(double first_information) : information_(first_information) {}

  // The chance that the present look is reached and exceeds `bound`.
  double ChanceAbove(double bound) const;
  // The bound that the present look exceeds with that chance; at most kFarthestBound.
  double BoundWithChance(double chance) const;
  // On to the look with that information, of those that did not exceed `bound`.
  void Advance(double bound, double next_information);

  static constexpr double kFarthestBound = 38;  // beyond, the normal tail is 0

 private:
  struct Node {
    double z = 0;
    double mass = 0;  // weight times density
  };

  double DensityAt(double z) const;

  double information_;
  // Where the process was at the look before, if there was one.
  std::vector<Node> before_;
  double correlation_ = 0;
};

}  // namespace schedlab::stats
