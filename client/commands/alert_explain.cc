#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/explanation_view.h"
#include "client/json_output.h"
#include "client/number_format.h"

namespace schedlab::client {
namespace {

// "topology/workload/metric". kInvalidArgument otherwise.
Result<SeriesQuery> QueryOf(const AlertExplainOptions& options) {
  const std::string& text = options.series;
  const std::size_t first = text.find('/');
  const std::size_t last = text.rfind('/');
  if (first == std::string::npos || first == last || text.find('/', first + 1) != last) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("'{}' is neither an id nor topology/workload/metric", text));
  }
  return SeriesQuery{.project = options.filter.project,
                     .policy = options.filter.policy,
                     .metric = text.substr(last + 1),
                     .topology = text.substr(0, first),
                     .workload = text.substr(first + 1, last - first - 1)};
}

Result<SeriesId> FindSeries(Coordinator& coordinator, const AlertExplainOptions& options) {
  if (const Result<std::int64_t> id = ParseInteger(options.series)) return SeriesId{*id};
  const Result<SeriesQuery> query = QueryOf(options);
  if (!query) return Fail(query.error());
  Result<std::vector<Series>> found = coordinator.ListSeries(*query);
  if (!found) return Fail(found.error());
  // A policy without a history has one point.
  std::erase_if(*found, [](const Series& one) {
    return one.role != MetricRole::kHeadline || one.point_count < 2;
  });
  if (found->size() == 1) return found->front().id;
  if (found->empty()) {
    return Fail(ErrorCode::kNotFound, fmt::format("no judged series '{}'", options.series));
  }
  std::vector<std::string> names;
  for (const Series& one : *found) {
    names.push_back(fmt::format("{} ({}{}{}, engine {})", one.id.value, one.key.policy,
                                one.key.variant.empty() ? "" : " with ", one.key.variant,
                                one.key.engine_version));
  }
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("'{}' names several series: {}", options.series, fmt::join(names, ", ")));
}

}  // namespace

ExitCode RunAlertExplain(const GlobalOptions& global, const AlertExplainOptions& options) {
  Coordinator coordinator(global.server);
  const std::string failure =
      fmt::format("cannot explain {} at {}", options.series, options.revision);
  const Result<SeriesId> series = FindSeries(coordinator, options);
  if (!series) return ReportError(failure, series.error());
  const Result<ChangeExplanation> explanation =
      coordinator.ExplainChange(*series, options.revision);
  if (!explanation) return ReportError(failure, explanation.error());
  Print(global.output == OutputFormat::kJson ? ExplanationDocument(*explanation)
                                             : RenderExplanation(*explanation));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
