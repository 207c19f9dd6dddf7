#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>

#include "core/ids.h"
#include "core/run.h"
#include "core/run_result.h"

namespace schedlab {

// Names one attempt at a run and proves the right to it: the token was issued by the database with
// the lease. Attempts of a run strictly grow, and only the latest may complete it.
struct AttemptRef {
  RunId run;
  std::int32_t attempt = 0;
  std::string token;

  friend auto operator<=>(const AttemptRef&, const AttemptRef&) = default;
};

// A worker's exclusive right to one attempt.
struct Lease {
  AttemptRef attempt;
  RunSpec spec;

  friend bool operator==(const Lease&, const Lease&) = default;
};

struct AttemptFailure {
  std::string message;
  bool is_retryable = false;

  friend bool operator==(const AttemptFailure&, const AttemptFailure&) = default;
};

struct AttemptReport {
  AttemptRef attempt;
  std::variant<RunResult, AttemptFailure> outcome;

  friend bool operator==(const AttemptReport&, const AttemptReport&) = default;
};

// What became of a report: the run's only ranked outcome, or an unranked orphan of a lost lease.
enum class ReportDisposition { kAccepted, kOrphaned };

}  // namespace schedlab
