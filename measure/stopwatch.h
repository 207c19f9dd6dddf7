#pragma once

#include <cstdint>
#include <ctime>

namespace schedlab::measure {

// The machine's monotonic clock, which all of its CPUs agree on.
inline std::int64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Keeps the CPU busy for so long.
inline void SpinFor(std::int64_t duration_ns) {
  const std::int64_t until = NowNs() + duration_ns;
  while (NowNs() < until) {
  }
}

// Nanoseconds of one call of `call`, as the mean of `count`.
template <class Call>
double NsPerCall(std::int64_t count, Call call) {
  const std::int64_t begin = NowNs();
  for (std::int64_t i = 0; i < count; ++i) call();
  return static_cast<double>(NowNs() - begin) / static_cast<double>(count);
}

}  // namespace schedlab::measure
