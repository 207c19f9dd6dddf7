#include "sim/fair/tunables.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "core/check.h"

namespace schedlab::sim::fair {
namespace {

// Each step is a factor of about 1.25, so that one nice level moves a CPU share by about 10 %.
constexpr std::array<std::int64_t, 40> kWeights = {
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
    3906,  3121,  2501,  1991,  1586,  1277,  1024,  820,   655,   526,   423,  335,  272,  215,
    172,   137,   110,   87,    70,    56,    45,    36,    29,    23,    18,   15};
static_assert(kWeights[20] == kWeightOfNice0);

std::int64_t Factor(TunableScaling scaling, std::int32_t cpu_count) {
  switch (scaling) {
    case TunableScaling::kLogCap8:
      return std::bit_width(static_cast<std::uint32_t>(std::min(cpu_count, 8)));
    case TunableScaling::kLogUncapped:
      return std::bit_width(static_cast<std::uint32_t>(cpu_count));
    case TunableScaling::kNone:
      return 1;
  }
  return 1;
}

constexpr SimDuration kShortestOwnSlice{100'000};
constexpr SimDuration kLongestOwnSlice{100'000'000};

struct Base {
  std::int64_t latency_ns;
  std::int64_t min_granularity_ns;
  std::int32_t latency_task_count;
  std::int64_t wakeup_granularity_ns;
};

Base BaseOf(TunableBase base) {
  switch (base) {
    case TunableBase::kFrom2636:
      return {6'000'000, 750'000, 8, 1'000'000};
    case TunableBase::kFrom2631:
      return {20'000'000, 4'000'000, 5, 5'000'000};
    case TunableBase::kFrom2632:
      return {5'000'000, 1'000'000, 5, 1'000'000};
    case TunableBase::kFrom2635:
      return {6'000'000, 2'000'000, 3, 1'000'000};
  }
  return {};
}

}  // namespace

Tunables MakeTunables(const Switches& switches, std::int32_t cpu_count) {
  const std::int64_t factor = Factor(switches.tunable_scaling, cpu_count);
  const Base base = BaseOf(switches.tunable_base);
  const bool is_capped = switches.tunable_scaling == TunableScaling::kLogUncapped;
  const std::int64_t cap = is_capped ? 200'000'000 : std::numeric_limits<std::int64_t>::max();
  const SimDuration min_granularity(std::min(cap, base.min_granularity_ns * factor));
  return {.latency = SimDuration(std::min(cap, base.latency_ns * factor)),
          .min_granularity = min_granularity,
          .wakeup_granularity = SimDuration(base.wakeup_granularity_ns * factor),
          .base_slice = min_granularity,
          .latency_task_count = base.latency_task_count,
          .scaling_factor = factor};
}

SimDuration OwnSliceOf(const Switches& switches, const SchedAttributes& attributes) {
  if (switches.preempt_short == OffOn::kOff || attributes.slice_ns == 0) return SimDuration{0};
  return std::clamp(SimDuration(attributes.slice_ns), kShortestOwnSlice, kLongestOwnSlice);
}

std::int64_t WeightOf(std::int32_t nice) {
  SCHEDLAB_CHECK(nice >= -20 && nice <= 19);
  return kWeights[static_cast<std::size_t>(nice + 20)];
}

}  // namespace schedlab::sim::fair
