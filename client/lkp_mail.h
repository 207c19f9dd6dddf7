#pragma once

#include <optional>
#include <string>

#include "client/regression_report.h"

namespace schedlab::client {

// What the mail says beyond the stored report.
struct LkpMailFacts {
  std::string coordinator;  // its address
  std::string machine;      // the head's topology in words; empty = not known
  // The newest measured revision of the head's series, with its runs.
  std::optional<RevisionRef> newest;
  std::optional<SampleSummary> newest_runs;
};

// A regression in the order of parts of the 0day robot's mails, as text to be sent by a person.
// Requires: a cell of the alert got worse.
std::string RenderLkpMail(const RegressionReport& report, const LkpMailFacts& facts);

}  // namespace schedlab::client
