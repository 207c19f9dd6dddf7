#include "stats/effect.h"

#include <algorithm>
#include <cmath>

namespace schedlab::stats {

double EffectInSd(double change, double noise_stddev) {
  if (change == 0) return 0;
  if (!(noise_stddev > 0)) return std::copysign(kLargestEffectInSd, change);
  return std::clamp(change / noise_stddev, -kLargestEffectInSd, kLargestEffectInSd);
}

}  // namespace schedlab::stats
