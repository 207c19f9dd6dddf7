#include "client/gate_commands.h"

#include <fmt/format.h>

#include "client/option_checks.h"
#include "client/wait_options.h"
#include "core/limits.h"

namespace schedlab::client {
namespace {

using GateCommand = ExitCode (*)(const GlobalOptions&, const FollowOptions&);

constexpr std::int64_t kListedGates = 100;

constexpr std::string_view kRunExamples = R"(
Examples:
  schedlab gate run suite.toml --commit SHA --wait                    against the merge base
  schedlab gate run suite.toml --commit SHA --baseline newest --budget 200

Exit codes with --wait: 0 no regression, 1 a regression, 3 undecided or without a baseline, 4 not
measured, 5 timed out; the gate goes on then.)";

void AddRun(CLI::App& gates, GateRunOptions& options, const ChooseCommand& choose) {
  options.timeout = "45m";
  CLI::App* run = gates.add_subcommand(
      "run", "compare a commit with its baseline, with as many runs as it takes to decide");
  run->footer(std::string(kRunExamples));
  run->add_option("suite", options.suite_path, "suite file (TOML)")->required();
  run->add_option("--commit", options.commit, "the candidate")->required();
  run->add_option("--baseline", options.baseline,
                  "merge-base, parent, newest (that has results), itself, or a revision")
      ->check([](const std::string& text) { return text.empty() ? "must not be empty" : ""; })
      ->capture_default_str();
  AddInteger(*run, "--budget", options.run_budget, "at most so many new runs",
             {1, kMaxCampaignRuns})
      ->default_str(fmt::format("{}", kDefaultCampaignRuns));
  run->add_flag("--wait", options.is_waiting, "wait for the verdict; exit with 1 on a regression");
  run->add_option("--timeout", options.timeout, "how long to wait")
      ->check(CheckDuration)
      ->capture_default_str();
  run->add_option("--request-id", options.request_id,
                  "identity of this gate; a repetition attaches to the same one")
      ->check(CheckRequestId);
  run->add_flag("--new-attempt", options.is_new_attempt,
                "run everything again, with other noise, as a gate of its own");
  run->add_flag("-v,--progress", options.has_progress,
                "with --wait, tell the progress also where stderr is no terminal");
  run->callback([&options, choose] {
    choose([&options](const auto& global) { return RunGateRun(global, options); });
  });
}

void AddList(CLI::App& gates, ListOptions& options, const ChooseCommand& choose) {
  options.limit = kListedGates;
  CLI::App* list = gates.add_subcommand("list", "gates, newest first");
  list->add_option("--project", options.project, "only this project's");
  AddInteger(*list, "--limit", options.limit, "at most so many", {1, kMaxRunsPerJob})
      ->default_str(fmt::format("{}", options.limit));
  list->callback([&options, choose] {
    choose([&options](const auto& global) { return RunGateList(global, options); });
  });
}

void AddFalseAlarms(CLI::App& gates, GateFalseAlarmsOptions& options, const ChooseCommand& choose) {
  CLI::App* app = gates.add_subcommand(
      "false-alarms", "how often gates of a revision against itself found something");
  app->add_option("--project", options.project, "only this project's");
  AddInteger(*app, "--days", options.day_count, "only those that ended in so many days; all",
             {1, kMaxDays});
  app->callback([&options, choose] {
    choose([&options](const auto& global) { return RunGateFalseAlarms(global, options); });
  });
}

}  // namespace

void AddGateCommands(CLI::App& app, GateCommandOptions& options, const ChooseCommand& choose) {
  CLI::App* gates =
      app.add_subcommand("gate", "is a commit worse than its baseline anywhere in a suite?");
  gates->require_subcommand(1);
  AddRun(*gates, options.run, choose);
  AddList(*gates, options.list, choose);
  AddFalseAlarms(*gates, options.false_alarms, choose);
  const auto add = [&](const char* name, const char* description, GateCommand command) {
    CLI::App* one = gates->add_subcommand(name, description);
    AddInteger(*one, "id", options.one.id, "gate id", kIdRange)->required();
    one->callback([&options, choose, command] {
      choose([&options, command](const auto& global) { return command(global, options.one); });
    });
    return one;
  };
  add("status", "a gate and what it found so far", RunGateStatus);
  options.one.timeout = "24h";
  add("watch", "follow a gate to its verdict; exit with 1 on a regression", RunGateWatch)
      ->add_option("--timeout", options.one.timeout, "how long to wait")
      ->check(CheckDuration)
      ->capture_default_str();
  add("cancel", "cancel a gate and its runs", RunGateCancel);
}

}  // namespace schedlab::client
