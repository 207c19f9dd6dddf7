#include "stats/look_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "stats/crossing.h"
#include "stats/distributions.h"
#include "stats/power.h"

namespace schedlab::stats {
namespace {

// The nodes are the deviates 0, 0.1 .. 7 of alpha, 0.5 to 1.3e-12; between them boundaries are as
// good as straight.
constexpr double kNodeStep = 0.1;
constexpr std::size_t kNodeCount = 71;

double NodeDeviate(std::size_t node) { return kNodeStep * static_cast<double>(node); }

double UpperDeviate(double tail) { return -NormalQuantile(tail); }

// Between the nodes of `ys` that the place `x`, in node steps, lies between.
double Interpolate(const std::vector<double>& ys, double x) {
  const auto below = std::min(static_cast<std::size_t>(x), ys.size() - 2);
  const double weight = x - static_cast<double>(below);
  return ys[below] + weight * (ys[below + 1] - ys[below]);
}

}  // namespace

double SpentSignificance(double alpha, double information) {
  SCHEDLAB_CHECK(alpha > 0 && alpha < 1 && information > 0 && information <= 1);
  if (information == 1) return alpha;
  return 2 * NormalUpperTail(UpperDeviate(alpha / 2) / std::sqrt(information));
}

Result<LookPlan> LookPlan::Make(std::vector<std::int64_t> looks) {
  if (looks.empty() || looks.size() > kMostLooks) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} looks are not 1 to {}", looks.size(), kMostLooks));
  }
  std::int64_t before = 0;
  for (const std::int64_t look : looks) {
    if (look <= before || look > kMostPlannedRuns) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("a look after {} runs a side is not after {} and at most {}", look,
                              before, kMostPlannedRuns));
    }
    before = look;
  }
  return LookPlan(std::move(looks));
}

LookPlan LookPlan::Default() { return LookPlan({3, 5, 8, 12}); }

LookPlan::LookPlan(std::vector<std::int64_t> looks) : looks_(std::move(looks)) {
  for (const std::int64_t look : looks_) {
    information_.push_back(static_cast<double>(look) / static_cast<double>(looks_.back()));
  }
  boundaries_.assign(looks_.size(), std::vector<double>(kNodeCount));
  for (std::size_t node = 0; node < kNodeCount; ++node) {
    const std::vector<double> boundaries = BoundariesFor(NormalUpperTail(NodeDeviate(node)));
    for (std::size_t i = 0; i < looks_.size(); ++i) boundaries_[i][node] = boundaries[i];
  }
}

std::vector<double> LookPlan::BoundariesFor(double alpha) const {
  std::vector<double> boundaries;
  CrossingProcess process(information_.front());
  double spent = 0;
  for (std::size_t i = 0; i < looks_.size(); ++i) {
    if (i > 0) process.Advance(boundaries.back(), information_[i]);
    const double allowed = SpentSignificance(alpha, information_[i]);
    boundaries.push_back(process.BoundWithChance(allowed - spent));
    spent = allowed;
  }
  return boundaries;
}

double LookPlan::LevelAt(std::size_t look_index, double alpha) const {
  SCHEDLAB_CHECK(look_index < looks_.size() && alpha > 0 && alpha <= 0.5);
  const double place =
      std::clamp(UpperDeviate(alpha), 0.0, NodeDeviate(kNodeCount - 1)) / kNodeStep;
  return NormalUpperTail(Interpolate(boundaries_[look_index], place));
}

double LookPlan::SequentialPValue(std::size_t look_index, double p_value) const {
  SCHEDLAB_CHECK(look_index < looks_.size() && p_value >= 0 && p_value <= 1);
  if (p_value == 0) return 0;
  const std::vector<double>& boundaries = boundaries_[look_index];
  if (p_value == 1) return 1;
  const double z = UpperDeviate(p_value);
  if (z < boundaries.front()) return 1;
  if (z >= boundaries.back()) return NormalUpperTail(NodeDeviate(kNodeCount - 1));
  const auto above = static_cast<std::size_t>(
      std::upper_bound(boundaries.begin(), boundaries.end(), z) - boundaries.begin());
  const double below = boundaries[above - 1];
  const double weight = (z - below) / (boundaries[above] - below);
  return NormalUpperTail(NodeDeviate(above - 1) + kNodeStep * weight);
}

std::vector<double> LookPlan::PowerByLook(std::span<const double> powers) const {
  SCHEDLAB_CHECK(powers.size() == looks_.size());
  std::vector<double> reached;
  CrossingProcess process(information_.front());
  double bound = 0;
  for (std::size_t i = 0; i < powers.size(); ++i) {
    if (i > 0) process.Advance(bound, information_[i]);
    // Counted from where the truth puts the look, the bound is where its own power says.
    const double power = std::clamp(powers[i], 1e-15, 1 - 1e-15);
    bound = UpperDeviate(power);
    const double before = reached.empty() ? 0 : reached.back();
    reached.push_back(std::min(1.0, before + process.ChanceAbove(bound)));
  }
  return reached;
}

}  // namespace schedlab::stats
