#include "client/result_commands.h"

#include <fmt/format.h>

#include <utility>

#include "client/option_checks.h"
#include "core/limits.h"

namespace schedlab::client {
namespace {

using Choose = std::function<void(ChosenCommand)>;

// Columns beyond these no terminal shows.
constexpr int kMaxCandidates = 16;

constexpr std::string_view kCompareExamples = R"(
Examples:
  schedlab compare v3.11 v3.13 --by topology
  schedlab compare v3.11 v3.12 v3.13 --also-against v3.10    several candidates, two baselines
  schedlab compare v3.11 v3.13 --format lkp                  as in the 0day robot's mails
  schedlab compare v3.11 v3.13 --format kernel               as on the kernel's mailing list
  schedlab compare v3.11 v3.13 -o csv --raw                  a record for each run

A revision is an id, the beginning of one, a release, or one of these with ~ for the one before.
Signs: table, markdown, lkp, csv and json tell candidate / baseline - 1 as it is; mmtests and kernel
turn it so that plus is better. Exit code 0; with --exit-code 1 = something is worse, 3 = undecided.)";

constexpr std::string_view kReportExamples = R"(
Examples:
  schedlab report 3                        where, since when, why, how to repeat it
  schedlab report 3 --format lkp-mail      the same as a mail's text; nothing is sent)";

constexpr std::string_view kHistoryExamples = R"(
Examples:
  schedlab history files_per_sec --topology kvm-16x1
  schedlab history files_per_sec --since v3.12       fixed later?
  schedlab history files_per_sec -o csv              a record for each revision

Change points are marked with << and a word, and the commits that may be it at 90 %.)";

constexpr std::string_view kNoiseExamples = R"(
Examples:
  schedlab noise files_per_sec --topology kvm-16x1
  schedlab noise files_per_sec -o json

From stored results: the spread of runs of one revision, that between revisions, and how many runs a
side the gate wants to call a change of 1, 2 and 5 %. `schedlab history` shows the values.)";

constexpr std::string_view kCoverageExamples = R"(
Examples:
  schedlab coverage v3.12
  schedlab coverage 23f0d2093c78 --policy linux-fair --neighbours 5

A cell is a machine, a workload and a metric. MISSING are those that measured revisions around the
commit have and it has not. Exit code 0; 3 = it has none at all.)";

constexpr std::string_view kMetricExamples = R"(
Examples:
  schedlab metric list
  schedlab metric describe files_per_sec)";

constexpr std::string_view kReproduceExamples = R"(
Examples:
  schedlab reproduce alert 3            simulates a run of either side again, in this process
  schedlab reproduce alert 3 --print    only prints the commands that do it

Exit code 0 = equal to what is stored, bit for bit; 4 = not.)";

void AddFilter(CLI::App& app, SeriesChoice& filter) {
  app.add_option("--project", filter.project, "only this one");
  app.add_option("--policy", filter.policy, "only this one");
  app.add_option("--topology", filter.topology, "only this one");
  app.add_option("--workload", filter.workload, "only this one");
}

CLI::App* AddCommand(CLI::App& app, const std::string& name, const std::string& description,
                     std::string_view examples) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer(std::string(examples));
  return command;
}

// An option that may be given again and again.
CLI::Option* AddRepeated(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                         const std::string& description) {
  return app.add_option(name, values, description + "; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void AddCompareLayout(CLI::App& compare, CompareOptions& options) {
  compare.add_option("--by", options.grouping, "a section and a summary for each of these")
      ->transform(OneOf<Grouping>({{"topology", Grouping::kTopology},
                                   {"workload", Grouping::kWorkload},
                                   {"policy", Grouping::kPolicy}}));
  compare
      .add_option_function<int>(
          "--format",
          [&options](const int& value) { options.format = static_cast<ComparisonFormat>(value); },
          "of the answer; table")
      ->transform(OneOf<ComparisonFormat>({{"table", ComparisonFormat::kTable},
                                           {"lkp", ComparisonFormat::kLkp},
                                           {"mmtests", ComparisonFormat::kMmtests},
                                           {"mmtests-ratio", ComparisonFormat::kMmtestsRatio},
                                           {"kernel", ComparisonFormat::kKernel},
                                           {"markdown", ComparisonFormat::kMarkdown},
                                           {"json", ComparisonFormat::kJson},
                                           {"csv", ComparisonFormat::kCsv}}));
  compare.add_flag("--raw", options.has_samples, "every run too");
  compare.add_flag("--changed", options.is_changed_only, "only what got worse or better");
  compare.add_flag("--exit-code", options.has_exit_code,
                   "exit with 1 where something got worse, with 3 where something is undecided");
}

void AddCompare(CLI::App& app, CompareOptions& options, const Choose& choose) {
  options.project = "linux";
  options.default_policy = "linux-fair";
  CLI::App* compare =
      AddCommand(app, "compare", "revisions, from stored results", kCompareExamples);
  compare->add_option("baseline", options.baseline, "id, prefix, release or <revision>~")
      ->required();
  compare->add_option("candidates", options.candidates, "one or more, written the same way")
      ->required()
      ->expected(1, kMaxCandidates);
  AddRepeated(*compare, "--also-against", options.also_against, "a further baseline");
  compare->add_option("--project", options.project, "whose revisions")->capture_default_str();
  AddRepeated(*compare, "--policy", options.policies,
              "of which policy; linux-fair, or with --by policy all");
  AddRepeated(*compare, "--variant", options.variants,
              "switches set by hand, name=value,...; '' = none");
  compare->add_option("--topology", options.topology, "only this one");
  compare->add_option("--workload", options.workload, "only this one");
  compare->add_flag("--paired", options.is_paired, "runs are pairs by repetition");
  AddCompareLayout(*compare, options);
  compare->callback([&options, choose] {
    choose({.run = [&options](const auto& global) { return RunCompare(global, options); },
            .formats = {OutputFormat::kCsv, OutputFormat::kMarkdown}});
  });
}

void AddReport(CLI::App& app, ReportOptions& options, const Choose& choose) {
  CLI::App* report = AddCommand(app, "report", "an alert as a text for people", kReportExamples);
  AddInteger(*report, "alert", options.id, "alert id", kIdRange)->required();
  report->add_option("--format", options.format, "text or lkp-mail; text")
      ->transform(OneOf<ReportFormat>(
          {{"text", ReportFormat::kText}, {"lkp-mail", ReportFormat::kLkpMail}}));
  report->callback([&options, choose] {
    choose({.run = [&options](const auto& global) { return RunReport(global, options); }});
  });
}

void AddHistory(CLI::App& app, HistoryOptions& options, const Choose& choose) {
  CLI::App* history =
      AddCommand(app, "history", "a metric commit by commit, with change points", kHistoryExamples);
  history->add_option("metric", options.metric, "see `schedlab metric list`")->required();
  AddFilter(*history, options.filter);
  history->add_option("--since", options.since, "from this revision on");
  history->callback([&options, choose] {
    choose({.run = [&options](const auto& global) { return RunHistory(global, options); },
            .formats = {OutputFormat::kCsv, OutputFormat::kMarkdown}});
  });
}

void AddNoise(CLI::App& app, NoiseOptions& options, const Choose& choose) {
  CLI::App* noise =
      AddCommand(app, "noise", "the spread of a metric without any change", kNoiseExamples);
  noise->add_option("metric", options.metric, "see `schedlab metric list`")->required();
  AddFilter(*noise, options.filter);
  noise->callback([&options, choose] {
    choose({.run = [&options](const auto& global) { return RunNoise(global, options); },
            .formats = {OutputFormat::kCsv}});
  });
}

void AddCoverage(CLI::App& app, CoverageOptions& options, const Choose& choose) {
  options.project = "linux";
  options.neighbour_count = 3;
  CLI::App* coverage = AddCommand(
      app, "coverage", "what a commit was measured in, and what is missing", kCoverageExamples);
  coverage->add_option("commit", options.revision, "id, prefix, release or <revision>~")
      ->required();
  coverage->add_option("--project", options.project, "whose commit")->capture_default_str();
  coverage->add_option("--policy", options.policy, "only this one");
  AddInteger(*coverage, "--neighbours", options.neighbour_count,
             "measured revisions to look at on either side", {1, kMaxCoverageNeighbours})
      ->default_str(fmt::format("{}", options.neighbour_count));
  coverage->add_flag("--counters", options.has_counters, "counters too");
  coverage->callback([&options, choose] {
    choose({.run = [&options](const auto& global) { return RunCoverage(global, options); },
            .formats = {OutputFormat::kCsv, OutputFormat::kMarkdown}});
  });
}

void AddMetric(CLI::App& app, MetricOptions& options, const Choose& choose) {
  CLI::App* metric = AddCommand(app, "metric", "what is measured", kMetricExamples);
  metric->require_subcommand(1);
  metric->add_subcommand("list", "every metric")->callback([choose] {
    choose({.run = RunMetricList, .formats = {OutputFormat::kCsv, OutputFormat::kMarkdown}});
  });
  CLI::App* describe =
      AddCommand(*metric, "describe", "meaning, unit, direction and use of one", kMetricExamples);
  describe->add_option("metric", options.name, "its name")->required();
  describe->callback([&options, choose] {
    choose({.run = [&options](const auto& global) { return RunMetricDescribe(global, options); }});
  });
}

void AddReproduce(CLI::App& app, ReproduceOptions& options, const Choose& choose) {
  CLI::App* reproduce =
      AddCommand(app, "reproduce", "runs that are stored, once more", kReproduceExamples);
  reproduce->require_subcommand(1);
  CLI::App* alert = AddCommand(
      *reproduce, "alert", "a run of the last good and the first bad commit", kReproduceExamples);
  AddInteger(*alert, "id", options.id, "alert id", kIdRange)->required();
  alert->add_flag("--print", options.is_print_only, "only print the commands");
  alert->callback([&options, choose] {
    choose({.run = [&options](const auto& global) { return RunReproduceAlert(global, options); }});
  });
}

}  // namespace

void AddResultCommands(CLI::App& app, ResultOptions& options, const Choose& choose) {
  AddCompare(app, options.compare, choose);
  AddReport(app, options.report, choose);
  AddHistory(app, options.history, choose);
  AddNoise(app, options.noise, choose);
  AddCoverage(app, options.coverage, choose);
  AddMetric(app, options.metric, choose);
  AddReproduce(app, options.reproduce, choose);
}

}  // namespace schedlab::client
