#include <fmt/format.h>

#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/coverage_view.h"
#include "client/grid.h"
#include "client/json_output.h"
#include "core/catalog.h"

namespace schedlab::client {
namespace {

void Show(OutputFormat output, const Coverage& coverage) {
  switch (output) {
    case OutputFormat::kJson:
      Print(CoverageDocument(coverage));
      return;
    case OutputFormat::kCsv:
      Print(RenderCsv(CoverageGrid(coverage)));
      return;
    case OutputFormat::kMarkdown:
      Print(RenderMarkdown(CoverageGrid(coverage)));
      return;
    case OutputFormat::kTable:
      Print(RenderCoverage(coverage));
      return;
  }
}

// A commit that the catalog knows and nobody has submitted has no results: that is an answer.
bool IsInCatalog(const CoverageOptions& options) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return false;
  for (const PolicyDefinition& policy : catalog->policies) {
    if (policy.project != options.project) continue;
    if (!options.policy.empty() && policy.name != options.policy) continue;
    if (FindRevision(policy, options.revision)) return true;
  }
  return false;
}

}  // namespace

ExitCode RunCoverage(const GlobalOptions& global, const CoverageOptions& options) {
  Coordinator coordinator(global.server);
  const Result<Coverage> answer =
      coordinator.GetCoverage({.project = options.project,
                               .policy = options.policy,
                               .revision = options.revision,
                               .neighbour_count = options.neighbour_count,
                               .has_counters = options.has_counters});
  if (!answer) {
    const ExitCode code =
        ReportError("cannot tell the coverage of " + options.revision, answer.error());
    const bool is_unmeasured = answer.error().code == ErrorCode::kNotFound && IsInCatalog(options);
    if (!is_unmeasured) return code;
    PrintDiagnostic(
        "schedlab: the catalog has this commit, but no job has run it; submit a suite "
        "with `schedlab job submit`\n");
    return ExitCode::kInconclusive;
  }
  const Coverage coverage = WithoutSupersededCells(*answer);
  Show(global.output, coverage);
  return HasResults(coverage) ? ExitCode::kOk : ExitCode::kInconclusive;
}

}  // namespace schedlab::client
