#pragma once

#include <cstdint>
#include <string>

#include "sim/counters.h"

namespace schedlab::sim {

// The formats of Linux 2.6.32 to 6.8, 6.9 to 6.13, and since 6.14.
enum class SchedstatVersion : std::int32_t { k15 = 15, k16 = 16, k17 = 17 };

// The text of /proc/schedstat at the end of a run; its clock has begun at 0. Counters that Linux
// has not used since 2.6.31 are 0 as they are there.
std::string SchedstatText(const Schedstat& schedstat, SchedstatVersion version);

}  // namespace schedlab::sim
