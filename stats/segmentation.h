#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace schedlab::stats {

// The robust standard deviation of what remains of a series without its level, from the
// differences of neighbours: a few changes of level do not move it. 0 for fewer than 2 values.
double NoiseFromDifferences(std::span<const double> values);

// How much a value tells of the next one, in [0, 0.8], from the differences of neighbours and of
// next neighbours in the same segment. A lower estimate; 0 for fewer than 50 values.
double AutocorrelationFromDifferences(std::span<const double> values,
                                      std::span<const std::size_t> divisions);

// Values that stand alone, more than 3 `noise` away from the median of themselves and both
// neighbours, are replaced by it.
std::vector<double> WithoutSpikes(std::span<const double> values, double noise);

// The first values of all segments but the first in the division that minimises the squared
// distances from the segments' means plus `penalty` for each segment. No segment is shorter than
// `shortest_segment`.
std::vector<std::size_t> Divide(std::span<const double> values, double penalty,
                                std::size_t shortest_segment);

}  // namespace schedlab::stats
