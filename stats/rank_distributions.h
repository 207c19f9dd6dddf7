#pragma once

#include <cstddef>
#include <vector>

namespace schedlab::stats {

struct Ranks {
  // Twice the rank of each value, so that the mean rank of a tie stays whole.
  std::vector<std::size_t> doubled;
  double tie_term = 0;  // sum of t^3 - t over the ties
};

Ranks RankOf(const std::vector<double>& values);

// Up to these sizes the counts below are whole numbers that a double holds exactly.
inline constexpr std::size_t kExactPairCount = 400;
inline constexpr std::size_t kExactDifferenceCount = 50;

// result[s]: in how many ways `chosen_count` of the ranks sum to s.
std::vector<double> CountSums(const std::vector<std::size_t>& ranks, std::size_t chosen_count);

// result[s]: in how many of the 2^n choices of signs the positive ranks sum to s.
std::vector<double> CountSignedSums(const std::vector<std::size_t>& ranks);

// Of Mann-Whitney's U and of the signed-rank sum where nothing differs, corrected for ties.
double StddevOfU(double baseline_count, double candidate_count, double tie_term);
double StddevOfSignedRank(double count, double tie_term);

}  // namespace schedlab::stats
