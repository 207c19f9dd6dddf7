#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "sim/sim_time.h"

namespace schedlab::sim {

// Counts durations in buckets whose width is at most 1/16 of their start, as HdrHistogram does.
class Histogram {
 public:
  void Add(SimDuration duration) {
    const auto value = static_cast<std::uint64_t>(duration.count() < 0 ? 0 : duration.count());
    ++buckets_[BucketOf(value)];
    ++count_;
    total_ += static_cast<double>(value);
    max_ = std::max(max_, static_cast<std::int64_t>(value));
  }

  std::int64_t count() const { return count_; }
  // Exact; nullopt where nothing was counted.
  std::optional<std::int64_t> Max() const {
    return count_ == 0 ? std::nullopt : std::optional(max_);
  }
  std::optional<double> Mean() const {
    return count_ == 0 ? std::nullopt : std::optional(total_ / static_cast<double>(count_));
  }

  // The lower edge of the bucket that holds the value of rank ceil(permille / 1000 * count);
  // nullopt where nothing was counted.
  std::optional<std::int64_t> Quantile(std::int64_t permille) const {
    if (count_ == 0) return std::nullopt;
    std::int64_t remaining = (count_ * permille + 999) / 1000;
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      remaining -= buckets_[bucket];
      if (remaining <= 0) return LowerEdge(bucket);
    }
    return LowerEdge(buckets_.size() - 1);
  }

 private:
  static constexpr unsigned kSubBits = 4;
  static constexpr std::size_t kBucketCount = (64 - kSubBits + 1) << kSubBits;

  static std::size_t BucketOf(std::uint64_t value) {
    if (value < (1U << kSubBits)) return value;
    const auto exponent = static_cast<unsigned>(std::bit_width(value)) - 1 - kSubBits;
    return ((std::size_t{exponent} + 1) << kSubBits) +
           (static_cast<std::size_t>(value >> exponent) & ((1U << kSubBits) - 1));
  }
  static std::int64_t LowerEdge(std::size_t bucket) {
    if (bucket < (1U << kSubBits)) return static_cast<std::int64_t>(bucket);
    const std::size_t exponent = (bucket >> kSubBits) - 1;
    const std::size_t mantissa = (1U << kSubBits) + (bucket & ((1U << kSubBits) - 1));
    return static_cast<std::int64_t>(mantissa << exponent);
  }

  std::array<std::int64_t, kBucketCount> buckets_{};
  std::int64_t count_ = 0;
  double total_ = 0;  // exact up to 104 days, all together
  std::int64_t max_ = 0;
};

}  // namespace schedlab::sim
