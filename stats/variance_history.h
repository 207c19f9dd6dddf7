#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stats/t_tests.h"

namespace schedlab::stats {

// No history counts for more degrees of freedom than this, however long it is: the noise of today
// need not be that of last year.
inline constexpr double kMostHistoryDegrees = 20;

// The distribution that true variances were drawn from: `variance` times d / chi^2 of d degrees,
// infinitely many where the estimates differ by no more than chance. By the method of moments on
// the logarithms (Smyth 2004, section 6.2, as limma's fitFDist). Requires: at least 2 estimates,
// none negative, one positive, of a positive count of degrees.
VarianceEstimate FitVariancePrior(std::span<const VarianceEstimate> estimates);

// The history of one metric from the variances of its earlier evaluations: pooled, and worth the
// fewest of all their degrees, of what is left of them if the noise changes from one to the next,
// and of kMostHistoryDegrees. Requires: as above, but one estimate will do.
NoiseHistory PoolHistory(std::span<const VarianceEstimate> earlier);

// The same from the runs of each earlier evaluation. Absent where they tell nothing: no evaluation
// has two runs, or all runs of each are alike. One with a value that is not positive is left out,
// as it has no logarithm.
std::optional<NoiseHistory> HistoryOfRuns(std::span<const std::vector<double>> evaluations);

// The noise of a cell's runs beside what its history says.
struct HistoryCheck {
  VarianceEstimate runs;
  NoiseHistory history;
};

// How many degrees of freedom the histories of the cells that are judged together deserve, at most
// kMostHistoryDegrees: the spread of runs against history beyond that of chance tells. Fewer than
// 10 cells tell nothing, and kMostHistoryDegrees is the answer. Cells without any noise are left
// out.
double DegreesDeserved(std::span<const HistoryCheck> cells);

}  // namespace schedlab::stats
