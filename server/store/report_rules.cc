#include "server/store/report_rules.h"

#include <fmt/format.h>

#include <cmath>

#include "core/limits.h"

namespace schedlab::server {
namespace {

ReportRuling RuleOnResult(const RunResult& result,
                          const std::function<bool(const std::string&)>& is_known_metric) {
  for (const auto& [name, value] : result.metrics) {
    if (!is_known_metric(name)) {
      return {.failure = fmt::format("the result has metric '{}', which the catalog lacks", name)};
    }
    if (!std::isfinite(value)) {
      return {.failure = fmt::format("the result has metric '{}' = {}, which is no measurement",
                                     name, value)};
    }
  }
  return {.outcome = RunState::kSucceeded};
}

}  // namespace

ReportRuling RuleOn(const AttemptReport& report,
                    const std::function<bool(const std::string&)>& is_known_metric) {
  if (const auto* result = std::get_if<RunResult>(&report.outcome)) {
    return RuleOnResult(*result, is_known_metric);
  }
  const auto& failure = std::get<AttemptFailure>(report.outcome);
  if (!failure.is_retryable) return {.failure = failure.message};
  if (report.attempt.attempt < kMaxAttempts) return {.outcome = RunState::kQueued};
  return {.failure = fmt::format("attempt {} of {} failed: {}", report.attempt.attempt,
                                 kMaxAttempts, failure.message)};
}

}  // namespace schedlab::server
