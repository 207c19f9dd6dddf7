#include "worker/back_off.h"

#include <algorithm>

namespace schedlab::worker {
namespace {

// 100 ms doubled 9 times is past 30 s.
constexpr int kMaxDoublings = 9;

}  // namespace

std::chrono::microseconds BackOff::AfterFailure() {
  const int doublings = std::min(failure_count_, kMaxDoublings);
  ++failure_count_;
  const std::chrono::microseconds window =
      std::min<std::chrono::microseconds>(kShortestBackOff * (1 << doublings), kLongestBackOff);
  // Not std::uniform_int_distribution, whose draws differ between libraries; the remainder's bias
  // is below 1e-11.
  const auto bound = static_cast<std::uint64_t>(window.count()) + 1;
  return std::chrono::microseconds(static_cast<std::int64_t>(random_() % bound));
}

}  // namespace schedlab::worker
