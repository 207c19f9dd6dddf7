#include "stats/sequential_test.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/distributions.h"

namespace schedlab::stats {
namespace {

// Runs a side. Two would do for the difference, but not for the noise.
constexpr std::int64_t kFirstLook = 3;
constexpr std::int64_t kFirstLookWithNoise = 2;
constexpr double kKnownNoiseDegrees = 10;
constexpr double kLookFactor = 1.35;
// Of the share of the runs: below 1 spends more of the significance early, where a large change is
// plain.
constexpr double kSpendingPower = 0.5;

// The score process (a Brownian motion over the information) on a grid between a distant low end
// and the bound of the look, by Simpson's rule.
struct ScoreGrid {
  std::vector<double> scores;
  std::vector<double> masses;  // density times the rule's weight
};

constexpr int kGridIntervals = 32;
constexpr double kFurthestScore = 5;  // in standard deviations of the score

double NormalDensity(double z) { return 0.3989422804014327 * std::exp(-0.5 * z * z); }

// P(score at the next look > bound).
double CrossingProbability(const ScoreGrid& grid, double step, double bound) {
  const double scale = 1 / std::sqrt(2 * step);
  double probability = 0;
  for (std::size_t i = 0; i < grid.scores.size(); ++i) {
    probability += grid.masses[i] * 0.5 * std::erfc((bound - grid.scores[i]) * scale);
  }
  return probability;
}

double FindBound(const ScoreGrid& grid, double step, double fraction, double spent) {
  double low = -kFurthestScore * std::sqrt(fraction);
  double high = -4 * low;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (CrossingProbability(grid, step, middle) > spent ? low : high) = middle;
  }
  return high;
}

ScoreGrid NextGrid(const ScoreGrid& grid, double step, double fraction, double bound) {
  ScoreGrid next;
  const double low = -kFurthestScore * std::sqrt(fraction);
  const double width = (bound - low) / kGridIntervals;
  for (int i = 0; i <= kGridIntervals; ++i) {
    const double score = low + width * i;
    double density = 0;
    for (std::size_t j = 0; j < grid.scores.size(); ++j) {
      density += grid.masses[j] * NormalDensity((score - grid.scores[j]) / std::sqrt(step));
    }
    const double rule = i == 0 || i == kGridIntervals ? 1 : (i % 2 == 1 ? 4 : 2);
    next.scores.push_back(score);
    next.masses.push_back(density / std::sqrt(step) * rule * width / 3);
  }
  return next;
}

struct Side {
  double count = 0;
  double mean = 0;
  double squares = 0;

  // Welford's update.
  void Add(const std::vector<double>& values) {
    for (const double value : values) {
      count += 1;
      const double rest = value - mean;
      mean += rest / count;
      squares += rest * (value - mean);
    }
  }
};

std::int64_t FirstLook(const SequentialDesign& design) {
  return design.extra_degrees >= kKnownNoiseDegrees ? kFirstLookWithNoise : kFirstLook;
}

SequentialResult Describe(const Side& baseline, const Side& candidate,
                          const SequentialDesign& design) {
  SequentialResult result;
  result.shift = candidate.mean - baseline.mean;
  const double squares =
      baseline.squares + candidate.squares + design.extra_variance * design.extra_degrees;
  result.degrees_of_freedom =
      std::max(baseline.count + candidate.count - 2, 0.0) + design.extra_degrees;
  result.side_count = static_cast<std::int64_t>(std::min(baseline.count, candidate.count));
  if (result.side_count < 1 || !(result.degrees_of_freedom > 0)) return result;
  result.stddev = std::sqrt(squares / result.degrees_of_freedom);
  result.standard_error = result.stddev * std::sqrt(1 / baseline.count + 1 / candidate.count);
  return result;
}

// The bounds of successive looks. They take time to compute, and most looks need none.
class Boundary {
 public:
  explicit Boundary(double significance) : significance_(significance) {}

  void AddLook(double fraction) { waiting_.push_back(fraction); }

  // Of the look that was added last.
  double Last() {
    for (const double fraction : waiting_) Extend(fraction);
    waiting_.clear();
    return bound_;
  }

 private:
  void Extend(double fraction) {
    const double step = fraction - reached_;
    const double spent =
        significance_ * (std::pow(fraction, kSpendingPower) - std::pow(reached_, kSpendingPower));
    const double score = FindBound(grid_, step, fraction, spent);
    bound_ = score / std::sqrt(fraction);
    grid_ = NextGrid(grid_, step, fraction, score);
    reached_ = fraction;
  }

  double significance_;
  std::vector<double> waiting_;
  ScoreGrid grid_{.scores = {0}, .masses = {1}};
  double reached_ = 0;
  double bound_ = 0;
};

bool IsBeyondBound(const SequentialResult& look, Boundary& boundary, double significance) {
  if (!(look.shift > 0)) return false;
  const double t = look.standard_error > 0 ? look.shift / look.standard_error
                                           : std::numeric_limits<double>::infinity();
  const double p_value = StudentUpperTail(t, look.degrees_of_freedom);
  // No bound is below that of the whole significance.
  return p_value <= significance && p_value <= NormalUpperTail(boundary.Last());
}

SequentialOutcome Decide(const SequentialResult& look, Boundary& boundary,
                         const SequentialDesign& design) {
  constexpr double kGiveUpBelow = 3;  // 99.9 % of a normal
  if (look.shift >= design.minimum_shift && IsBeyondBound(look, boundary, design.significance)) {
    return SequentialOutcome::kDiffers;
  }
  const bool is_last = look.side_count >= look.most_side_count;
  const bool has_noise = look.standard_error > 0;
  const double smallest = std::max(design.smallest_effect_sd * look.stddev, design.minimum_shift);
  const bool is_excluded = look.shift + kGiveUpBelow * look.standard_error < smallest;
  return is_last || is_excluded || !has_noise ? SequentialOutcome::kDoesNotDiffer
                                              : SequentialOutcome::kContinue;
}

}  // namespace

std::int64_t MostRunsASide(const SequentialDesign& design) {
  const double quantiles = NormalQuantile(1 - design.significance) + NormalQuantile(design.power);
  const double ratio = quantiles / design.smallest_effect_sd;
  const double most = std::ceil(std::min(2 * ratio * ratio, 1.0 * kMostSequentialRuns));
  return std::max(static_cast<std::int64_t>(most), FirstLook(design));
}

std::vector<double> SpendingBounds(std::span<const double> fractions, double significance) {
  Boundary boundary(significance);
  std::vector<double> bounds;
  for (const double fraction : fractions) {
    boundary.AddLook(fraction);
    bounds.push_back(boundary.Last());
  }
  return bounds;
}

SequentialResult TestSequentially(std::span<const SequentialRound> rounds,
                                  const SequentialDesign& design) {
  const std::int64_t most = MostRunsASide(design);
  Side baseline;
  Side candidate;
  Boundary boundary(design.significance);
  std::int64_t next_look = FirstLook(design);
  SequentialResult look;
  look.most_side_count = most;
  for (const SequentialRound& round : rounds) {
    baseline.Add(round.baseline);
    candidate.Add(round.candidate);
    look = Describe(baseline, candidate, design);
    look.most_side_count = most;
    if (look.side_count < std::min(next_look, most)) continue;
    boundary.AddLook(
        std::min(1.0, static_cast<double>(look.side_count) / static_cast<double>(most)));
    look.outcome = Decide(look, boundary, design);
    if (look.outcome != SequentialOutcome::kContinue) return look;
    next_look =
        static_cast<std::int64_t>(std::ceil(static_cast<double>(look.side_count) * kLookFactor));
  }
  return look;
}

}  // namespace schedlab::stats
