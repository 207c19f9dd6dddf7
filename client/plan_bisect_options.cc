#include "client/plan_bisect_options.h"

#include <memory>

#include "stats/bisection_plan.h"

namespace schedlab::client {

void AddPlanBisect(CLI::App& plan, const std::function<void(CommandToRun)>& choose) {
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
      ->check(CLI::Range(std::int64_t{1}, stats::kMostBisectionWorkers))
      ->capture_default_str();
  bisect->add_option("--budget", options->run_budget, "runs after which to give up")
      ->check(CLI::Range(std::int64_t{1}, stats::kMostBisectionRuns))
      ->capture_default_str();
  bisect->callback([options, choose] {
    choose([options](const GlobalOptions& global) { return RunPlanBisect(global, *options); });
  });
}

}  // namespace schedlab::client
