#include "stats/hodges_lehmann.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/check.h"
#include "stats/distributions.h"
#include "stats/rank_distributions.h"

namespace schedlab::stats {
namespace {

// The interval reaches from the rank-th smallest to the rank-th largest value; below (above) it
// lies the true shift with the chance `tail`.
struct IntervalRank {
  std::size_t rank = 1;
  double tail = 0;
};

// Of a statistic whose values are offset, offset + 2, ...: the largest rank whose tail fits, or the
// first.
IntervalRank ExactRank(const std::vector<double>& ways, std::size_t offset, double tail) {
  double all = 0;
  for (const double count : ways) all += count;
  IntervalRank result{.rank = 1, .tail = ways[offset] / all};
  double below = ways[offset];
  for (std::size_t value = offset + 2; value < ways.size(); value += 2) {
    below += ways[value];
    if (below / all > tail) break;
    result = {.rank = result.rank + 1, .tail = below / all};
  }
  return result;
}

IntervalRank NormalRank(double mean, double stddev, double tail) {
  const double rank = std::floor(mean - NormalQuantile(1 - tail) * stddev);
  return {.rank = static_cast<std::size_t>(std::max(1.0, rank)), .tail = tail};
}

std::vector<std::size_t> DoubledRanksWithoutTies(std::size_t count) {
  std::vector<std::size_t> ranks(count);
  for (std::size_t i = 0; i < count; ++i) ranks[i] = 2 * (i + 1);
  return ranks;
}

IntervalRank RankByMannWhitney(std::size_t baseline_count, std::size_t candidate_count,
                               double tail) {
  if (baseline_count * candidate_count <= kExactPairCount) {
    const std::size_t fewer = std::min(baseline_count, candidate_count);
    return ExactRank(CountSums(DoubledRanksWithoutTies(baseline_count + candidate_count), fewer),
                     fewer * (fewer + 1), tail);
  }
  const auto m = static_cast<double>(baseline_count);
  const auto n = static_cast<double>(candidate_count);
  return NormalRank(m * n / 2, StddevOfU(m, n, 0), tail);
}

IntervalRank RankBySignedRank(std::size_t count, double tail) {
  if (count <= kExactDifferenceCount) {
    return ExactRank(CountSignedSums(DoubledRanksWithoutTies(count)), 0, tail);
  }
  const auto n = static_cast<double>(count);
  return NormalRank(n * (n + 1) / 4, StddevOfSignedRank(n, 0), tail);
}

// All differences candidate - baseline, never listed: of sorted sides, a staircase tells how many
// are at most a value, and its two nearest neighbours.
class Differences {
 public:
  explicit Differences(const TwoSamples& samples)
      : baseline_(samples.baseline.begin(), samples.baseline.end()),
        candidate_(samples.candidate.begin(), samples.candidate.end()) {
    std::sort(baseline_.begin(), baseline_.end());
    std::sort(candidate_.begin(), candidate_.end());
  }

  std::size_t count() const { return baseline_.size() * candidate_.size(); }

  // The difference with so many others before it in order.
  double Select(std::size_t before_count) const {
    double low = candidate_.front() - baseline_.back();
    double high = candidate_.back() - baseline_.front();
    // Both ends are differences, and each turn moves one of them inwards to another difference.
    while (low < high) {
      const double middle = low / 2 + high / 2;
      const Split split = SplitAt(middle >= low && middle < high ? middle : low);
      if (split.at_most_count > before_count) {
        high = split.largest_at_most;
      } else {
        low = split.smallest_above;
      }
    }
    return high;
  }

  double MiddleValue() const {
    const double upper = Select(count() / 2);
    if (count() % 2 == 1) return upper;
    const double lower = Select(count() / 2 - 1);
    return lower + (upper - lower) / 2;
  }

 private:
  struct Split {
    std::size_t at_most_count = 0;
    double largest_at_most = -std::numeric_limits<double>::infinity();
    double smallest_above = std::numeric_limits<double>::infinity();
  };

  Split SplitAt(double value) const {
    Split split;
    std::size_t reach = 0;
    for (const double baseline : baseline_) {
      while (reach < candidate_.size() && candidate_[reach] - baseline <= value) ++reach;
      split.at_most_count += reach;
      if (reach > 0) {
        split.largest_at_most = std::max(split.largest_at_most, candidate_[reach - 1] - baseline);
      }
      if (reach < candidate_.size()) {
        split.smallest_above = std::min(split.smallest_above, candidate_[reach] - baseline);
      }
    }
    return split;
  }

  std::vector<double> baseline_;
  std::vector<double> candidate_;
};

std::vector<double> WalshAverages(const TwoSamples& pairs) {
  std::vector<double> averages;
  for (std::size_t i = 0; i < pairs.baseline.size(); ++i) {
    const double first = pairs.candidate[i] - pairs.baseline[i];
    for (std::size_t j = i; j < pairs.baseline.size(); ++j) {
      averages.push_back(first / 2 + (pairs.candidate[j] - pairs.baseline[j]) / 2);
    }
  }
  std::sort(averages.begin(), averages.end());
  return averages;
}

}  // namespace

double HodgesLehmannShift(const TwoSamples& samples) {
  SCHEDLAB_CHECK(!samples.baseline.empty() && !samples.candidate.empty());
  return Differences(samples).MiddleValue();
}

Result<Shift> HodgesLehmann(const TwoSamples& samples, double confidence_level) {
  SCHEDLAB_CHECK(confidence_level > 0 && confidence_level < 1);
  if (const Status status = CheckSides(samples); !status) return Fail(status.error());
  const Differences differences(samples);
  const IntervalRank rank = RankByMannWhitney(samples.baseline.size(), samples.candidate.size(),
                                              (1 - confidence_level) / 2);
  return Shift{.estimate = differences.MiddleValue(),
               .interval = {.low = differences.Select(rank.rank - 1),
                            .high = differences.Select(differences.count() - rank.rank)},
               .confidence_level = 1 - 2 * rank.tail};
}

Result<Shift> HodgesLehmannOfPairs(const TwoSamples& pairs, double confidence_level) {
  SCHEDLAB_CHECK(confidence_level > 0 && confidence_level < 1);
  if (const Status status = CheckPairs(pairs); !status) return Fail(status.error());
  const std::vector<double> averages = WalshAverages(pairs);
  const IntervalRank rank = RankBySignedRank(pairs.baseline.size(), (1 - confidence_level) / 2);
  const std::size_t middle = averages.size() / 2;
  const double below = averages.size() % 2 == 1 ? averages[middle] : averages[middle - 1];
  return Shift{
      .estimate = below + (averages[middle] - below) / 2,
      .interval = {.low = averages[rank.rank - 1], .high = averages[averages.size() - rank.rank]},
      .confidence_level = 1 - 2 * rank.tail};
}

}  // namespace schedlab::stats
