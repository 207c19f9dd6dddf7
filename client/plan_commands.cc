#include "client/plan_commands.h"

#include <memory>

#include "core/limits.h"
#include "stats/bisection_plan.h"

namespace schedlab::client {
namespace {

using Choose = std::function<void(CommandToRun)>;

void AddPlanBisect(CLI::App& plan, const Choose& choose) {
  const auto options = std::make_shared<PlanBisectOptions>();
  CLI::App* bisect =
      plan.add_subcommand("bisect", "the runs and rounds that finding a culprit takes");
  bisect->add_option("--commits", options->commit_count, "commits after the good end")
      ->required()
      ->check(CLI::Range(std::int64_t{1}, stats::kMostPlannedCommits));
  bisect
      ->add_option("--effect-sd", options->effect_sd,
                   "difference of the ends in standard deviations of a run")
      ->required()
      ->check(CLI::Range(0.0, 1e6));
  bisect->add_option("--workers", options->worker_count, "runs at the same time")
      ->check(CLI::Range(std::int64_t{1}, kMaxBisectionWorkers))
      ->capture_default_str();
  bisect->add_option("--budget", options->run_budget, "runs after which to give up")
      ->check(CLI::Range(std::int64_t{1}, kMaxBisectionRuns))
      ->capture_default_str();
  bisect->callback([options, choose] {
    choose([options](const GlobalOptions& global) { return RunPlanBisect(global, *options); });
  });
}

void AddPlanGate(CLI::App& plan, const Choose& choose) {
  const auto options = std::make_shared<PlanGateOptions>();
  CLI::App* gate =
      plan.add_subcommand("gate", "how many runs a side find a change among that many metrics");
  gate->add_option("--effect", options->effect,
                   "the change to find beyond the metric's minimum effect: 4% or 0.04")
      ->required();
  gate->add_option("--cv", options->cv, "noise from run to run: standard deviation / mean, 2%")
      ->required();
  gate->add_option("--metrics", options->metrics, "headline metrics that are judged together")
      ->capture_default_str();
  gate->add_option("--history", options->history,
                   "earlier runs that tell the noise, in degrees of freedom; 20 are the most that "
                   "count")
      ->capture_default_str();
  gate->add_option("--power", options->power, "the chance to find it")->capture_default_str();
  gate->add_option("--fdr", options->fdr, "false-discovery rate")->capture_default_str();
  gate->add_option("--looks", options->looks,
                   "runs a side after which to look, as 3,5,8,12; otherwise those, or more of the "
                   "same shape where they are not enough");
  gate->callback([options, choose] {
    choose([options](const GlobalOptions& global) { return RunPlanGate(global, *options); });
  });
}

}  // namespace

void AddPlanCommands(CLI::App& app, const Choose& choose) {
  CLI::App* plan = app.add_subcommand("plan", "what it costs to be sure")->require_subcommand(1);
  AddPlanBisect(*plan, choose);
  AddPlanGate(*plan, choose);
}

}  // namespace schedlab::client
