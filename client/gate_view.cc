#include "client/gate_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "client/comparison_view.h"
#include "client/number_format.h"
#include "client/terminal.h"
#include "client/text_table.h"

namespace schedlab::client {
namespace {

const GateCampaign& QuestionOf(const Campaign& gate) {
  return std::get<GateCampaign>(gate.question);
}

GateAnswer AnswerOf(const Campaign& gate) {
  return gate.answer ? std::get<GateAnswer>(*gate.answer) : GateAnswer();
}

std::string Counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string UnmeasuredTable(const std::vector<UnmeasuredCell>& cells) {
  if (cells.empty()) return "";
  TextTable table({{"topology"}, {"metric"}, {"not measured, because"}});
  for (const UnmeasuredCell& cell : cells) {
    table.AddRow({cell.topology, cell.workload + "." + cell.metric, cell.reason});
  }
  return "\n" + table.Render();
}

}  // namespace

std::string RenderGates(const std::vector<Campaign>& gates) {
  TextTable table({{"id", Alignment::kRight},
                   {"state"},
                   {"candidate"},
                   {"baseline"},
                   {"round", Alignment::kRight},
                   {"new runs", Alignment::kRight},
                   {"project"},
                   {"suite"},
                   {"created"}});
  for (const Campaign& gate : gates) {
    const GateCampaign& question = QuestionOf(gate);
    table.AddRow({fmt::format("{}", gate.id.value), std::string(ToString(gate.state)),
                  ShortId(question.sides.candidate.id), ShortId(question.sides.baseline.id),
                  fmt::format("{}", gate.round), fmt::format("{}", gate.run_count), gate.project,
                  question.question.suite.suite, FormatTime(gate.created_at)});
  }
  return table.Render();
}

RevisionComparison ComparisonOf(const Campaign& gate) {
  const GateCampaign& question = QuestionOf(gate);
  return {.baseline = question.sides.baseline,
          .candidate = question.sides.candidate,
          .rows = AnswerOf(gate).rows,
          .false_discovery_rate = question.question.false_discovery_rate};
}

std::string DescribeBaseline(const GateSides& sides) {
  return fmt::format("{}, {} back", ToString(sides.rule_taken),
                     Counted(sides.commits_back, "commit"));
}

std::string DescribeEnd(const Campaign& gate) {
  if (gate.state == CampaignState::kFailed) return gate.failure;
  const std::string cost =
      fmt::format("{} and {}", Counted(gate.round, "round"), Counted(gate.run_count, "new run"));
  switch (AnswerOf(gate).end) {
    case GateEnd::kOpen:
      return cost + " so far";
    case GateEnd::kDecided:
      return "decided after " + cost;
    case GateEnd::kLooksUsed:
      return "undecided after the last look, " + cost;
    case GateEnd::kBudgetSpent:
      return fmt::format("the budget of {} is spent, after {}", Counted(gate.run_budget, "run"),
                         cost);
  }
  return cost;
}

std::string RenderGate(const Campaign& gate, bool has_color) {
  const GateSides& sides = QuestionOf(gate).sides;
  std::string text = EscapeControls(fmt::format(
      "gate {} is {}: suite {} of project {}, {}; baseline {} ({}), created {}\n", gate.id.value,
      ToString(gate.state), QuestionOf(gate).question.suite.suite, gate.project, DescribeEnd(gate),
      ShortId(sides.baseline.id), DescribeBaseline(sides), FormatTime(gate.created_at)));
  const RevisionComparison comparison = ComparisonOf(gate);
  if (!comparison.rows.empty()) text += "\n" + RenderComparison(comparison, has_color);
  return text + UnmeasuredTable(AnswerOf(gate).unmeasured);
}

ExitCode VerdictOf(const Campaign& gate) {
  const ExitCode measured = GateOf(ComparisonOf(gate));
  if (measured == ExitCode::kRegression) return measured;
  const std::vector<UnmeasuredCell> unmeasured = AnswerOf(gate).unmeasured;
  const bool has_failed = std::any_of(unmeasured.begin(), unmeasured.end(),
                                      [](const UnmeasuredCell& cell) { return cell.has_failed; });
  if (has_failed || gate.state != CampaignState::kFinished) return ExitCode::kInfrastructure;
  return unmeasured.empty() ? measured : ExitCode::kInconclusive;
}

}  // namespace schedlab::client
