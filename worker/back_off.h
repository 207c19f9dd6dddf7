#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace schedlab::worker {

inline constexpr std::chrono::milliseconds kShortestBackOff{100};
inline constexpr std::chrono::milliseconds kLongestBackOff{30'000};

// How long to wait after failed calls: a uniform share ("full jitter") of a window that doubles
// from kShortestBackOff to kLongestBackOff, so that workers who lost a coordinator together come
// back spread out. A function of its seed and of the calls made.
class BackOff {
 public:
  explicit BackOff(std::uint64_t seed) : random_(seed) {}

  std::chrono::microseconds AfterFailure();
  void Reset() { failure_count_ = 0; }
  int failure_count() const { return failure_count_; }

 private:
  std::mt19937_64 random_;
  int failure_count_ = 0;
};

}  // namespace schedlab::worker
