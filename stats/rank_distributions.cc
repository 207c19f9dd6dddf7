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
  std::vector<std::size_t> descending = ranks;
  std::sort(descending.begin(), descending.end(), std::greater<>());
  const std::size_t largest_sum = std::accumulate(
      descending.begin(), descending.begin() + static_cast<std::ptrdiff_t>(chosen_count),
      std::size_t{0});
  std::vector<std::vector<double>> ways(chosen_count + 1, std::vector<double>(largest_sum + 1, 0));
  ways[0][0] = 1;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::size_t chosen = std::min(i + 1, chosen_count); chosen > 0; --chosen) {
      for (std::size_t sum = ranks[i]; sum <= largest_sum; ++sum) {
        ways[chosen][sum] += ways[chosen - 1][sum - ranks[i]];
      }
    }
  }
  return ways[chosen_count];
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
