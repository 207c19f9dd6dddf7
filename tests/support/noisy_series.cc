#include "tests/support/noisy_series.h"

#include <algorithm>
#include <cmath>

namespace schedlab::testing {

std::string_view ToString(NoiseKind kind) {
  switch (kind) {
    case NoiseKind::kNormal:
      return "normal";
    case NoiseKind::kHeavyTailed:
      return "t3";
    case NoiseKind::kLogNormal:
      return "log-normal";
    case NoiseKind::kAutocorrelated:
      return "AR(1) 0.5";
    case NoiseKind::kSpiky:
      return "2 % spikes";
    case NoiseKind::kBimodal:
      return "bimodal";
    case NoiseKind::kStronglyAutocorrelated:
      return "AR(1) 0.8";
  }
  return "unknown";
}

double NoiseStream::NextAutocorrelated(double correlation) {
  previous_ = correlation * previous_ + std::sqrt(1 - correlation * correlation) * random_.Normal();
  return previous_;
}

double NoiseStream::Next() {
  switch (kind_) {
    case NoiseKind::kNormal:
      return random_.Normal();
    case NoiseKind::kHeavyTailed:
      return random_.HeavyTailed();
    case NoiseKind::kLogNormal: {
      constexpr double kSigma = 0.7;
      const double mean = std::exp(kSigma * kSigma / 2);
      const double stddev = mean * std::sqrt(std::expm1(kSigma * kSigma));
      return (std::exp(kSigma * random_.Normal()) - mean) / stddev;
    }
    case NoiseKind::kAutocorrelated:
      return NextAutocorrelated(0.5);
    case NoiseKind::kStronglyAutocorrelated:
      return NextAutocorrelated(0.8);
    case NoiseKind::kSpiky: {
      const double spike = random_.Uniform() < 0.02 ? 8 : 0;
      return random_.Normal() + spike;
    }
    case NoiseKind::kBimodal: {
      const double mode = random_.Uniform() < 0.3 ? 2 : 0;
      return mode - 0.6 + 0.4 * random_.Normal();
    }
  }
  return 0;
}

std::vector<double> MakeRuns(NoiseStream& noise, std::size_t count, double level,
                             double relative_noise) {
  std::vector<double> runs;
  for (std::size_t i = 0; i < count; ++i) {
    runs.push_back(level * std::max(0.01, 1 + relative_noise * noise.Next()));
  }
  return runs;
}

namespace {

// The movement of a series that is no step, in multiples of the noise.
class Movement {
 public:
  Movement(const SeriesSpec& spec, std::uint64_t seed) : spec_(spec), random_(seed ^ 0x5A5A) {}

  double At(std::size_t point) {
    constexpr double kTwoPi = 6.283185307179586;
    constexpr double kPointsPerWave = 24;
    if (spec_.walk > 0) walked_ += spec_.walk * random_.Normal();
    const std::size_t sloped = std::min(point, spec_.slope_to) - std::min(point, spec_.slope_from);
    return walked_ + spec_.slope * static_cast<double>(sloped) +
           spec_.season * std::sin(kTwoPi * static_cast<double>(point) / kPointsPerWave);
  }

 private:
  const SeriesSpec& spec_;
  SplitMix random_;
  double walked_ = 0;
};

}  // namespace

std::vector<stats::SeriesPoint> MakeSeries(const SeriesSpec& spec, std::uint64_t seed) {
  NoiseStream noise(spec.kind, seed);
  SplitMix revisions(~seed);
  Movement movement(spec, seed);
  std::vector<stats::SeriesPoint> series;
  double level = spec.level;
  double relative_noise = spec.noise;
  for (std::size_t point = 0; point < spec.point_count; ++point) {
    for (const Step& step : spec.steps) {
      if (step.at != point) continue;
      level *= step.factor;
      relative_noise *= step.noise_factor;
    }
    const double revision = level * (1 + spec.revision_noise * revisions.Normal()) *
                            (1 + spec.noise * movement.At(point));
    series.push_back({.samples = MakeRuns(noise, spec.runs_per_point, revision, relative_noise)});
  }
  return series;
}

}  // namespace schedlab::testing
