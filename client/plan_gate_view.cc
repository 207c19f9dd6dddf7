#include "client/plan_gate_view.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "client/number_format.h"
#include "client/text_table.h"
#include "stats/power.h"
#include "stats/variance_history.h"

namespace schedlab::client {
namespace {

bool IsFoundAtOnce(const stats::GateQuestion& question, const stats::GatePlan& plan) {
  return plan.power_at_once >= question.power;
}

std::string Percent(double share) { return fmt::format("{} %", FormatNumber(100 * share)); }

std::string DescribeHistory(double degrees) {
  if (degrees == 0) return "no history";
  if (degrees <= stats::kMostHistoryDegrees) {
    return fmt::format("a history of {:.0f} degrees of freedom", degrees);
  }
  return fmt::format("a history of {:.0f} degrees of freedom, of which {:.0f} count", degrees,
                     stats::kMostHistoryDegrees);
}

std::string DescribeQuestion(const stats::GateQuestion& question) {
  return fmt::format(
      "A change of {} beyond the minimum effect, noise of {} (CV), {} {} judged together at a "
      "false-discovery rate of {}, {}.\n",
      FormatRelative(question.effect), Percent(question.noise), question.metric_count,
      question.metric_count == 1 ? "metric" : "metrics", Percent(question.false_discovery_rate),
      DescribeHistory(question.history_degrees));
}

std::string DescribeAtOnce(const stats::GateQuestion& question, const stats::GatePlan& plan) {
  if (!IsFoundAtOnce(question, plan)) {
    return fmt::format("With one look: {} runs a side find it in {} only.\n", plan.runs_at_once,
                       Percent(plan.power_at_once));
  }
  return fmt::format("With one look: {} runs a side find it in {}.\n", plan.runs_at_once,
                     Percent(plan.power_at_once));
}

}  // namespace

std::string RenderGatePlan(const stats::GateQuestion& question, const stats::GatePlan& plan) {
  TextTable table({{"runs a side", Alignment::kRight},
                   {"p must reach", Alignment::kRight},
                   {"found by then", Alignment::kRight}});
  for (const stats::PlannedLook& look : plan.looks) {
    table.AddRow({fmt::format("{}", look.runs), fmt::format("{:.2g}", look.level),
                  fmt::format("{:.1f} %", 100 * look.power)});
  }
  std::string text = DescribeQuestion(question) + DescribeAtOnce(question, plan) +
                     "With looks on the way:\n\n" + table.Render() + "\n";
  text += fmt::format("Expected runs a side: {:.1f} if it is there, {:.1f} if nothing changed.\n",
                      plan.expected_runs, plan.expected_runs_without_change);
  if (plan.looks.back().power < question.power) {
    text += fmt::format("These looks do not find it in {}.\n", Percent(question.power));
  }
  return text;
}

std::string GatePlanDocument(const stats::GateQuestion& question, const stats::GatePlan& plan) {
  using Json = nlohmann::ordered_json;
  Json looks = Json::array();
  for (const stats::PlannedLook& look : plan.looks) {
    looks.push_back({{"runs", look.runs}, {"level", look.level}, {"power", look.power}});
  }
  const Json document = {
      {"format_version", 1},
      {"effect", question.effect},
      {"cv", question.noise},
      {"metrics", question.metric_count},
      {"history_degrees_of_freedom", question.history_degrees},
      {"power", question.power},
      {"fdr", question.false_discovery_rate},
      {"runs_at_once", IsFoundAtOnce(question, plan) ? Json(plan.runs_at_once) : Json(nullptr)},
      {"power_at_once", plan.power_at_once},
      {"looks", looks},
      {"expected_runs", plan.expected_runs},
      {"expected_runs_without_change", plan.expected_runs_without_change}};
  return document.dump(2) + "\n";
}

}  // namespace schedlab::client
