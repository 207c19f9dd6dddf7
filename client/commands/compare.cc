#include <fmt/format.h>

#include "client/commands/commands.h"
#include "client/comparison_view.h"
#include "client/coordinator.h"
#include "client/json_output.h"

namespace schedlab::client {

ExitCode RunCompare(const GlobalOptions& global, const CompareOptions& options) {
  Coordinator coordinator(global.server);
  const Result<RevisionComparison> comparison =
      coordinator.Compare({.project = options.project,
                           .policy = options.policy,
                           .variant = options.variant,
                           .baseline = options.baseline,
                           .candidate = options.candidate,
                           .topology = options.topology,
                           .workload = options.workload,
                           .is_paired = options.is_paired});
  if (!comparison) {
    return ReportError(
        fmt::format("cannot compare {} with {}", options.candidate, options.baseline),
        comparison.error());
  }
  if (global.output == OutputFormat::kJson) {
    Print(ComparisonDocument(*comparison));
  } else if (options.format == ComparisonFormat::kLkp) {
    Print(RenderLkpComparison(*comparison));
  } else {
    Print(RenderComparison(*comparison, global.terminal.has_stdout_color));
  }
  return ExitCode::kOk;
}

}  // namespace schedlab::client
