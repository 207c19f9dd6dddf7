#include "client/bisect_commands.h"

#include <fmt/format.h>

#include "client/option_checks.h"
#include "client/wait_options.h"
#include "core/limits.h"

namespace schedlab::client {
namespace {

using Choose = std::function<void(std::function<ExitCode(const GlobalOptions&)>)>;
using BisectCommand = ExitCode (*)(const GlobalOptions&, const BisectOptions&);

constexpr std::int64_t kListedBisections = 100;
constexpr std::int64_t kMaxStepRuns = 1'000;

constexpr std::string_view kStartExamples = R"(
Examples:
  schedlab bisect start --from-alert 1 --wait
  schedlab bisect start --policy linux-fair --topology kvm-16x1 --workload fs_mark \
      --metric files_per_sec --good v3.11 --bad 30ce5dabc92b --wait

Exit codes with --wait: 0 an answer, 3 the ends do not differ or it could not tell, 4 it did not
finish, 5 timed out; the bisection goes on then.)";

constexpr std::string_view kStepExamples = R"(
Example:
  git bisect run schedlab bisect-step --good good.txt --bad bad.txt --command ./measure.sh

Exit codes, as git bisect run reads them: 0 good, 1 bad, 125 cannot tell, 128 ends the bisection.)";

void AddRepeated(CLI::App& app, const char* name, std::vector<std::string>& values,
                 const char* description) {
  app.add_option(name, values, description)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void AddScenario(CLI::App& start, BisectStartOptions& options) {
  start.add_option("--policy", options.policy, "a policy with a history");
  start.add_option("--topology", options.topology, "see `schedlab catalog topologies`");
  start.add_option("--workload", options.workload, "see `schedlab catalog workloads`");
  start.add_option("--metric", options.metric, "the metric that changed");
  start.add_option("--good", options.good, "a revision before the change");
  start.add_option("--bad", options.bad, "a revision after it");
  AddRepeated(start, "--param", options.parameters, "name=value of the workload; may be repeated");
  AddRepeated(start, "--set", options.switches, "name=value of the policy; may be repeated");
  start.add_option("--duration", options.duration, "simulated time, e.g. 8s")->check(CheckDuration);
  start.add_option("--project", options.project, "the policy's own unless it is named");
  CLI::Option* alert = AddInteger(start, "--from-alert", options.alert,
                                  "take all of these from an alert's strongest cell", kIdRange);
  for (const char* given : {"--policy", "--topology", "--workload", "--metric", "--param", "--set",
                            "--duration", "--project"}) {
    alert->excludes(given);
  }
}

void AddSearch(CLI::App& start, BisectStartOptions& options) {
  AddInteger(start, "--workers", options.worker_count, "runs of a round", {1, kMaxBisectionWorkers})
      ->default_str(fmt::format("{}", kDefaultBisectionWorkers));
  AddInteger(start, "--budget", options.run_budget, "at most so many new runs",
             {1, kMaxBisectionRuns})
      ->default_str(fmt::format("{}", kDefaultBisectionRuns));
  AddRepeated(start, "--skip", options.skipped, "a revision that is never run; may be repeated");
  start.add_option("--direction", options.direction, "of the change from good to bad")
      ->transform(OneOf<ChangeDirection>({{"increase", ChangeDirection::kIncrease},
                                          {"decrease", ChangeDirection::kDecrease},
                                          {"either", ChangeDirection::kEither}}));
  start
      .add_option("--min-effect", options.minimum_effect,
                  "the smallest relative difference of the ends that counts, e.g. 0.03; the "
                  "metric's own unless it is given")
      ->check(CLI::Range(0.0, 10.0));
}

void AddStart(CLI::App& bisections, BisectStartOptions& options, const Choose& choose) {
  options.timeout = "2h";
  CLI::App* start = bisections.add_subcommand("start", "which commit of a range changed a metric?");
  start->footer(std::string(kStartExamples));
  AddScenario(*start, options);
  AddSearch(*start, options);
  start->add_flag("--wait", options.is_waiting, "wait for the answer");
  start->add_option("--timeout", options.timeout, "how long to wait")
      ->check(CheckDuration)
      ->capture_default_str();
  start
      ->add_option("--request-id", options.request_id,
                   "identity of this bisection; a repetition attaches to the same one")
      ->check(CheckRequestId);
  start->add_flag("--new-attempt", options.is_new_attempt,
                  "run everything again, with other noise, as a bisection of its own");
  start->callback([&options, choose] {
    choose([&options](const auto& global) { return RunBisectStart(global, options); });
  });
}

void AddList(CLI::App& bisections, BisectListOptions& options, const Choose& choose) {
  options.limit = kListedBisections;
  CLI::App* list = bisections.add_subcommand("list", "bisections, newest first");
  list->add_option("--project", options.project, "only this project's");
  AddInteger(*list, "--limit", options.limit, "at most so many", {1, kMaxRunsPerJob})
      ->default_str(fmt::format("{}", options.limit));
  list->callback([&options, choose] {
    choose([&options](const auto& global) { return RunBisectList(global, options); });
  });
}

void AddStep(CLI::App& app, BisectStepOptions& options, const Choose& choose) {
  options.timeout = "1h";
  CLI::App* step = app.add_subcommand(
      "bisect-step", "for `git bisect run`: measure what is checked out, and say good or bad");
  step->footer(std::string(kStepExamples));
  step->add_option("--good", options.good_path, "file with numbers of a good commit")->required();
  step->add_option("--bad", options.bad_path, "file with numbers of a bad commit")->required();
  step->add_option("--command", options.command,
                   "for a shell; the last word that it prints is the number; where it fails, the "
                   "commit cannot be told")
      ->required();
  AddInteger(*step, "--runs", options.run_count, "how often the command is run", {1, kMaxStepRuns})
      ->default_str(fmt::format("{}", options.run_count));
  step->add_option("--confidence", options.confidence, "of good and of bad")
      ->check(CLI::Range(0.5, 0.9999))
      ->capture_default_str();
  step->add_option("--timeout", options.timeout, "of one run")
      ->check(CheckDuration)
      ->capture_default_str();
  step->callback([&options, choose] {
    choose([&options](const auto& global) { return RunBisectStep(global, options); });
  });
}

}  // namespace

void AddBisectCommands(CLI::App& app, BisectCommandOptions& options, const Choose& choose) {
  CLI::App* bisections = app.add_subcommand("bisect", "the commit that changed a metric");
  bisections->require_subcommand(1);
  AddStart(*bisections, options.start, choose);
  AddList(*bisections, options.list, choose);
  const auto add = [&](const char* name, const char* description, BisectCommand command) {
    CLI::App* one = bisections->add_subcommand(name, description);
    AddInteger(*one, "id", options.one.id, "bisection id", kIdRange)->required();
    one->callback([&options, choose, command] {
      choose([&options, command](const auto& global) { return command(global, options.one); });
    });
    return one;
  };
  add("status", "a bisection and what it found so far", RunBisectStatus);
  options.one.timeout = "24h";
  add("watch", "follow a bisection to its answer", RunBisectWatch)
      ->add_option("--timeout", options.one.timeout, "how long to wait")
      ->check(CheckDuration)
      ->capture_default_str();
  add("cancel", "cancel a bisection and its runs", RunBisectCancel);
  AddStep(app, options.step, choose);
}

}  // namespace schedlab::client
