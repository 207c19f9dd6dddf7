#include "client/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "client/alert_commands.h"
#include "client/bisect_commands.h"
#include "client/gate_commands.h"
#include "client/number_format.h"
#include "client/option_checks.h"
#include "client/plan_commands.h"
#include "client/result_commands.h"
#include "client/wait_options.h"
#include "core/catalog.h"
#include "core/limits.h"

namespace schedlab::client {
namespace {

constexpr std::string_view kExamples = R"(
Examples:
  schedlab dev --demo                                  everything on this machine, with a result
  schedlab gate run suite.toml --commit SHA --wait     a gate for CI, with as many runs as it takes
  schedlab bisect start --from-alert 1 --wait          the commit behind an alert
  schedlab compare v3.11 v3.13 --format lkp
  schedlab sim run --topology kvm-16x1 --workload fs_mark --policy linux-fair@v3.11 --seed 1

Exit codes: 0 ok, 1 regression, 2 usage, 3 inconclusive, 4 infrastructure, 5 timed out,
6 not authorised, 70 a bug, 130 interrupted.)";

constexpr std::int32_t kMaxDevWorkers = 64;
constexpr std::int64_t kMaxBenchRepetitions = 1'000;
constexpr std::int64_t kMaxCalibrationRounds = 1'000;
constexpr std::int64_t kMaxTraceRecords = 1'000'000'000;

// The command that was chosen, and what the flags were read into.
struct Choice {
  GlobalOptions global;
  ColorMode color = ColorMode::kAuto;
  std::function<ExitCode(const GlobalOptions&)> run;
  std::vector<OutputFormat> formats;  // of -o that it knows besides table and json

  DevOptions dev;
  std::string grpc_port;
  std::string http_port;
  JobSubmitOptions submit;
  FollowOptions job;
  ListOptions job_list;
  GateCommandOptions gates;
  BisectCommandOptions bisections;
  ResultOptions results;
  AlertCommandOptions alerts;
  std::string catalog_name;
  SimReportOptions sim;
  TopologyImportOptions topology;
  SimTraceOptions sim_trace;
  SimLatencyOptions sim_latency;
  SimTimehistOptions sim_timehist;
  SimSchedstatOptions sim_schedstat;
  SimBenchOptions sim_bench;
  TraceImportOptions trace_import;
  AnalyzeSeriesOptions analyze;
  WorkerCalibrateOptions calibrate;
};

std::string CheckPort(const std::string& text) {
  const Result<std::uint16_t> port = ParsePort(text);
  return port ? "" : port.error().message;
}

std::string CheckRatio(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end && value >= 0 && value <= 0.99) return "";
  return fmt::format("'{}' is not a ratio from 0 to 0.99", text);
}

void AddGlobal(CLI::App& app, Choice& choice) {
  choice.global.server = "127.0.0.1:7450";
  app.add_option("--server", choice.global.server, "address of the coordinator")
      ->envname("SCHEDLAB_SERVER")
      ->check([](const std::string& text) { return text.empty() ? "must not be empty" : ""; })
      ->capture_default_str();
  app.add_option("-o,--output", choice.global.output,
                 "table or json; csv and markdown where a command's help says so")
      ->transform(OneOf<OutputFormat>({{"table", OutputFormat::kTable},
                                       {"json", OutputFormat::kJson},
                                       {"csv", OutputFormat::kCsv},
                                       {"markdown", OutputFormat::kMarkdown}}));
  app.add_option("--color", choice.color, "auto, always or never; NO_COLOR is never")
      ->transform(OneOf<ColorMode>({{"auto", ColorMode::kAuto},
                                    {"always", ColorMode::kAlways},
                                    {"never", ColorMode::kNever}}));
}

void AddDev(CLI::App& app, Choice& choice) {
  CLI::App* dev = app.add_subcommand(
      "dev", "start PostgreSQL, a coordinator and workers on this machine, in a data folder");
  auto* demo =
      dev->add_flag("--demo", choice.dev.has_demo,
                    "evaluate the Linux fair scheduler around 3.12 and show what is found");
  dev->add_flag("--once", choice.dev.is_once,
                "end after the demo: 0 = a regression was found, 3 = none")
      ->needs(demo);
  dev->add_option("--suite", choice.dev.demo_suite,
                  "what the demo evaluates: a suite of the catalog, or a suite file")
      ->needs(demo);
  dev->add_option("--data-dir", choice.dev.data_folder, "where everything is kept");
  dev->add_option("--grpc-port", choice.grpc_port, "7450, or a free one where that is in use")
      ->check(CheckPort);
  dev->add_option("--http-port", choice.http_port, "8450, or a free one where that is in use")
      ->check(CheckPort);
  AddInteger(*dev, "--workers", choice.dev.worker_count, "worker processes", {1, kMaxDevWorkers})
      ->default_str(fmt::format("{}", choice.dev.worker_count));
  dev->callback([&choice] {
    choice.run = [&choice](const GlobalOptions& global) {
      if (!choice.grpc_port.empty()) choice.dev.grpc_port = *ParsePort(choice.grpc_port);
      if (!choice.http_port.empty()) choice.dev.http_port = *ParsePort(choice.http_port);
      return RunDev(global, choice.dev);
    };
  });
}

void AddJobSubmit(CLI::App& jobs, Choice& choice) {
  JobSubmitOptions& options = choice.submit;
  options.timeout = "45m";
  CLI::App* submit = jobs.add_subcommand("submit", "submit a suite file");
  submit->add_option("suite", options.suite_path, "suite file (TOML)")->required();
  submit->add_option("--commit", options.commit,
                     "evaluate this commit and its parent instead of the suite's revisions");
  submit->add_flag("--wait", options.is_waiting,
                   "wait for the end; with --commit, exit with 1 on a regression");
  submit->add_option("--timeout", options.timeout, "how long to wait")
      ->check(CheckDuration)
      ->capture_default_str();
  submit
      ->add_option("--request-id", options.request_id,
                   "identity of this submission; a repetition attaches to the same job")
      ->check(CheckRequestId);
  submit->add_flag("--new-attempt", options.is_new_attempt,
                   "run everything again, with other noise, as a job of its own");
  submit->add_flag("-v,--progress", options.has_progress,
                   "with --commit and --wait, tell the progress also where stderr is no terminal");
  submit->callback([&choice] {
    choice.run = [&choice](const auto& global) { return RunJobSubmit(global, choice.submit); };
  });
}

using JobCommand = ExitCode (*)(const GlobalOptions&, const FollowOptions&);

CLI::App* AddJobCommand(CLI::App& jobs, Choice& choice, const std::string& name,
                        const std::string& description, JobCommand command) {
  CLI::App* app = jobs.add_subcommand(name, description);
  AddInteger(*app, "id", choice.job.id, "job id", kIdRange)->required();
  app->callback([&choice, command] {
    choice.run = [&choice, command](const auto& global) { return command(global, choice.job); };
  });
  return app;
}

void AddJobs(CLI::App& app, Choice& choice) {
  CLI::App* jobs = app.add_subcommand("job", "submit jobs and follow them");
  jobs->require_subcommand(1);
  AddJobSubmit(*jobs, choice);
  choice.job_list.limit = 100;
  CLI::App* list = jobs->add_subcommand("list", "jobs, newest first");
  list->add_option("--project", choice.job_list.project, "only this project's");
  AddInteger(*list, "--limit", choice.job_list.limit, "at most so many", {1, kMaxRunsPerJob})
      ->default_str(fmt::format("{}", choice.job_list.limit));
  list->callback([&choice] {
    choice.run = [&choice](const auto& global) { return RunJobList(global, choice.job_list); };
  });
  choice.job.timeout = "24h";
  AddJobCommand(*jobs, choice, "get", "a job and its runs", RunJobGet);
  AddJobCommand(*jobs, choice, "watch", "follow a job to its end", RunJobWatch)
      ->add_option("--timeout", choice.job.timeout, "how long to wait")
      ->check(CheckDuration)
      ->capture_default_str();
  AddJobCommand(*jobs, choice, "cancel", "cancel what has not finished", RunJobCancel);
}

void AddCatalogPart(CLI::App& catalog, Choice& choice, const std::string& name, CatalogPart part) {
  CLI::App* app = catalog.add_subcommand(name, "list them, or show one");
  app->add_option("name", choice.catalog_name, "only this one");
  app->callback([&choice, part] {
    choice.run = [&choice, part](const auto& global) {
      return RunCatalog(global, {part, choice.catalog_name});
    };
  });
}

void AddCatalog(CLI::App& app, Choice& choice) {
  CLI::App* catalog = app.add_subcommand("catalog", "what ships with this program");
  catalog->require_subcommand(1);
  AddCatalogPart(*catalog, choice, "topologies", CatalogPart::kTopologies);
  AddCatalogPart(*catalog, choice, "workloads", CatalogPart::kWorkloads);
  AddCatalogPart(*catalog, choice, "policies", CatalogPart::kPolicies);
  AddCatalogPart(*catalog, choice, "metrics", CatalogPart::kMetrics);
  AddCatalogPart(*catalog, choice, "suites", CatalogPart::kSuites);
}

// What every simulation is told.
CLI::App* AddSimCommand(CLI::App& sim, const std::string& name, const std::string& description,
                        SimRunOptions& options) {
  CLI::App* app = sim.add_subcommand(name, description);
  app->add_option("--topology", options.topology,
                  "of the catalog, a .toml or hwloc .xml file, or synthetic:STRING of hwloc")
      ->required();
  app->add_option("--workload", options.workload, "see `schedlab catalog workloads`")->required();
  app->add_option("--workload-file", options.workload_file,
                  "what the workload executes, for one that takes a file");
  app->add_option("--policy", options.policy, "NAME or NAME@REVISION")->required();
  AddInteger(*app, "--seed", options.seed, "from 0", {0, kLargestInteger});
  app->add_option("--param", options.parameters, "name=value of the workload; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_option("--set", options.switches, "name=value of the policy; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_option("--duration", options.duration, "simulated time, e.g. 8s")->check(CheckDuration);
  app->add_option("--hotplug", options.hotplug, "CPUs that go and come, e.g. 2s:3:off,4s:3:on")
      ->delimiter(',');
  app->add_option("--irq", options.irq_sources,
                  "devices that interrupt, CPU:PERIOD:DURATION, e.g. 0:1ms:50us")
      ->delimiter(',');
  AddInteger(*app, "--event-limit", options.event_limit, "gives up after so many events",
             {1, sim::kDefaultEventLimit})
      ->default_str(fmt::format("{}", options.event_limit));
  return app;
}

template <class Options>
CLI::App* AddTracedCommand(CLI::App& sim, const std::string& name, const std::string& description,
                           Options& options) {
  options.run.seed = 1;
  CLI::App* app = AddSimCommand(sim, name, description, options.run);
  app->get_option("--seed")->default_str("1");
  AddInteger(*app, "--records", options.record_limit, "events that the trace keeps at most",
             {1, kMaxTraceRecords})
      ->default_str(fmt::format("{}", options.record_limit));
  return app;
}

void AddSimRun(CLI::App& sim, Choice& choice) {
  CLI::App* app =
      AddSimCommand(sim, "run", "one run; the same arguments give the same digest", choice.sim.run);
  app->get_option("--seed")->required();
  app->add_option(
         "--yardstick", choice.sim.yardsticks,
         "a policy that runs the same too and is shown beside, e.g. oracle; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->callback([&choice] {
    choice.run = [&choice](const auto& global) { return RunSimRun(global, choice.sim); };
  });
}

void AddSimTrace(CLI::App& sim, Choice& choice) {
  SimTraceOptions& options = choice.sim_trace;
  CLI::App* app = AddTracedCommand(sim, "trace", "one run as a trace for other tools", options);
  app->add_option("--format", options.format, "perfetto, trace.dat or ftrace; perfetto")
      ->transform(OneOf<TraceFormat>({{"perfetto", TraceFormat::kPerfetto},
                                      {"trace.dat", TraceFormat::kTraceDat},
                                      {"ftrace", TraceFormat::kFtrace}}));
  app->add_option("-O,--file", options.path, "where it is written; - = stdout")->required();
  app->callback([&choice] {
    choice.run = [&choice](const auto& global) { return RunSimTrace(global, choice.sim_trace); };
  });
}

void AddSimLatency(CLI::App& sim, Choice& choice) {
  SimLatencyOptions& options = choice.sim_latency;
  CLI::App* app =
      AddTracedCommand(sim, "latency", "the table of `perf sched latency` of one run", options);
  app->add_flag_callback(
      "-p,--pids", [&options] { options.rows = sim::LatencyRows::kByTask; },
      "a row for each task, not for each name");
  app->callback([&choice] {
    choice.run = [&choice](const auto& global) {
      return RunSimLatency(global, choice.sim_latency);
    };
  });
}

void AddSimTimehist(CLI::App& sim, Choice& choice) {
  SimTimehistOptions& options = choice.sim_timehist;
  sim::TimehistColumns& columns = options.columns;
  CLI::App* app =
      AddTracedCommand(sim, "timehist", "the lines of `perf sched timehist` of one run", options);
  app->add_flag("-w,--wakeups", columns.has_wakeups, "with wakeups");
  app->add_flag("-M,--migrations", columns.has_migrations, "with migrations");
  app->add_flag("-n,--next", columns.has_next, "with the task that follows");
  app->add_flag("--state", columns.has_state, "with why each task left its CPU");
  app->add_flag("-V,--cpu-visual", columns.has_cpu_visual, "with a column for each CPU");
  const auto summarize = [&columns](bool has_rows) {
    columns.has_summary = true;
    columns.has_rows = has_rows;
  };
  app->add_flag_callback(
      "-s,--summary", [summarize] { summarize(false); }, "only the summary");
  app->add_flag_callback(
      "-S,--with-summary", [summarize] { summarize(true); }, "and the summary");
  app->callback([&choice] {
    choice.run = [&choice](const auto& global) {
      return RunSimTimehist(global, choice.sim_timehist);
    };
  });
}

void AddSimSchedstat(CLI::App& sim, Choice& choice) {
  SimSchedstatOptions& options = choice.sim_schedstat;
  options.run.seed = 1;
  CLI::App* app =
      AddSimCommand(sim, "schedstat", "/proc/schedstat at the end of one run", options.run);
  app->get_option("--seed")->default_str("1");
  app->add_option("--version", options.version, "15 (Linux 2.6.32), 16 (6.9) or 17 (6.14); 15")
      ->transform(OneOf<sim::SchedstatVersion>({{"15", sim::SchedstatVersion::k15},
                                                {"16", sim::SchedstatVersion::k16},
                                                {"17", sim::SchedstatVersion::k17}}));
  app->callback([&choice] {
    choice.run = [&choice](const auto& global) {
      return RunSimSchedstat(global, choice.sim_schedstat);
    };
  });
}

void AddSimBench(CLI::App& sim, Choice& choice) {
  SimBenchOptions& options = choice.sim_bench;
  CLI::App* app = AddTracedCommand(sim, "bench", "how fast one run is simulated", options);
  AddInteger(*app, "--repeat", options.repeat_count, "runs; the median counts",
             {1, kMaxBenchRepetitions})
      ->default_str(fmt::format("{}", options.repeat_count));
  app->add_flag("--trace", options.has_trace, "with the trace kept in memory");
  app->callback([&choice] {
    choice.run = [&choice](const auto& global) { return RunSimBench(global, choice.sim_bench); };
  });
}

void AddSim(CLI::App& app, Choice& choice) {
  CLI::App* sim = app.add_subcommand("sim", "simulate without a coordinator");
  sim->require_subcommand(1);
  AddSimRun(*sim, choice);
  AddSimTrace(*sim, choice);
  AddSimLatency(*sim, choice);
  AddSimTimehist(*sim, choice);
  AddSimSchedstat(*sim, choice);
  AddSimBench(*sim, choice);
}

void AddTopology(CLI::App& app, Choice& choice) {
  CLI::App* topology = app.add_subcommand("topology", "machines to simulate");
  topology->require_subcommand(1);
  TopologySource& source = choice.topology.source;
  CLI::App* command = topology->add_subcommand("import", "turn what lstopo writes into a topology");
  command->add_option("file", source.path, "hwloc XML or synthetic string; - = stdin")->required();
  command
      ->add_option("--format", source.format, "xml or synthetic; known from the text if left out")
      ->transform(OneOf<TopologyFormat>(
          {{"xml", TopologyFormat::kXml}, {"synthetic", TopologyFormat::kSynthetic}}));
  command->add_option("--name", source.name, "the topology's name; the file's if left out");
  command->add_option("--costs-of", source.costs_of, "topology of the catalog whose costs it gets")
      ->capture_default_str();
  command->add_option("-o,--output", choice.topology.is_json, "toml or json")
      ->transform(OneOf<bool>({{"toml", false}, {"json", true}}));
  command->callback([&choice] {
    choice.run = [&choice](const auto& global) {
      return RunTopologyImport(global, choice.topology);
    };
  });
}

void AddTrace(CLI::App& app, Choice& choice) {
  TraceImportOptions& options = choice.trace_import;
  CLI::App* trace = app.add_subcommand("trace", "recordings of real machines");
  trace->require_subcommand(1);
  CLI::App* command =
      trace->add_subcommand("import", "what the tasks of a recording did, to be replayed");
  command
      ->add_option("file", options.path,
                   "text of perf sched script, ftrace or trace-cmd report, or an imported trace; "
                   "- = stdin")
      ->required();
  command->add_option("-O,--file", options.output_path,
                      "where the trace is written, for --workload replay; - = stdout");
  command->callback([&choice] {
    choice.run = [&choice](const auto& global) {
      return RunTraceImport(global, choice.trace_import);
    };
  });
}

constexpr std::string_view kAnalyzeExamples = R"(
Examples:
  schedlab analyze series results.csv --direction lower
  echo '[100, 101, 99, 100, 80, 81, 79, 80]' | schedlab analyze series -

Three forms: a JSON array of numbers, or of arrays of the runs of a revision; lines of the runs of a
revision; or lines of commit,value[,count], where neighbouring lines of one commit are its runs, a
count says of how many runs a value is the mean, and a count of 0 or no value is a revision that was
not measured.)";

void AddAnalyze(CLI::App& app, Choice& choice) {
  AnalyzeSeriesOptions& options = choice.analyze;
  CLI::App* analyze = app.add_subcommand("analyze", "statistics without a coordinator");
  analyze->require_subcommand(1);
  CLI::App* series = analyze->add_subcommand("series", "the change points of numbers");
  series->footer(std::string(kAnalyzeExamples));
  series
      ->add_option("file", options.path,
                   "lines of commit,value[,count], lines of numbers or a JSON array, a revision "
                   "each; - = stdin")
      ->required();
  series->add_option("--direction", options.direction, "higher or lower is better")
      ->transform(OneOf<Direction>(
          {{"higher", Direction::kHigherIsBetter}, {"lower", Direction::kLowerIsBetter}}));
  series->add_option("--minimum-effect", options.minimum_effect, "as a ratio")
      ->check(CheckRatio)
      ->capture_default_str();
  series->add_flag("--time", options.with_time, "adds the CPU time of the analysis alone");
  series->callback([&choice] {
    choice.run = [&choice](const auto& global) { return RunAnalyzeSeries(global, choice.analyze); };
  });
}

void AddWorker(CLI::App& app, Choice& choice) {
  CLI::App* workers = app.add_subcommand("worker", "the fleet, and this machine");
  workers->require_subcommand(1);
  workers->add_subcommand("list", "every worker that has called within a day")->callback([&choice] {
    choice.run = RunWorkerList;
  });
  WorkerCalibrateOptions& options = choice.calibrate;
  CLI::App* calibrate = workers->add_subcommand(
      "calibrate", "measures what this machine's kernel work costs; prints it as a topology");
  calibrate->add_option("--name", options.name, "the topology's name")->capture_default_str();
  calibrate
      ->add_option("--costs-of", options.costs_of,
                   "topology of the catalog whose costs stand in for what cannot be measured")
      ->capture_default_str();
  AddInteger(*calibrate, "--rounds", options.round_count, "rounds of each measurement",
             {1, kMaxCalibrationRounds})
      ->default_str(fmt::format("{}", options.round_count));
  calibrate->add_flag("--quick", options.is_quick, "few and short rounds: rough numbers");
  calibrate->add_option("-o,--output", options.is_json, "toml or json")
      ->transform(OneOf<bool>({{"toml", false}, {"json", true}}));
  calibrate->callback([&choice] {
    choice.run = [&choice](const auto& global) {
      return RunWorkerCalibrate(global, choice.calibrate);
    };
  });
}

void AddRest(CLI::App& app, Choice& choice) {
  AddWorker(app, choice);
  AddPlanCommands(app, [&choice](CommandToRun run) { choice.run = std::move(run); });
  app.add_subcommand("version", "of this program, its simulator and its protocol")
      ->callback([&choice] { choice.run = RunVersion; });
}

// The command whose subcommand is missing.
const CLI::App* LastCommand(const CLI::App& app) {
  const CLI::App* last = &app;
  while (!last->get_subcommands().empty()) last = last->get_subcommands().back();
  return last;
}

// CLI11 says of an unknown word only that a command is missing.
std::string DescribeMistake(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining(true);
  const auto* missing = dynamic_cast<const CLI::RequiredError*>(&error);
  const CLI::App* command = LastCommand(app);
  if (missing == nullptr || unknown.empty() || command->get_require_subcommand_min() == 0) {
    return error.what();
  }
  std::vector<std::string> known;
  for (const CLI::App* one : command->get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(one->get_name());
  }
  return fmt::format("unknown command '{}'{}", unknown.front(), DidYouMean(unknown.front(), known));
}

bool KnowsFormat(const Choice& choice) {
  const OutputFormat output = choice.global.output;
  return output == OutputFormat::kTable || output == OutputFormat::kJson ||
         std::find(choice.formats.begin(), choice.formats.end(), output) != choice.formats.end();
}

}  // namespace

ParsedCommand ParseCommandLine(std::vector<std::string> arguments,
                               const std::string& program_folder) {
  // Shared with the command that is returned, which refers to the options in it.
  const auto choice = std::make_shared<Choice>();
  CLI::App app("schedlab evaluates CPU-scheduler policies: submits, follows and compares.",
               "schedlab");
  app.footer(std::string(kExamples));
  app.require_subcommand(1);
  app.fallthrough();
  AddGlobal(app, *choice);
  AddDev(app, *choice);
  AddJobs(app, *choice);
  AddGateCommands(app, choice->gates, [&choice](auto run) { choice->run = std::move(run); });
  AddBisectCommands(app, choice->bisections, [&choice](auto run) { choice->run = std::move(run); });
  AddResultCommands(app, choice->results, [&choice](ChosenCommand chosen) {
    choice->run = std::move(chosen.run);
    choice->formats = std::move(chosen.formats);
  });
  AddAlertCommands(app, choice->alerts, [&choice](auto run) { choice->run = std::move(run); });
  AddCatalog(app, *choice);
  AddSim(app, *choice);
  AddTopology(app, *choice);
  AddTrace(app, *choice);
  AddAnalyze(app, *choice);
  AddRest(app, *choice);
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app.parse(std::move(arguments));
  } catch (const CLI::Success&) {
    return {.run = nullptr, .text = app.help(), .code = ExitCode::kOk};
  } catch (const CLI::ParseError& error) {
    // `git bisect run` would take the usual code for a bad commit.
    const bool is_in_git_bisect = app.got_subcommand("bisect-step");
    return {.run = nullptr,
            .text = fmt::format("schedlab: {}\nrun `schedlab --help`\n",
                                EscapeControls(DescribeMistake(app, error))),
            .code = is_in_git_bisect ? ExitCode::kBisectAbort : ExitCode::kUsage};
  }
  if (!KnowsFormat(*choice)) {
    return {.run = nullptr,
            .text = "schedlab: -o: this command answers as table or json\nrun `schedlab --help`\n",
            .code = ExitCode::kUsage};
  }
  choice->global.terminal = DetectTerminal(choice->color);
  choice->global.program_folder = program_folder;
  return {.run = [choice] { return choice->run(choice->global); }, .text = {}};
}

}  // namespace schedlab::client
