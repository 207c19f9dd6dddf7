#pragma once

#include <chrono>

namespace schedlab {

// Microseconds, because that is what PostgreSQL keeps.
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

// The only way to read the time outside main().
class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime Now() const = 0;
};

// The machine's clock.
class SystemClock final : public Clock {
 public:
  WallTime Now() const override;
};

}  // namespace schedlab
