#pragma once

#include <cstdint>

namespace schedlab::sim {

// A run that is not over by then would take hours.
inline constexpr std::int64_t kDefaultEventLimit = 100'000'000'000;

}  // namespace schedlab::sim
