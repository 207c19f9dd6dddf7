#include "client/bisect_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "client/follow_campaign.h"
#include "client/number_format.h"
#include "client/terminal.h"
#include "client/text_table.h"

namespace schedlab::client {
namespace {

// Longer sets are told by their number.
constexpr std::size_t kListedCommits = 20;

const BisectionCampaign& QuestionOf(const Campaign& bisection) {
  return std::get<BisectionCampaign>(bisection.question);
}

BisectionAnswer AnswerOf(const Campaign& bisection) {
  return bisection.answer ? std::get<BisectionAnswer>(*bisection.answer) : BisectionAnswer();
}

std::string Percent(double probability) { return fmt::format("{:.0f} %", 100 * probability); }

std::string OutcomeWords(BisectionOutcome outcome) {
  std::string words(ToString(outcome));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string DescribePosterior(const BisectionAnswer& answer) {
  std::string text;
  for (const CommitProbability& one : answer.likeliest) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", Percent(one.probability),
                        ShortId(one.revision.id));
  }
  return text;
}

std::string DescribeScenario(const Campaign& bisection) {
  const JobSpec& probe = QuestionOf(bisection).question.probe;
  return fmt::format("{}.{} on {}", probe.workloads.front().workload,
                     QuestionOf(bisection).question.metric, probe.topologies.front());
}

std::string DescribeRange(const BisectionRange& range) {
  return fmt::format("{} (good) to {} (bad), {} commits", ShortId(range.good.id),
                     ShortId(range.bad.id), range.commit_count);
}

std::string RenderCommits(const std::vector<RevisionRef>& commits) {
  std::string text;
  for (std::size_t i = 0; i < std::min(commits.size(), kListedCommits); ++i) {
    text += EscapeControls(fmt::format("    {}  {}\n", ShortId(commits[i].id), commits[i].subject));
  }
  if (commits.size() > kListedCommits) {
    text += fmt::format("    ... and {} more\n", commits.size() - kListedCommits);
  }
  return text;
}

// "23f0d2093c78  sched: ..." with what is known of it below.
std::string RenderCulprit(const BisectionCulprit& culprit, bool has_color) {
  std::string text =
      fmt::format("\n{}\n", Paint(has_color, Tone::kStrong,
                                  EscapeControls(fmt::format("{}  {}", ShortId(culprit.revision.id),
                                                             culprit.revision.subject))));
  text += fmt::format("  probability   {}{}\n", Percent(culprit.probability),
                      culprit.is_confirmed ? ", confirmed by fresh runs beside its parent" : "");
  text += fmt::format("  step          {} ({} to {} with 95 %), {} of the difference\n",
                      FormatRelative(culprit.step), FormatRelative(culprit.step_interval.low),
                      FormatRelative(culprit.step_interval.high), Percent(culprit.share));
  if (culprit.candidates.size() > 1) {
    text += "  cannot be told from\n" + RenderCommits(culprit.candidates);
  }
  text += fmt::format("  smallest set  {} commit{} with 95 %\n", culprit.smallest_set.size(),
                      culprit.smallest_set.size() == 1 ? "" : "s");
  if (culprit.smallest_set.size() > 1) text += RenderCommits(culprit.smallest_set);
  return text;
}

std::string RenderAnswer(const BisectionAnswer& answer, bool has_color) {
  std::string text =
      EscapeControls(fmt::format("\n{}: {}\n", OutcomeWords(*answer.outcome), answer.reason));
  for (const BisectionCulprit& culprit : answer.culprits) text += RenderCulprit(culprit, has_color);
  if (answer.culprits.empty() && answer.outcome != BisectionOutcome::kNotReproduced &&
      !answer.smallest_set.empty()) {
    text +=
        fmt::format("\nwith 95 % the first bad commit is one of {}\n", answer.smallest_set.size()) +
        RenderCommits(answer.smallest_set);
  }
  if (answer.descends_into_merge) {
    text += "\nit is a merge: bisect the line that it merged next\n";
  }
  return text;
}

// "several commits: 23f0d2093c78 (99 %, confirmed ...) and 147c5fc2bad7 (97 %)".
std::string DescribeCulprits(const std::vector<BisectionCulprit>& culprits) {
  std::string text;
  for (const BisectionCulprit& culprit : culprits) {
    text += fmt::format("{}{} ({}{})", text.empty() ? "" : " and ", ShortId(culprit.revision.id),
                        Percent(culprit.probability),
                        culprit.is_confirmed ? ", confirmed by fresh runs beside its parent" : "");
  }
  return text;
}

std::string DescribeOutcome(const Campaign& bisection) {
  const BisectionAnswer answer = AnswerOf(bisection);
  if (!bisection.failure.empty()) return bisection.failure;
  if (!answer.outcome) {
    const std::string posterior = DescribePosterior(answer);
    return fmt::format("{}, round {}{}{}", ToString(bisection.state), bisection.round,
                       posterior.empty() ? "" : ", so far ", posterior);
  }
  const std::string words = OutcomeWords(*answer.outcome);
  if (answer.culprits.empty()) return fmt::format("{}: {}", words, answer.reason);
  return fmt::format("{}: {}", words, DescribeCulprits(answer.culprits));
}

std::string RenderProgress(const BisectionAnswer& answer) {
  if (answer.runs.empty()) return "";
  std::string text;
  if (answer.difference_sd != 0) {
    text += fmt::format("\nthe ends differ by {}, {:.1f} sd of a run\n",
                        FormatRelative(answer.difference), answer.difference_sd);
  }
  return text + fmt::format("first bad so far: {}\n", DescribePosterior(answer));
}

std::string RenderRuns(const BisectionAnswer& answer, const std::string& unit) {
  if (answer.runs.empty()) return "";
  TextTable table({{"commit"},
                   {"runs", Alignment::kRight},
                   {"mean / " + unit, Alignment::kRight},
                   {"failed", Alignment::kRight},
                   {"subject"}});
  for (const CommitRuns& runs : answer.runs) {
    const std::string failed = runs.failed_count > 0 ? fmt::format("{}", runs.failed_count) : "";
    table.AddRow({ShortId(runs.revision.id), fmt::format("{}", runs.count),
                  runs.count > 0 ? FormatNumber(runs.mean) : "",
                  failed + (runs.is_skipped ? " skipped" : ""), runs.revision.subject});
  }
  return "\n" + table.Render();
}

std::string RenderFailures(const BisectionAnswer& answer) {
  std::string text;
  for (const CommitRuns& runs : answer.runs) {
    if (runs.failure.empty()) continue;
    text += fmt::format("{}: {}\n", ShortId(runs.revision.id), runs.failure);
  }
  return text.empty() ? "" : EscapeControls("\n" + text);
}

}  // namespace

std::string RenderBisections(const std::vector<Campaign>& bisections) {
  TextTable table({{"id", Alignment::kRight},
                   {"state"},
                   {"good"},
                   {"bad"},
                   {"commits", Alignment::kRight},
                   {"round", Alignment::kRight},
                   {"new runs", Alignment::kRight},
                   {"project"},
                   {"metric"},
                   {"created"}});
  for (const Campaign& bisection : bisections) {
    const BisectionRange& range = QuestionOf(bisection).range;
    table.AddRow({fmt::format("{}", bisection.id.value), std::string(ToString(bisection.state)),
                  ShortId(range.good.id), ShortId(range.bad.id),
                  fmt::format("{}", range.commit_count), fmt::format("{}", bisection.round),
                  fmt::format("{}", bisection.run_count), bisection.project,
                  DescribeScenario(bisection), FormatTime(bisection.created_at)});
  }
  return table.Render();
}

std::string RenderBisection(const Campaign& bisection, bool has_color) {
  const BisectionRange& range = QuestionOf(bisection).range;
  const BisectionAnswer answer = AnswerOf(bisection);
  std::string text = EscapeControls(fmt::format(
      "bisection {} is {}: {}, {}; {} round{} and {} new run{}, created {}\n", bisection.id.value,
      ToString(bisection.state), DescribeScenario(bisection), DescribeRange(range), bisection.round,
      bisection.round == 1 ? "" : "s", bisection.run_count, bisection.run_count == 1 ? "" : "s",
      FormatTime(bisection.created_at)));
  if (!bisection.failure.empty()) text += EscapeControls(bisection.failure) + "\n";
  text += answer.outcome ? RenderAnswer(answer, has_color) : RenderProgress(answer);
  return text + RenderRuns(answer, range.unit) + RenderFailures(answer);
}

std::string DescribeBisection(const Campaign& bisection) {
  return EscapeControls(fmt::format("{}: {}; {} new run{}", bisection.id.value,
                                    DescribeOutcome(bisection), bisection.run_count,
                                    bisection.run_count == 1 ? "" : "s"));
}

std::string DescribeBisectionRound(const Campaign& bisection) {
  const std::string posterior = DescribePosterior(AnswerOf(bisection));
  return EscapeControls(
      fmt::format("{}{}{}", DescribeRound(bisection), posterior.empty() ? "" : "; ", posterior));
}

ExitCode ResultOf(const Campaign& bisection) {
  const std::optional<BisectionOutcome> outcome = AnswerOf(bisection).outcome;
  if (bisection.state != CampaignState::kFinished || !outcome) return ExitCode::kInfrastructure;
  const bool is_open =
      *outcome == BisectionOutcome::kNotReproduced || *outcome == BisectionOutcome::kUndecided;
  return is_open ? ExitCode::kInconclusive : ExitCode::kOk;
}

}  // namespace schedlab::client
