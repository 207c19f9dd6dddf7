#pragma once

namespace schedlab::stats {

// No effect is told as larger than this: beyond it, it is the noise estimate that varies.
inline constexpr double kLargestEffectInSd = 100;

// The change in standard deviations of one run, with its sign, within +-kLargestEffectInSd, which
// also stands for a change without any noise. Requires: noise_stddev >= 0.
double EffectInSd(double change, double noise_stddev);

}  // namespace schedlab::stats
