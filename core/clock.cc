#include "core/clock.h"

namespace schedlab {

WallTime SystemClock::Now() const {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

}  // namespace schedlab
