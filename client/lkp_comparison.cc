#include "client/lkp_comparison.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "client/dialect_notes.h"
#include "client/lkp_table.h"
#include "client/terminal.h"

namespace schedlab::client {
namespace {

constexpr std::string_view kReading =
    "reading: means; ± is stddev/mean of the runs, shown above 2 % only\n"
    "sign: %change is raw, candidate / baseline - 1: a minus alone is not bad; rows in % differ in "
    "points\n"
    "changed: below is the verdict of schedlab, not lkp's own rule for what it lists\n";

LkpCommit CommitOf(const ComparedRevision& revision) {
  return {revision.revision.id, revision.revision.subject};
}

LkpTable TableOf(const ComparisonSet& set, const SeriesList& scenario, std::size_t baseline) {
  const SeriesKey& key = scenario.front()->series.key;
  LkpTable table{.axes = {{"executor", std::string(ToString(key.executor))},
                          {"policy", key.policy},
                          {"tbox_group", key.topology},
                          {"testcase", key.workload}},
                 .baseline = CommitOf(set.baselines[baseline]),
                 .candidates = {},
                 .failures = {},
                 .rows = {}};
  if (!key.variant.empty()) table.axes.insert(table.axes.begin() + 2, {"switches", key.variant});
  for (const ComparedRevision& one : set.candidates) table.candidates.push_back(CommitOf(one));
  for (const ComparedSeries* one : scenario) {
    if (!one->baselines[baseline]) continue;
    std::vector<std::optional<SampleSummary>> candidates;
    for (const std::optional<ComparedSide>& side : one->candidates) {
      candidates.push_back(side ? std::optional(side->summary) : std::nullopt);
    }
    table.rows.push_back(
        LkpRowOf(one->series, one->baselines[baseline]->summary, std::move(candidates)));
  }
  return table;
}

}  // namespace

std::string RenderLkpComparison(const ComparisonSet& set, const SeriesList& list) {
  std::string text;
  for (const SeriesList& scenario : ScenariosOf(list)) {
    for (std::size_t baseline = 0; baseline < set.baselines.size(); ++baseline) {
      const LkpTable table = TableOf(set, scenario, baseline);
      if (!table.rows.empty()) text += EscapeControls(RenderLkp(table)) + "\n";
    }
    text +=
        RunCountNote(set, scenario) + DirectionNote(scenario) + ChangedNote(set, scenario) + "\n";
  }
  return text + std::string(kReading);
}

}  // namespace schedlab::client
