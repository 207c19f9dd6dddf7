#pragma once

#include <span>

#include "core/result.h"

namespace schedlab::stats {

// The runs of the two sides of a comparison. A view: the samples must outlive it.
struct TwoSamples {
  std::span<const double> baseline;
  std::span<const double> candidate;
};

// What the candidate is suspected to be, relative to the baseline.
enum class Alternative { kDifferent, kGreater, kLess };

// kInvalidArgument for an empty side or a value that is not finite.
Status CheckSides(const TwoSamples& samples);

// kInvalidArgument also for sides of unequal count.
Status CheckPairs(const TwoSamples& pairs);

}  // namespace schedlab::stats
