#include <fmt/format.h>

#include <algorithm>

#include "client/commands/commands.h"
#include "client/grid.h"
#include "client/json_output.h"
#include "client/number_format.h"
#include "core/catalog.h"

namespace schedlab::client {
namespace {

std::vector<std::string> WorkloadsThatJudge(const Catalog& catalog, const std::string& metric) {
  std::vector<std::string> names;
  for (const WorkloadDefinition& workload : catalog.workloads) {
    const auto& headline = workload.headline;
    if (std::find(headline.begin(), headline.end(), metric) != headline.end()) {
      names.push_back(workload.name);
    }
  }
  return names;
}

std::string MinimumEffect(const MetricSpec& metric) {
  if (metric.role != MetricRole::kHeadline) return "";
  return fmt::format("{} %", FormatNumber(metric.minimum_effect * 100));
}

Grid MetricGrid(const Catalog& catalog) {
  Grid grid{.columns = {{"metric"},
                        {"unit"},
                        {"better"},
                        {"role"},
                        {"minimum effect", Alignment::kRight},
                        {"judged in"},
                        {"meaning"}},
            .rows = {}};
  for (const MetricSpec& metric : catalog.metrics) {
    grid.rows.push_back(
        {metric.name, metric.unit, std::string(BetterWord(metric.direction)),
         std::string(ToString(metric.role)), MinimumEffect(metric),
         fmt::format("{}", fmt::join(WorkloadsThatJudge(catalog, metric.name), " ")),
         metric.meaning});
  }
  return grid;
}

std::string Describe(const MetricSpec& metric, const std::vector<std::string>& judged_in) {
  std::string text =
      fmt::format("{}\n  {}\n  unit            {}\n  better          {}\n", metric.name,
                  metric.meaning, metric.unit, BetterWord(metric.direction));
  if (metric.role == MetricRole::kHeadline) {
    text += fmt::format(
        "  role            headline: judged\n"
        "  minimum effect  {}: a smaller change is called no change\n"
        "  judged in       {}\n",
        MinimumEffect(metric),
        judged_in.empty() ? "no workload by default; a suite may name it"
                          : fmt::format("{}", fmt::join(judged_in, ", ")));
  } else {
    text += "  role            counter: explains a change, is never judged alone\n";
  }
  return text;
}

}  // namespace

ExitCode RunMetricList(const GlobalOptions& global) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return ReportError("cannot read the catalog", catalog.error());
  switch (global.output) {
    case OutputFormat::kJson:
      Print(MetricsDocument(catalog->metrics));
      break;
    case OutputFormat::kCsv:
      Print(RenderCsv(MetricGrid(*catalog)));
      break;
    case OutputFormat::kMarkdown:
      Print(RenderMarkdown(MetricGrid(*catalog)));
      break;
    case OutputFormat::kTable:
      Print(RenderText(MetricGrid(*catalog)));
      break;
  }
  return ExitCode::kOk;
}

ExitCode RunMetricDescribe(const GlobalOptions& global, const MetricOptions& options) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return ReportError("cannot read the catalog", catalog.error());
  const Result<const MetricSpec*> metric = catalog->FindMetric(options.name);
  if (!metric) return ReportError("cannot describe the metric", metric.error());
  const std::vector<std::string> judged_in = WorkloadsThatJudge(*catalog, (*metric)->name);
  Print(global.output == OutputFormat::kJson ? MetricDocument(**metric, judged_in)
                                             : Describe(**metric, judged_in));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
