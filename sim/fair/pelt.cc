#include "sim/fair/pelt.h"

#include <algorithm>
#include <array>

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kSegment = 1024;
constexpr std::int64_t kHalfLife = 32;  // segments
// After so many segments nothing of a value that fits 32 bits is left.
constexpr std::int64_t kForgotten = kHalfLife * 63;

__extension__ using Wide = unsigned __int128;

// y in units of 2^-62.
constexpr std::uint64_t kYIn62Bits = 4512867096753504462U;

// y^n in units of 2^-32, from a chain of products in 2^-62 so that the last digit is right.
constexpr std::array<std::uint64_t, kHalfLife> MakePowers() {
  std::array<std::uint64_t, kHalfLife> powers{};
  std::uint64_t power = std::uint64_t{1} << 62U;
  for (std::uint64_t& entry : powers) {
    entry = power >> 30U;
    power = static_cast<std::uint64_t>((Wide{power} * kYIn62Bits) >> 62U);
  }
  return powers;
}
constexpr std::array<std::uint64_t, kHalfLife> kPowers = MakePowers();

constexpr std::int64_t Scale(std::int64_t value, std::int64_t power) {
  const Wide product =
      Wide{static_cast<std::uint64_t>(value)} * kPowers[static_cast<std::size_t>(power)];
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(product >> 32U));
}

// sums[n] = 1024 * (y + ... + y^n), truncated at each segment.
constexpr std::array<std::int64_t, kHalfLife + 1> MakeSums() {
  std::array<std::int64_t, kHalfLife + 1> sums{};
  for (std::size_t n = 1; n < sums.size(); ++n) sums[n] = Scale(sums[n - 1] + kSegment, 1);
  return sums;
}
constexpr std::array<std::int64_t, kHalfLife + 1> kSums = MakeSums();

}  // namespace

std::int64_t DecayLoad(std::int64_t value, std::int64_t periods) {
  if (periods > kForgotten) return 0;
  return Scale(value >> (periods / kHalfLife), periods % kHalfLife);
}

std::int64_t DecayedSegments(std::int64_t periods) {
  std::int64_t sum = 0;
  std::int64_t left = std::min(periods, kForgotten);
  for (; left > kHalfLife; left -= kHalfLife) sum = sum / 2 + kSums[kHalfLife];
  return DecayLoad(sum, left) + kSums[static_cast<std::size_t>(left)];
}

void UpdateAverages(FairEntity& entity, SimTime now, bool was_runnable) {
  // A shift instead of a division: a "microsecond" is 1024 ns here, as in the kernel.
  std::int64_t elapsed = Ns(now - entity.load_updated) >> 10;
  if (elapsed <= 0) return;
  entity.load_updated += SimDuration(elapsed << 10);
  const std::int64_t to_boundary = kSegment - entity.segment_used;
  const bool ends_segment = elapsed >= to_boundary;
  if (ends_segment) {
    const std::int64_t whole = (elapsed - to_boundary) / kSegment;
    const std::int64_t added = DecayedSegments(whole);
    const std::int64_t runnable = entity.runnable_sum + (was_runnable ? to_boundary : 0);
    entity.runnable_sum = DecayLoad(runnable, whole + 1) + (was_runnable ? added : 0);
    entity.period_sum = DecayLoad(entity.period_sum + to_boundary, whole + 1) + added;
    elapsed = (elapsed - to_boundary) % kSegment;
    entity.segment_used = 0;
  }
  if (was_runnable) entity.runnable_sum += elapsed;
  entity.period_sum += elapsed;
  entity.segment_used += elapsed;
  if (ends_segment) entity.load = entity.weight * entity.runnable_sum / (entity.period_sum + 1);
}

void InitAverages(FairEntity& entity, SimTime now, SimDuration slice) {
  entity.load_updated = now;
  entity.segment_used = 0;
  entity.runnable_sum = Ns(slice) >> 10;
  entity.period_sum = entity.runnable_sum;
  entity.load = entity.weight * entity.runnable_sum / (entity.period_sum + 1);
}

}  // namespace schedlab::sim::fair
