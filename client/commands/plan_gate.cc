#include "client/commands/commands.h"
#include "client/plan_gate_view.h"

namespace schedlab::client {

ExitCode RunPlanGate(const GlobalOptions& global, const PlanGateOptions& options) {
  const Result<PlanRequest> request = ParsePlanRequest(options);
  if (!request) return ReportError("cannot plan the gate", request.error());
  const stats::GatePlan plan = stats::PlanGate(request->question, request->looks);
  Print(global.output == OutputFormat::kJson ? GatePlanDocument(request->question, plan)
                                             : RenderGatePlan(request->question, plan));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
