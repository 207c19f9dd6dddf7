#include "client/kernel_list_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "client/dialect_notes.h"
#include "client/number_format.h"
#include "client/terminal.h"

namespace schedlab::client {
namespace {

constexpr std::size_t kRuleWidth = 66;
constexpr std::size_t kCaseWidth = 9;
// A value with percent and CV is 25 characters; titles end two before.
constexpr std::size_t kTitleWidth = 23;

constexpr std::string_view kReading =
    "pct imp: in percent of the baseline, direction-corrected: plus is better; CV: stddev/mean of "
    "the runs in percent\n";

// Blocks of one metric of one workload and policy; a case each for machine and parameters.
std::vector<SeriesList> BlocksOf(const SeriesList& list) {
  std::vector<SeriesList> blocks;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (const ComparedSeries* one : list) {
    if (one->series.role != MetricRole::kHeadline || BaselineOf(*one) == nullptr) continue;
    const SeriesKey& key = one->series.key;
    const auto [place, is_new] =
        places.try_emplace(std::tuple(key.workload, key.metric, PolicyName(key)), blocks.size());
    if (is_new) blocks.emplace_back();
    blocks[place->second].push_back(one);
  }
  return blocks;
}

std::string CaseName(const SeriesList& block, const ComparedSeries& one) {
  const std::string& topology = one.series.key.topology;
  const auto namesakes = std::count_if(block.begin(), block.end(), [&](const auto* other) {
    return other->series.key.topology == topology;
  });
  if (namesakes == 1) return topology;
  return fmt::format("{}/{}/{}", topology, ShortId(one.series.key.scenario_digest),
                     one.series.key.engine_version);
}

std::size_t CaseWidth(const SeriesList& block) {
  std::size_t width = kCaseWidth;
  for (const ComparedSeries* one : block) width = std::max(width, CaseName(block, *one).size() + 1);
  return width;
}

// Lower is better: no change prints as -0.00, as in those mails.
double Improvement(const ComparedSeries& one, double ratio) {
  const double percent = (ratio - 1) * 100;
  return one.series.direction == Direction::kLowerIsBetter ? -percent : percent;
}

std::string Value(const ComparedSeries& one, const std::optional<ComparedSide>& side) {
  const double reference = BaselineOf(one)->summary.mean;
  if (!side || reference == 0) return std::string(kTitleWidth + 2, ' ');
  const SampleSummary& summary = side->summary;
  const double ratio = summary.mean / reference;
  const std::string spread = summary.stddev && summary.mean != 0
                                 ? fmt::format("{:5.2f}", *summary.stddev / summary.mean * 100)
                                 : fmt::format("{:>5}", "n/a");
  return fmt::format("{:9.2f} [{:6.2f}]({})", ratio, Improvement(one, ratio), spread);
}

std::string Titles(const ComparisonSet& set, std::size_t case_width) {
  std::string text = fmt::format("{:<{}}", "Case:", case_width);
  std::size_t gap = 0;
  const auto add = [&](const ComparedRevision& revision) {
    text += std::string(gap, ' ') +
            fmt::format("{:>{}}", revision.label + "[pct imp](CV)", kTitleWidth);
    gap = 2;
  };
  for (const ComparedRevision& one : set.baselines) add(one);
  for (const ComparedRevision& one : set.candidates) add(one);
  return text + "\n";
}

std::string Block(const ComparisonSet& set, const SeriesList& block) {
  const Series& series = block.front()->series;
  const std::string rule(kRuleWidth, '=');
  std::string text = fmt::format(
      "{}\nTest          : {} ({})\nUnits         : Normalized {} in {}\nInterpretation: {} is "
      "better\nStatistic     : AMean\n{}\n",
      rule, series.key.workload, PolicyName(series.key), series.key.metric, series.unit,
      series.direction == Direction::kHigherIsBetter ? "Higher" : "Lower", rule);
  const std::size_t width = CaseWidth(block);
  text += Titles(set, width);
  for (const ComparedSeries* one : block) {
    text += fmt::format("{:>{}}", CaseName(block, *one), width);
    for (const auto& side : one->baselines) text += Value(*one, side);
    for (const auto& side : one->candidates) text += Value(*one, side);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text + "\n" + RunCountNote(set, block) + "\n";
}

std::string Kernel(const ComparedRevision& revision, const std::string& project) {
  return fmt::format("{:<10}: {} at commit {} (\"{}\")\n", revision.label, project,
                     ShortId(revision.revision.id), revision.revision.subject);
}

}  // namespace

std::string RenderKernelList(const ComparisonSet& set, const SeriesList& list,
                             const std::map<std::string, std::string>& machines) {
  if (list.empty()) return "";
  std::string text = "Machines\n";
  std::vector<std::string> told;
  for (const ComparedSeries* one : list) {
    const std::string& name = one->series.key.topology;
    if (std::find(told.begin(), told.end(), name) != told.end()) continue;
    told.push_back(name);
    const auto machine = machines.find(name);
    text +=
        fmt::format("{:<10}: {} ({})\n", name,
                    machine == machines.end() ? "not in this program's catalog" : machine->second,
                    ToString(one->series.key.executor));
  }
  text += "\nKernels\n";
  const std::string& project = list.front()->series.key.project;
  for (const ComparedRevision& one : set.baselines) text += Kernel(one, project);
  for (const ComparedRevision& one : set.candidates) text += Kernel(one, project);
  text += "\n";
  for (const SeriesList& block : BlocksOf(list)) text += Block(set, block);
  return EscapeControls(text + std::string(kReading));
}

}  // namespace schedlab::client
