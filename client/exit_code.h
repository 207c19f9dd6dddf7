#pragma once

#include "core/result.h"

namespace schedlab::client {

// What the process says of itself to a shell. Documented in docs and in `schedlab --help`.
enum class ExitCode {
  kOk = 0,
  kRegression = 1,
  kUsage = 2,
  kInconclusive = 3,
  kInfrastructure = 4,
  kTimedOut = 5,
  kNotAuthorised = 6,
  kInternal = 70,
  // Of `bisect-step` alone, as `git bisect run` reads them: skip the commit, end the bisection.
  kBisectSkip = 125,
  kBisectAbort = 128,
  kInterrupted = 130,
};

// The code of a command that failed with `error`.
ExitCode ExitCodeOf(const Error& error);

}  // namespace schedlab::client
