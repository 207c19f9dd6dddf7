#include "stats/good_or_bad.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/bisection_evidence.h"

namespace schedlab::stats {
namespace {

constexpr std::size_t kFewestReferences = 3;

bool AreFinite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

bool ArePositive(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

std::vector<double> Scaled(std::span<const double> values, bool is_logarithmic) {
  std::vector<double> scaled(values.begin(), values.end());
  if (!is_logarithmic) return scaled;
  for (double& value : scaled) value = std::log(value);
  return scaled;
}

double SquaresAboutMean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares;
}

// The logarithm of the likelihood of two groups with levels of their own and one variance, with all
// three integrated out under their usual flat priors, up to a constant of the total count.
double LogEvidence(const std::vector<double>& one, const std::vector<double>& other) {
  const auto one_count = static_cast<double>(one.size());
  const auto other_count = static_cast<double>(other.size());
  const double squares = SquaresAboutMean(one) + SquaresAboutMean(other);
  return -0.5 * std::log(one_count * other_count) -
         0.5 * (one_count + other_count - 2) * std::log(squares);
}

std::vector<double> Joined(std::vector<double> values, const std::vector<double>& more) {
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

Status Check(std::span<const double> good, std::span<const double> bad,
             std::span<const double> values) {
  if (good.size() < kFewestReferences || bad.size() < kFewestReferences) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} good and {} bad reference(s): at least {} of each are needed",
                            good.size(), bad.size(), kFewestReferences));
  }
  if (values.empty()) return Fail(ErrorCode::kInvalidArgument, "no value to judge");
  if (AreFinite(good) && AreFinite(bad) && AreFinite(values)) return {};
  return Fail(ErrorCode::kInvalidArgument, "a number that is not finite");
}

}  // namespace

Result<double> ProbabilityOfGood(std::span<const double> good, std::span<const double> bad,
                                 std::span<const double> values) {
  if (const Status checked = Check(good, bad, values); !checked) return Fail(checked.error());
  const bool is_logarithmic = ArePositive(good) && ArePositive(bad) && ArePositive(values);
  const std::vector<double> good_side = Scaled(good, is_logarithmic);
  const std::vector<double> bad_side = Scaled(bad, is_logarithmic);
  std::vector<double> judged = Scaled(values, is_logarithmic);
  const ClipLimits limits = LimitsOf(good_side, bad_side);
  for (double& value : judged) value = limits.Apply(value);
  const double as_good = LogEvidence(Joined(good_side, judged), bad_side);
  const double as_bad = LogEvidence(good_side, Joined(bad_side, judged));
  // Without any noise, a side that fits exactly is infinitely likely; where both do, they are one.
  if (std::isinf(as_good) || std::isinf(as_bad)) {
    if (as_good == as_bad) return 0.5;
    return as_good > as_bad ? 1.0 : 0.0;
  }
  return 1 / (1 + std::exp(as_bad - as_good));
}

}  // namespace schedlab::stats
