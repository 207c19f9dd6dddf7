#include "stats/rank_distributions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace schedlab::stats {

Ranks RankOf(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Ranks ranks;
  ranks.doubled.resize(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks.doubled[order[i]] = begin + end + 1;
    const auto tied = static_cast<double>(end - begin);
    ranks.tie_term += tied * tied * tied - tied;
    begin = end;
  }
  return ranks;
}

std::vector<double> CountSums(const std::vector<std::size_t>& ranks, std::size_t chosen_count) {
  // Without ties every doubled rank is even, and half the sums cannot occur.
  const bool are_even =
      std::all_of(ranks.begin(), ranks.end(), [](std::size_t rank) { return rank % 2 == 0; });
  const std::size_t unit = are_even ? 2 : 1;
  std::vector<std::size_t> descending = ranks;
  for (std::size_t& rank : descending) rank /= unit;
  std::sort(descending.begin(), descending.end(), std::greater<>());
  // In descending order no choice of so many ranks has a larger sum than the first ones.
  std::vector<std::size_t> largest(chosen_count + 1, 0);
  for (std::size_t i = 0; i < chosen_count; ++i) largest[i + 1] = largest[i] + descending[i];

  const std::size_t width = largest.back() + 1;
  std::vector<double> ways((chosen_count + 1) * width, 0);
  ways[0] = 1;
  for (std::size_t i = 0; i < descending.size(); ++i) {
    for (std::size_t chosen = std::min(i + 1, chosen_count); chosen > 0; --chosen) {
      double* with = &ways[chosen * width];
      const double* without = with - width;
      const std::size_t rank = descending[i];
      for (std::size_t sum = rank; sum <= largest[chosen]; ++sum) with[sum] += without[sum - rank];
    }
  }
  std::vector<double> counts(unit * largest.back() + 1, 0);
  for (std::size_t sum = 0; sum < width; ++sum) {
    counts[unit * sum] = ways[chosen_count * width + sum];
  }
  return counts;
}

std::vector<double> CountSignedSums(const std::vector<std::size_t>& ranks) {
  const std::size_t largest_sum = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<double> ways(largest_sum + 1, 0);
  ways[0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t sum = largest_sum; sum >= rank; --sum) ways[sum] += ways[sum - rank];
  }
  return ways;
}

double StddevOfU(double baseline_count, double candidate_count, double tie_term) {
  const double all = baseline_count + candidate_count;
  return std::sqrt(baseline_count * candidate_count / 12 *
                   (all + 1 - tie_term / (all * (all - 1))));
}

double StddevOfSignedRank(double count, double tie_term) {
  return std::sqrt(count * (count + 1) * (2 * count + 1) / 24 - tie_term / 48);
}

}  // namespace schedlab::stats
