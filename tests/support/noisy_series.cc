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
  }
  return "unknown";
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
    case NoiseKind::kAutocorrelated: {
      constexpr double kCorrelation = 0.5;
      previous_ =
          kCorrelation * previous_ + std::sqrt(1 - kCorrelation * kCorrelation) * random_.Normal();
      return previous_;
    }
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

std::vector<stats::SeriesPoint> MakeSeries(const SeriesSpec& spec, std::uint64_t seed) {
  NoiseStream noise(spec.kind, seed);
  SplitMix revisions(~seed);
  std::vector<stats::SeriesPoint> series;
  double level = spec.level;
  double relative_noise = spec.noise;
  for (std::size_t point = 0; point < spec.point_count; ++point) {
    for (const Step& step : spec.steps) {
      if (step.at != point) continue;
      level *= step.factor;
      relative_noise *= step.noise_factor;
    }
    const double revision = level * (1 + spec.revision_noise * revisions.Normal());
    series.push_back({.samples = MakeRuns(noise, spec.runs_per_point, revision, relative_noise)});
  }
  return series;
}

}  // namespace schedlab::testing
