#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "stats/gate_plan.h"

namespace schedlab::client {

// Numbers as they were written, so that a mistake is told in the user's words.
struct PlanGateOptions {
  std::string effect;
  std::string cv;
  std::string metrics = "1";
  std::string history = "0";
  std::string power = "0.9";
  std::string fdr = "0.05";
  std::string looks = {};  // empty = the usual ones, or their shape
};

// "4%", "-4 %" or "0.04". kInvalidArgument names the option.
Result<double> ParseShare(std::string_view option, std::string_view text);

struct PlanRequest {
  stats::GateQuestion question;
  stats::LookPlan looks;
};

// kInvalidArgument for what is no number or out of range.
Result<PlanRequest> ParsePlanRequest(const PlanGateOptions& options);

}  // namespace schedlab::client
