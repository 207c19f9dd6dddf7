#include "stats/crossing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/check.h"
#include "stats/distributions.h"

namespace schedlab::stats {
namespace {

// Below -8 and above 16 there is nothing that would count in any chance above 1e-50.
constexpr double kLowest = -8;
constexpr double kHighest = 16;

// Gauss and Legendre's rule of 8 points on [-1, 1] (Abramowitz and Stegun, table 25.4), by half.
constexpr std::array<double, 4> kAbscissas = {0.183434642495650, 0.525532409916329,
                                              0.796666477413627, 0.960289856497536};
constexpr std::array<double, 4> kWeights = {0.362683783378362, 0.313706645877887, 0.222381034453374,
                                            0.101228536290376};
// In standard deviations of the step from look to look.
constexpr double kPanelWidth = 2;

double NormalDensity(double z) {
  constexpr double kInverseRootTwoPi = 0.3989422804014327;
  return kInverseRootTwoPi * std::exp(-z * z / 2);
}

}  // namespace

double CrossingProcess::DensityAt(double z) const {
  if (before_.empty()) return NormalDensity(z);
  const double step = std::sqrt(1 - correlation_ * correlation_);
  double density = 0;
  for (const Node& node : before_) {
    density += node.mass * NormalDensity((z - correlation_ * node.z) / step) / step;
  }
  return density;
}

double CrossingProcess::ChanceAbove(double bound) const {
  if (before_.empty()) return NormalUpperTail(bound);
  const double step = std::sqrt(1 - correlation_ * correlation_);
  double chance = 0;
  for (const Node& node : before_) {
    chance += node.mass * NormalUpperTail((bound - correlation_ * node.z) / step);
  }
  return chance;
}

double CrossingProcess::BoundWithChance(double chance) const {
  if (!(chance > 0)) return kFarthestBound;
  // Of the processes that exceed a bound here some have been stopped, so that the bound of one that
  // never was lies beyond the one sought. From there Newton's steps on the logarithm, which is
  // concave, come down without crossing it.
  double bound = std::min(kFarthestBound, -NormalQuantile(chance));
  constexpr int kMostSteps = 100;
  for (int step = 0; step < kMostSteps; ++step) {
    const double reached = ChanceAbove(bound);
    if (!(reached > 0)) break;
    const double move = reached / DensityAt(bound) * std::log(chance / reached);
    bound -= move;
    if (std::abs(move) < 1e-10) break;
  }
  return bound;
}

void CrossingProcess::Advance(double bound, double next_information) {
  SCHEDLAB_CHECK(next_information > information_);
  const double correlation = std::sqrt(information_ / next_information);
  const double step = std::sqrt(1 - correlation * correlation);
  const double end = std::clamp(bound, kLowest, kHighest);
  const double widest = kPanelWidth * std::min(1.0, step);
  const auto panels = static_cast<int>(std::ceil((end - kLowest) / widest));
  std::vector<Node> nodes;
  for (int panel = 0; panel < panels; ++panel) {
    const double half = (end - kLowest) / panels / 2;
    const double center = kLowest + (2 * panel + 1) * half;
    for (std::size_t i = 0; i < kAbscissas.size(); ++i) {
      for (const double side : {-1.0, 1.0}) {
        const double z = center + side * half * kAbscissas[i];
        nodes.push_back({.z = z, .mass = half * kWeights[i] * DensityAt(z)});
      }
    }
  }
  // A process that cannot go on has no nodes; one of no mass stands for it.
  if (nodes.empty()) nodes.push_back({});
  before_ = std::move(nodes);
  correlation_ = correlation;
  information_ = next_information;
}

}  // namespace schedlab::stats
