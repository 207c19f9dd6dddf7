#include "client/comparison_output.h"

#include <fmt/format.h>

#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "client/comparison_columns.h"
#include "client/comparison_view.h"
#include "client/json_output.h"
#include "client/kernel_list_table.h"
#include "client/lkp_comparison.h"
#include "client/mmtests_table.h"
#include "client/number_format.h"
#include "client/terminal.h"

namespace schedlab::client {
namespace {

constexpr std::string_view kSummaryNote =
    "geometric means are of candidate / baseline, or its inverse where lower is better: above 1 is "
    "better; judged metrics only";

// Only KeepChanged() leaves a comparison without series.
constexpr std::string_view kNothingChanged = "no judged metric is worse or better\n";

// The rows of one group as the coordinator judged them.
std::vector<ComparisonRow> RowsOf(const ComparisonSet& set, const ComparisonGroup& group,
                                  Grouping grouping) {
  std::vector<ComparisonRow> rows;
  for (const ComparedPair& pair : set.pairs) {
    for (const ComparisonRow& row : pair.comparison.rows) {
      if (GroupNameOf(row.series.key, grouping) == group.name) rows.push_back(row);
    }
  }
  return rows;
}

Grid GridOf(const ComparisonSet& set, const ComparisonGroup& group, Grouping grouping) {
  if (IsOfTwo(set)) return ComparisonGrid(RowsOf(set, group, grouping));
  return RevisionGrid(set, group.series);
}

std::string Body(const ComparisonSet& set, const ComparisonGroup& group,
                 const ComparisonLayout& layout) {
  switch (layout.format) {
    case ComparisonFormat::kLkp:
      return RenderLkpComparison(set, group.series);
    case ComparisonFormat::kMmtests:
      return RenderMmtests(set, group.series);
    case ComparisonFormat::kMmtestsRatio:
      return RenderMmtestsRatios(set, group.series);
    case ComparisonFormat::kKernel:
      return RenderKernelList(set, group.series, layout.machines);
    case ComparisonFormat::kTable:
    case ComparisonFormat::kMarkdown:
    case ComparisonFormat::kJson:
    case ComparisonFormat::kCsv:
      return RenderText(GridOf(set, group, layout.grouping));
  }
  return "";
}

std::string Head(const ComparisonSet& set, const ComparisonLayout& layout) {
  if (layout.format != ComparisonFormat::kTable) return "";
  if (!IsOfTwo(set) || set.pairs.empty()) return RenderSetHead(set);
  return RenderComparisonHead(set.pairs.front().comparison, layout.has_color);
}

std::string RenderForPeople(const ComparisonSet& set, const ComparisonLayout& layout) {
  std::string text = Head(set, layout);
  for (const ComparisonGroup& group : GroupsOf(set, layout.grouping)) {
    if (!text.empty()) text += "\n";
    if (!group.name.empty()) {
      text += Paint(layout.has_color, Tone::kStrong, EscapeControls(group.name)) + "\n";
    }
    text += Body(set, group, layout) + "\n";
    if (layout.has_samples) text += RenderSamples(set, group.series) + "\n";
    text += RenderSummary(set, group);
  }
  if (set.series.empty()) return text + "\n" + std::string(kNothingChanged);
  return text + std::string(kSummaryNote) + "\n";
}

std::string RevisionItem(std::string_view role, const ComparedRevision& revision) {
  return fmt::format("- {} {}: `{}` {}\n", role, EscapeMarkdown(revision.label),
                     ShortId(revision.revision.id), EscapeMarkdown(revision.revision.subject));
}

// Lines as items of a list.
std::string ListOf(const std::string& lines) {
  std::istringstream stream(lines);
  std::string list;
  for (std::string line; std::getline(stream, line);) list += "- " + EscapeMarkdown(line) + "\n";
  return list;
}

std::string RenderForGitHub(const ComparisonSet& set, const ComparisonLayout& layout) {
  std::string text;
  for (std::size_t i = 0; i < set.baselines.size(); ++i) {
    text += RevisionItem(i == 0 ? "baseline" : "also against", set.baselines[i]);
  }
  for (const ComparedRevision& one : set.candidates) text += RevisionItem("candidate", one);
  text +=
      "\nMeans with the coefficient of variation (CV) of n runs; change = candidate / baseline - 1 "
      "(raw sign, better = which way is good).\n";
  for (const ComparisonGroup& group : GroupsOf(set, layout.grouping)) {
    if (!group.name.empty()) text += "\n### " + EscapeMarkdown(group.name) + "\n";
    text += "\n" + RenderMarkdown(GridOf(set, group, layout.grouping)) + "\n" +
            ListOf(RenderSummary(set, group));
    if (layout.has_samples) {
      text += "\n```\n" + RenderSamples(set, group.series) + "```\n";
    }
  }
  if (set.series.empty()) return text + "\n" + std::string(kNothingChanged);
  return text + "\n" + EscapeMarkdown(kSummaryNote) + "\n";
}

}  // namespace

std::string RenderOutput(const ComparisonSet& set, const ComparisonLayout& layout) {
  switch (layout.format) {
    case ComparisonFormat::kJson:
      return ComparisonSetDocument(set, layout.grouping);
    case ComparisonFormat::kCsv:
      return RenderCsv(layout.has_samples ? SampleRecords(set) : PairRecords(set));
    case ComparisonFormat::kMarkdown:
      return RenderForGitHub(set, layout);
    case ComparisonFormat::kTable:
    case ComparisonFormat::kLkp:
    case ComparisonFormat::kMmtests:
    case ComparisonFormat::kMmtestsRatio:
    case ComparisonFormat::kKernel:
      return RenderForPeople(set, layout);
  }
  return "";
}

}  // namespace schedlab::client
