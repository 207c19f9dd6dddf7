#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "client/commands/commands.h"
#include "client/number_format.h"
#include "client/text_table.h"
#include "stats/bisection_plan.h"

namespace schedlab::client {
namespace {

std::string RenderTable(const PlanBisectOptions& options, const stats::BisectionPlan& plan) {
  TextTable table({{""}, {"mean", Alignment::kRight}, {"90 % take at most", Alignment::kRight}});
  table.AddRow({"runs", FormatNumber(plan.mean_runs), FormatNumber(plan.runs_90)});
  table.AddRow({"rounds", FormatNumber(plan.mean_rounds), FormatNumber(plan.rounds_90)});
  return fmt::format(
      "{} commits, {} sd, {} worker(s): {} simulated bisections, {:.0f} % name the culprit, {:.0f} "
      "% see no difference\n{}",
      options.commit_count, FormatNumber(options.effect_sd), options.worker_count, plan.trial_count,
      100 * plan.right_share, 100 * plan.not_reproduced_share, table.Render());
}

std::string RenderJson(const PlanBisectOptions& options, const stats::BisectionPlan& plan) {
  const nlohmann::ordered_json document = {{"format_version", 1},
                                           {"commits", options.commit_count},
                                           {"effect_sd", options.effect_sd},
                                           {"workers", options.worker_count},
                                           {"budget_runs", options.run_budget},
                                           {"trial_count", plan.trial_count},
                                           {"mean_runs", plan.mean_runs},
                                           {"runs_90", plan.runs_90},
                                           {"mean_rounds", plan.mean_rounds},
                                           {"rounds_90", plan.rounds_90},
                                           {"right_share", plan.right_share},
                                           {"not_reproduced_share", plan.not_reproduced_share}};
  return document.dump(2) + "\n";
}

}  // namespace

ExitCode RunPlanBisect(const GlobalOptions& global, const PlanBisectOptions& options) {
  const Result<stats::BisectionPlan> plan = stats::PlanBisection(
      {.commit_count = options.commit_count,
       .effect_sd = options.effect_sd,
       .options = {.worker_count = options.worker_count, .run_budget = options.run_budget}});
  if (!plan) return ReportError("cannot plan the bisection", plan.error());
  Print(global.output == OutputFormat::kJson ? RenderJson(options, *plan)
                                             : RenderTable(options, *plan));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
