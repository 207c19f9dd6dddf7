#pragma once

#include <functional>
#include <string>

#include "core/lease.h"
#include "core/run.h"

namespace schedlab::server {

// What the report of a current lease makes of its run: kQueued = another attempt, kSucceeded or
// kFailed.
struct ReportRuling {
  RunState outcome = RunState::kFailed;
  std::string failure = {};  // of kFailed
};

// A result is refused, as a failure that no attempt can mend, where a metric is unknown or not a
// finite number.
ReportRuling RuleOn(const AttemptReport& report,
                    const std::function<bool(const std::string&)>& is_known_metric);

}  // namespace schedlab::server
