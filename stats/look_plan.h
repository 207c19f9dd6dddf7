#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"

namespace schedlab::stats {

inline constexpr std::size_t kMostLooks = 12;

// Of the significance alpha of a whole one-sided test, how much may be used up when the share
// `information` of the runs is there: Lan and DeMets' spending in the shape of O'Brien and Fleming,
// 2 (1 - Phi(z(alpha / 2) / sqrt(information))). Requires: alpha in (0, 1), information in (0, 1].
double SpentSignificance(double alpha, double information);

// At which counts of runs a side a comparison is looked at, and what each look must show for the
// chance of an error at any of them to stay below a level.
class LookPlan {
 public:
  // kInvalidArgument unless there are 1 to kMostLooks counts, each in [1, kMostPlannedRuns] and
  // larger than the one before.
  static Result<LookPlan> Make(std::vector<std::int64_t> looks);
  // After 3, 5, 8 and 12 runs a side.
  static LookPlan Default();

  const std::vector<std::int64_t>& looks() const { return looks_; }

  // The p-value that one look, as if it were the only one, has to reach for the whole plan to hold
  // `alpha`, in (0, 0.5].
  double LevelAt(std::size_t look_index, double alpha) const;

  // The least `alpha` at which the look rejects: from the p-value of the look to one that holds
  // whenever one stops. 1 from where it would exceed 0.5; no less than 1e-12 unless p is 0.
  double SequentialPValue(std::size_t look_index, double p_value) const;

  // The chance to have rejected at or before each look, if look i would reject with the chance
  // powers[i] where it is the only one. Requires: as many as looks.
  std::vector<double> PowerByLook(std::span<const double> powers) const;

 private:
  explicit LookPlan(std::vector<std::int64_t> looks);

  std::vector<double> BoundariesFor(double alpha) const;

  std::vector<std::int64_t> looks_;
  std::vector<double> information_;
  // boundaries_[i][node]: the normal deviate that look i must reach, for the alphas of the nodes.
  std::vector<std::vector<double>> boundaries_;
};

}  // namespace schedlab::stats
