#include "sim/fair/tunables.h"

#include <algorithm>
#include <array>
#include <bit>

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

}  // namespace

// Base values of 2.6.36 to 6.5: 6 ms, 0.75 ms and 1 ms.
Tunables MakeTunables(TunableScaling scaling, std::int32_t cpu_count) {
  const std::int64_t factor = Factor(scaling, cpu_count);
  return {.latency = SimDuration(6'000'000 * factor),
          .min_granularity = SimDuration(750'000 * factor),
          .wakeup_granularity = SimDuration(1'000'000 * factor)};
}

std::int64_t WeightOf(std::int32_t nice) {
  SCHEDLAB_CHECK(nice >= -20 && nice <= 19);
  return kWeights[static_cast<std::size_t>(nice + 20)];
}

}  // namespace schedlab::sim::fair
