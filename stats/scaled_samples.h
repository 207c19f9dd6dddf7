#pragma once

#include <span>
#include <vector>

#include "stats/interval.h"
#include "stats/two_samples.h"

namespace schedlab::stats {

// The logarithm for samples that are all positive, since effects are ratios; else the samples
// themselves, as multiples of the magnitude of the baseline's median (where that is 0: of the mean
// magnitude of all samples).
enum class Scale { kLogarithmic, kPlain };

// The two sides on the scale on which they are tested.
struct ScaledSamples {
  Scale scale = Scale::kLogarithmic;
  std::vector<double> baseline;
  std::vector<double> candidate;

  TwoSamples View() const { return {.baseline = baseline, .candidate = candidate}; }
};

// Requires: both sides hold samples, all finite.
ScaledSamples ScaleSamples(const TwoSamples& samples);

// The minimum effect on the scale: changes between the bounds are not worth a person's time.
Interval BoundsOf(Scale scale, double minimum_effect);

double ToRelativeChange(Scale scale, double shift);

}  // namespace schedlab::stats
