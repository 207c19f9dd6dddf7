#include "sim/fair/pelt.h"

#include <algorithm>
#include <array>

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kHalfLife = 32;  // segments
constexpr std::int64_t kLongestSum = 47'742;
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
  for (std::size_t n = 1; n < sums.size(); ++n) sums[n] = Scale(sums[n - 1] + kPeltSegment, 1);
  return sums;
}
constexpr std::array<std::int64_t, kHalfLife + 1> kSums = MakeSums();

}  // namespace

std::int64_t DecayLoad(std::int64_t value, std::int64_t periods) {
  if (periods > kForgotten) return 0;
  return Scale(value >> (periods / kHalfLife), periods % kHalfLife);
}

std::int64_t DecayedSegments(std::int64_t periods) {
  // Most are about few segments.
  if (periods <= kHalfLife) return kSums[static_cast<std::size_t>(periods)];
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
  const std::int64_t to_boundary = kPeltSegment - entity.segment_used;
  const bool ends_segment = elapsed >= to_boundary;
  if (ends_segment) {
    const std::int64_t whole = (elapsed - to_boundary) / kPeltSegment;
    const std::int64_t added = DecayedSegments(whole);
    const std::int64_t runnable = entity.runnable_sum + (was_runnable ? to_boundary : 0);
    entity.runnable_sum = DecayLoad(runnable, whole + 1) + (was_runnable ? added : 0);
    entity.period_sum = DecayLoad(entity.period_sum + to_boundary, whole + 1) + added;
    elapsed = (elapsed - to_boundary) % kPeltSegment;
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

namespace {

constexpr std::int64_t kUnit = 1024;

// What the sums of something that was always active come to, by how much of a segment has passed.
constexpr std::int64_t FullSum(std::int64_t segment_used) {
  return kLongestSum - kPeltSegment + segment_used;
}

void Accumulate(FairAverages& averages, std::int64_t time, const Activity& activity) {
  averages.load_sum += time * activity.load;
  averages.runnable_sum += time * activity.runnable_count * kUnit;
  if (activity.is_running) averages.running_sum += time * kUnit;
}

void DecaySums(FairAverages& averages, std::int64_t periods) {
  averages.load_sum = DecayLoad(averages.load_sum, periods);
  averages.runnable_sum = DecayLoad(averages.runnable_sum, periods);
  averages.running_sum = DecayLoad(averages.running_sum, periods);
}

// 2^64 by every FullSum(), rounded up. A product with it is too large by less than sum / 2^64,
// which cannot reach the next whole quotient while sum * full < 2^64.
constexpr std::array<std::uint64_t, kPeltSegment> MakeReciprocals() {
  std::array<std::uint64_t, kPeltSegment> reciprocals{};
  std::uint64_t full = kLongestSum - kPeltSegment;
  for (std::uint64_t& entry : reciprocals) entry = ~std::uint64_t{0} / full++ + 1;
  return reciprocals;
}
constexpr std::array<std::uint64_t, kPeltSegment> kReciprocals = MakeReciprocals();
constexpr std::uint64_t kDivisibleByProduct = std::uint64_t{1} << 48U;

void AverageSums(FairAverages& averages) {
  averages.load = AverageOfSum(averages.load_sum, averages.segment_used);
  averages.runnable = AverageOfSum(averages.runnable_sum, averages.segment_used);
  averages.util = AverageOfSum(averages.running_sum, averages.segment_used);
}

void SetSums(FairAverages& averages) {
  const std::int64_t full = FullSum(averages.segment_used);
  averages.load_sum = averages.load * full;
  averages.runnable_sum = averages.runnable * full;
  averages.running_sum = averages.util * full;
}

}  // namespace

std::int64_t AverageOfSum(std::int64_t sum, std::int64_t segment_used) {
  const auto dividend = static_cast<std::uint64_t>(sum);
  if (dividend >= kDivisibleByProduct) return sum / FullSum(segment_used);
  const Wide product = Wide{dividend} * kReciprocals[static_cast<std::size_t>(segment_used)];
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(product >> 64U));
}

void Advance(FairAverages& averages, SimTime now, const Activity& activity) {
  std::int64_t elapsed = Ns(now - averages.updated) >> 10;
  if (elapsed <= 0) return;
  averages.updated += SimDuration(elapsed << 10);
  const std::int64_t to_boundary = kPeltSegment - averages.segment_used;
  const bool ends_segment = elapsed >= to_boundary;
  if (ends_segment) {
    const std::int64_t whole = (elapsed - to_boundary) / kPeltSegment;
    Accumulate(averages, to_boundary, activity);
    DecaySums(averages, whole + 1);
    Accumulate(averages, DecayedSegments(whole), activity);
    elapsed = (elapsed - to_boundary) % kPeltSegment;
    averages.segment_used = 0;
  }
  Accumulate(averages, elapsed, activity);
  averages.segment_used += elapsed;
  if (ends_segment) AverageSums(averages);
}

void SetFull(FairAverages& averages, SimTime now, std::int64_t weight, std::int64_t util) {
  averages = {.updated = now, .load = weight, .runnable = util, .util = util};
  SetSums(averages);
}

void Attach(FairAverages& whole, FairAverages& part, bool with_load) {
  part.updated = whole.updated;
  part.segment_used = whole.segment_used;
  SetSums(part);
  if (with_load) whole.load += part.load;
  whole.runnable += part.runnable;
  whole.util += part.util;
  SetSums(whole);
}

void Detach(FairAverages& whole, const FairAverages& part, bool with_load) {
  if (with_load) whole.load = std::max<std::int64_t>(0, whole.load - part.load);
  whole.runnable = std::max<std::int64_t>(0, whole.runnable - part.runnable);
  whole.util = std::max<std::int64_t>(0, whole.util - part.util);
  SetSums(whole);
}

}  // namespace schedlab::sim::fair
