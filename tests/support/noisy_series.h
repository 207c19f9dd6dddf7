#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "stats/change_points.h"
#include "tests/support/split_mix.h"

namespace schedlab::testing {

// Shapes of run-to-run noise. Standard deviation 1 unless said otherwise.
enum class NoiseKind {
  kNormal,
  kHeavyTailed,             // Student's t with 3 degrees of freedom
  kLogNormal,               // skewed: exp of a normal of standard deviation 0.7
  kAutocorrelated,          // AR(1) from run to run with 0.5
  kSpiky,                   // normal, and 2 % of the runs 8 higher
  kBimodal,                 // normal of 0.4, and 30 % of the runs 2 higher: centred, 1 in all
  kStronglyAutocorrelated,  // AR(1) from run to run with 0.8
};

// The six that the false alarms and the power are judged by.
inline constexpr std::array kAllNoiseKinds = {NoiseKind::kNormal,    NoiseKind::kHeavyTailed,
                                              NoiseKind::kLogNormal, NoiseKind::kAutocorrelated,
                                              NoiseKind::kSpiky,     NoiseKind::kBimodal};

std::string_view ToString(NoiseKind kind);

// A stream of noise of one kind.
class NoiseStream {
 public:
  NoiseStream(NoiseKind kind, std::uint64_t seed) : kind_(kind), random_(seed) {}

  double Next();

 private:
  double NextAutocorrelated(double correlation);

  NoiseKind kind_;
  SplitMix random_;
  double previous_ = 0;
};

// From point `at` on, the level and the noise are so many times what they were before.
struct Step {
  std::size_t at = 0;
  double factor = 1;
  double noise_factor = 1;
};

struct SeriesSpec {
  std::size_t point_count = 27;
  std::size_t runs_per_point = 5;
  double level = 1000;
  double noise = 0.02;        // of the runs, relative to the level
  double revision_noise = 0;  // normal, shared by the runs of a point
  NoiseKind kind = NoiseKind::kNormal;
  std::vector<Step> steps = {};
  // Movement that is no step, in multiples of the noise.
  double slope = 0;                        // of a straight line, from point to point
  std::size_t slope_from = 0;              // level before this point
  std::size_t slope_to = ~std::size_t{0};  // and from this one on
  double walk = 0;                         // the step of a random walk
  double season = 0;                       // the amplitude of a wave of 24 points
};

// Values are level * (1 + noise * z) for z of the kind, and never below a hundredth of the level.
std::vector<stats::SeriesPoint> MakeSeries(const SeriesSpec& spec, std::uint64_t seed);

// `count` runs of one revision at a level.
std::vector<double> MakeRuns(NoiseStream& noise, std::size_t count, double level,
                             double relative_noise);

}  // namespace schedlab::testing
