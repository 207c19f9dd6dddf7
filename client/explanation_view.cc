#include "client/explanation_view.h"

#include <fmt/format.h>

#include <numeric>

#include "client/history_view.h"
#include "client/number_format.h"
#include "client/terminal.h"
#include "client/text_table.h"

namespace schedlab::client {
namespace {

std::string Line(std::string_view name, std::string_view text) {
  return fmt::format("  {:<8}{}\n", name, EscapeControls(text));
}

std::string AnswerOf(const ChangeExplanation& explanation) {
  std::string text(Describe(explanation.reason));
  if (explanation.reason == ChangeReason::kFalseDiscoveryRate) {
    text += fmt::format(" of {} series", explanation.series_count);
  }
  if (explanation.likelier) text += fmt::format(": {}", ShortId(explanation.likelier->id));
  return Line("answer", text);
}

std::string RenderStep(const ChangeExplanation& explanation) {
  if (!explanation.step) return "";
  const ChangeStep& step = *explanation.step;
  return Line("step", fmt::format("{}: {} -> {} {}, effect {:.1f} sd, p = {:.3g}",
                                  FormatRelative(step.relative_change), FormatSummary(step.before),
                                  FormatSummary(step.after), explanation.series.unit,
                                  step.effect_sd, step.p_value));
}

std::string RenderChecks(const ChangeExplanation& explanation) {
  std::string text;
  for (const ChangeCheck& check : explanation.checks) {
    text += Line(text.empty() ? "checks" : "",
                 fmt::format("{:<36} {:.3g} against {:.3g}: {}", check.name, check.value,
                             check.limit, check.is_passed ? "passed" : "missed"));
  }
  return text;
}

std::string RenderAlerts(const ChangeExplanation& explanation) {
  if (explanation.alerts.empty()) return Line("alerts", "none at this revision");
  std::string text;
  for (const Alert& alert : explanation.alerts) {
    std::string line = fmt::format("{} ({}), first bad {}", alert.id.value, ToString(alert.state),
                                   ShortId(alert.revision.id));
    if (alert.merged_into) line += fmt::format(", merged into {}", alert.merged_into->value);
    text += Line(text.empty() ? "alerts" : "", line);
  }
  return text;
}

std::string RenderPoints(const ChangeExplanation& explanation) {
  TextTable table({{"revision"},
                   {"n", Alignment::kRight},
                   {fmt::format("mean ({})", explanation.series.unit), Alignment::kRight},
                   {""},
                   {"subject"}});
  for (const Point& point : explanation.points) {
    const auto count = static_cast<double>(point.samples.size());
    const double sum = std::accumulate(point.samples.begin(), point.samples.end(), 0.0);
    table.AddRow({ShortId(point.revision.id), fmt::format("{}", point.samples.size()),
                  point.samples.empty() ? "-" : FormatNumber(sum / count),
                  point.revision.id == explanation.revision.id ? "<<" : "",
                  point.revision.subject});
  }
  return table.Render();
}

}  // namespace

std::string_view Describe(ChangeReason reason) {
  switch (reason) {
    case ChangeReason::kRegression:
      return "a regression: the series got worse at this commit";
    case ChangeReason::kImprovement:
      return "no alert: the series got better at this commit";
    case ChangeReason::kAnotherRevision:
      return "no alert here: another commit is likelier";
    case ChangeReason::kNotMeasured:
      return "no alert: this commit has no results in this series";
    case ChangeReason::kNothingBefore:
      return "no alert: nothing was measured before this commit";
    case ChangeReason::kSmallEffect:
      return "no alert: the level moves by less than the metric's minimum effect";
    case ChangeReason::kNotSignificant:
      return "no alert: the step is within the noise";
    case ChangeReason::kOneRevision:
      return "no alert: one commit alone makes the step, and its neighbours do not confirm it";
    case ChangeReason::kTooFewRuns:
      return "no alert yet: the newest commit is believed alone only with more runs";
    case ChangeReason::kRunsOverlap:
      return "no alert yet: runs of the newest commit lie among those of earlier ones";
    case ChangeReason::kFalseDiscoveryRate:
      return "no alert: the step does not survive the false-discovery rate over all";
  }
  return "";
}

std::string RenderExplanation(const ChangeExplanation& explanation) {
  return fmt::format("{}\n", EscapeControls(HistoryHeading(explanation.series))) +
         Line("commit", fmt::format("{}  \"{}\"", ShortId(explanation.revision.id),
                                    explanation.revision.subject)) +
         AnswerOf(explanation) + RenderStep(explanation) + RenderChecks(explanation) +
         RenderAlerts(explanation) + "\n" + RenderPoints(explanation);
}

}  // namespace schedlab::client
