#include "client/lkp_mail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "client/number_format.h"
#include "client/run_command.h"
#include "client/terminal.h"
#include "client/text_table.h"

namespace schedlab::client {
namespace {

std::string NameOf(const Series& series) {
  return fmt::format("{}.{}", series.key.workload, series.key.metric);
}

// "27.6% regression": which way is told by the word, as in those mails.
std::string ChangeText(const StoredChangePoint& change) {
  return fmt::format("{:.1f}% {}", std::fabs(change.relative_change) * 100,
                     change.is_regression ? "regression" : "improvement");
}

std::string Subjected(const RevisionRef& revision) {
  if (revision.subject.empty()) return revision.id;
  return fmt::format("{} (\"{}\")", revision.id, revision.subject);
}

// Whether the newest runs are nearer to the bad level than to the good one.
bool IsStillBad(const StoredChangePoint& change, const SampleSummary& newest) {
  return std::fabs(newest.mean - change.after.mean) < std::fabs(newest.mean - change.before.mean);
}

std::string StatusLine(const Alert& alert, const AlertCell& head, const LkpMailFacts& facts) {
  const std::optional<RevisionRef>& recovered = alert.recovered ? alert.recovered : head.recovered;
  if (recovered) return fmt::format("[fixed by {}]\n", Subjected(*recovered));
  if (!facts.newest || !facts.newest_runs || facts.newest->id == alert.revision.id) {
    return "[no later commit was measured]\n";
  }
  const bool is_still_bad = IsStillBad(head.change, *facts.newest_runs);
  return fmt::format("[{} {}: {} {}]\n",
                     is_still_bad ? "still regression on" : "not seen any more on",
                     Subjected(*facts.newest), FormatSummary(*facts.newest_runs), head.series.unit);
}

const WorkloadSelection* SelectionOfCell(const AlertCell& cell, const JobSpec& spec) {
  Run run;
  run.topology = cell.series.key.topology;
  run.workload = cell.series.key.workload;
  return SelectionOf(run, spec, cell.series.key.scenario_digest);
}

std::string Parameters(const RegressionReport& report, const AlertCell& head) {
  std::string text = "parameters:\n\n";
  const WorkloadSelection* selection = report.spec ? SelectionOfCell(head, *report.spec) : nullptr;
  if (selection != nullptr) {
    for (const auto& [name, value] : selection->parameters) {
      text += fmt::format("  {}: {}\n", name, value);
    }
    if (selection->duration_ns > 0) {
      text += fmt::format("  duration: {} s\n",
                          FormatNumber(static_cast<double>(selection->duration_ns) / 1e9));
    }
  }
  if (report.spec) text += fmt::format("  repetitions: {}\n", report.spec->repetitions);
  return text + fmt::format("  scenario: {}\n", head.series.key.scenario_digest);
}

using BoxRow = std::pair<std::string, std::string>;

std::string Boxed(const std::vector<std::vector<BoxRow>>& boxes) {
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  for (const auto& box : boxes) {
    for (const auto& [name, value] : box) {
      name_width = std::max(name_width, DisplayWidth(name));
      value_width = std::max(value_width, DisplayWidth(value));
    }
  }
  const std::string rule =
      fmt::format("+-{}-+-{}-+\n", std::string(name_width, '-'), std::string(value_width, '-'));
  std::string text = rule;
  for (const auto& box : boxes) {
    for (const auto& [name, value] : box) {
      text +=
          fmt::format("| {}{} | {}{} |\n", name, std::string(name_width - DisplayWidth(name), ' '),
                      value, std::string(value_width - DisplayWidth(value), ' '));
    }
    text += rule;
  }
  return text;
}

// The other cells that the change touched, the better ones too.
std::string FurtherTests(const Alert& alert, const AlertCell& head) {
  std::vector<std::vector<BoxRow>> boxes;
  for (const AlertCell& cell : alert.cells) {
    if (cell.series.id == head.series.id && cell.series.key == head.series.key) continue;
    const StoredChangePoint& change = cell.change;
    boxes.push_back({{"testcase: change", fmt::format("{}: {} {}", cell.series.key.workload,
                                                      NameOf(cell.series), ChangeText(change))},
                     {"test machine", cell.series.key.topology},
                     {"runs", fmt::format("{} -> {} {}", FormatSummary(change.before),
                                          FormatSummary(change.after), cell.series.unit)}});
  }
  if (boxes.empty()) return "";
  return "\nThe commit also changes the following tests:\n\n" + Boxed(boxes);
}

std::string Lead(const Alert& alert, const AlertCell& head) {
  const StoredChangePoint& change = head.change;
  return fmt::format(
      "Hello,\n\nschedlab noticed a {} of {} on {}:\n\n\ncommit: {}\nproject: {}, policy: {}{}{}\n",
      ChangeText(change), NameOf(head.series), head.series.key.topology, Subjected(alert.revision),
      alert.project, alert.policy, head.series.key.variant.empty() ? "" : " with ",
      head.series.key.variant);
}

std::string Setting(const AlertCell& head, const LkpMailFacts& facts) {
  const SeriesKey& key = head.series.key;
  const StoredChangePoint& change = head.change;
  return fmt::format(
      "testcase: {}\nconfig: {}\nsimulator: engine version {} (executor {})\ntest machine: {}{}{}\n"
      "metric: {}, {} is better\nruns: {} -> {} {} (n = runs, CV = stddev/mean)\n",
      key.workload, key.variant.empty() ? "as the commits set it" : key.variant, key.engine_version,
      ToString(key.executor), key.topology, facts.machine.empty() ? "" : ": ", facts.machine,
      key.metric, BetterWord(head.series.direction), FormatSummary(change.before),
      FormatSummary(change.after), head.series.unit);
}

std::string Tags(const Alert& alert, const LkpMailFacts& facts) {
  return fmt::format(
      "\nIf a commit of its own fixes this, please tag it with\n"
      "| Reported-by: schedlab, coordinator {}\n"
      "| Closes: alert {} of project {}\n",
      facts.coordinator, alert.id.value, alert.project);
}

std::string Repeats(const RegressionReport& report, const AlertCell& head) {
  if (!report.spec || head.series.key.executor != Executor::kSim) return "";
  const std::string bad =
      RepeatCommand(head, report.alert.revision.id, head.revision_run, *report.spec);
  const std::string good =
      RepeatCommand(head, report.alert.previous.id, head.previous_run, *report.spec);
  if (bad.empty() && good.empty()) return "";
  return fmt::format("To repeat one run of the commit, and one of its parent:\n\n{}{}\n",
                     bad.empty() ? "" : "  " + bad + "\n", good.empty() ? "" : "  " + good + "\n");
}

}  // namespace

std::string RenderLkpMail(const RegressionReport& report, const LkpMailFacts& facts) {
  const Alert& alert = report.alert;
  const AlertCell& head = *RegressedCells(alert).front();
  std::string text = Lead(alert, head) + "\n" + StatusLine(alert, head, facts) + "\n" +
                     Setting(head, facts) + Parameters(report, head) + "\n" +
                     FurtherTests(alert, head) + Tags(alert, facts) + "\nDetails are as below:\n" +
                     std::string(98, '-') + ">\n\n" + Repeats(report, head);
  if (report.comparison) text += RenderCellTable(*report.comparison, head);
  return EscapeControls(text);
}

}  // namespace schedlab::client
