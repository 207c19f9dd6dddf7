#pragma once

namespace schedlab {

// Reports a broken invariant of this program on stderr and ends the process. Never returns.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace schedlab

// An invariant of this program, checked in release builds too. For bugs only: bad input is a
// Result.
#define SCHEDLAB_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::schedlab::CheckFailed(#condition, __FILE__, __LINE__))
