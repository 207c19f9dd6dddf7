#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/comparison_output.h"
#include "client/comparison_set.h"
#include "client/exit_code.h"
#include "client/history_view.h"
#include "client/plan_gate_options.h"
#include "client/terminal.h"
#include "client/topology_input.h"
#include "core/bisection.h"
#include "core/metric.h"
#include "core/result.h"
#include "sim/event_limit.h"
#include "sim/output/perf_sched_timehist.h"
#include "sim/output/schedstat_text.h"
#include "sim/output/sim_trace.h"
#include "sim/output/task_latency.h"

namespace schedlab::client {

// kCsv and kMarkdown are for the commands that say so in their help.
enum class OutputFormat { kTable, kJson, kCsv, kMarkdown };

// What every command knows.
struct GlobalOptions {
  std::string server;
  OutputFormat output = OutputFormat::kTable;
  Terminal terminal;
  std::string program_folder;  // where this program and its siblings are
};

struct DevOptions {
  bool has_demo = false;
  bool is_once = false;
  std::string demo_suite;   // a name of the catalog or a file; empty = that of the demo
  std::string data_folder;  // empty = the default
  std::optional<std::uint16_t> grpc_port;
  std::optional<std::uint16_t> http_port;
  std::int32_t worker_count = 2;
};

// A job, a gate or a bisection.
struct FollowOptions {
  std::int64_t id = 0;
  std::string timeout;
};

// Several of them, the newest.
struct ListOptions {
  std::string project;
  std::int64_t limit = 0;
};

struct JobSubmitOptions {
  std::string suite_path;
  std::string commit;  // empty = the suite's own revisions
  bool is_waiting = false;
  std::string timeout;
  std::string request_id;  // empty = from the content
  bool is_new_attempt = false;
  bool has_progress = false;  // also where stderr is no terminal
};

struct GateRunOptions {
  std::string suite_path;
  std::string commit;
  std::string baseline = "merge-base";  // a rule's word, or a revision
  std::int64_t run_budget = 0;          // 0 = the coordinator's default
  bool is_waiting = false;
  std::string timeout;
  std::string request_id;  // empty = from the content
  bool is_new_attempt = false;
  bool has_progress = false;  // also where stderr is no terminal
};

struct GateFalseAlarmsOptions {
  std::string project;         // empty = all
  std::int64_t day_count = 0;  // 0 = ever
};

struct BisectStartOptions {
  std::string project;  // empty = the policy's
  std::string policy;
  std::string topology;
  std::string workload;
  std::string metric;
  std::string good;
  std::string bad;
  std::vector<std::string> parameters;
  std::vector<std::string> switches;
  std::string duration;  // empty = the workload's own
  std::vector<std::string> skipped;
  std::int64_t alert = 0;         // 0 = none
  std::int64_t worker_count = 0;  // 0 = the coordinator's default
  std::int64_t run_budget = 0;    // likewise
  std::optional<ChangeDirection> direction;
  double minimum_effect = 0;  // 0 = the metric's own
  bool is_waiting = false;
  std::string timeout;
  std::string request_id;  // empty = from the content
  bool is_new_attempt = false;
};

struct BisectStepOptions {
  std::string good_path;
  std::string bad_path;
  std::string command;
  std::int64_t run_count = 5;
  double confidence = 0.95;
  std::string timeout;
};

struct CompareOptions {
  std::string baseline;
  std::vector<std::string> candidates;
  std::vector<std::string> also_against;  // further baselines
  std::string project;
  std::string default_policy;         // where neither policies nor variants are named
  std::vector<std::string> policies;  // with Grouping::kPolicy, empty = all
  std::vector<std::string> variants;  // "" = without switches set by hand
  std::string topology;
  std::string workload;
  bool is_paired = false;
  bool is_changed_only = false;
  bool has_samples = false;
  bool has_exit_code = false;
  Grouping grouping = Grouping::kNone;
  std::optional<ComparisonFormat> format;  // absent = as -o says
};

struct HistoryOptions {
  std::string metric;
  SeriesChoice filter;
  std::string since;  // empty = from the beginning
};

struct NoiseOptions {
  std::string metric;
  SeriesChoice filter;
};

struct CoverageOptions {
  std::string revision;
  std::string project;
  std::string policy;  // empty = all
  std::int32_t neighbour_count = 0;
  bool has_counters = false;
};

struct MetricOptions {
  std::string name;
};

enum class ReportFormat { kText, kLkpMail };

struct ReportOptions {
  std::int64_t id = 0;
  ReportFormat format = ReportFormat::kText;
};

struct ReproduceOptions {
  std::int64_t id = 0;
  bool is_print_only = false;
};

struct AlertListOptions {
  std::string project;
  std::optional<AlertState> state;
};

struct AlertShowOptions {
  std::int64_t id = 0;
};

struct AlertChangeOptions {
  std::int64_t id = 0;
  AlertState to = AlertState::kOpen;
  std::string why;
  std::string who;         // empty = the user and this machine
  std::string request_id;  // empty = from the content
};

struct AlertExplainOptions {
  std::string series;  // an id, or topology/workload/metric
  std::string revision;
  SeriesChoice filter;
};

struct AlertPrecisionOptions {
  std::string project;
  std::int64_t day_count = 0;  // 0 = all
};

struct WorkerCalibrateOptions {
  std::string name = "this-machine";
  std::string costs_of = std::string(kDefaultCostsTopology);  // of what is not measured
  std::int64_t round_count = 21;
  bool is_quick = false;
  bool is_json = false;  // else TOML, as in the catalog
};

enum class CatalogPart { kTopologies, kWorkloads, kPolicies, kMetrics, kSuites };

struct CatalogOptions {
  CatalogPart part = CatalogPart::kTopologies;
  std::string name;  // empty = all
};

struct SimRunOptions {
  std::string topology;
  std::string workload;
  std::string policy;
  std::int64_t seed = 0;
  std::string workload_file;             // empty = none
  std::vector<std::string> parameters;   // "name=value"
  std::vector<std::string> switches;     // "name=value"
  std::string duration;                  // empty = the workload's own
  std::vector<std::string> hotplug;      // "time:cpu:on|off"
  std::vector<std::string> irq_sources;  // "cpu:period:duration"
  std::int64_t event_limit = sim::kDefaultEventLimit;
};

struct SimReportOptions {
  SimRunOptions run;
  std::vector<std::string> yardsticks;  // policies that run the same scenario and seed
};

enum class TraceFormat { kFtrace, kPerfetto, kTraceDat };

struct SimTraceOptions {
  SimRunOptions run;
  std::int64_t record_limit = sim::kDefaultTraceRecords;
  TraceFormat format = TraceFormat::kPerfetto;
  std::string path;  // "-" = stdout
};

struct SimLatencyOptions {
  SimRunOptions run;
  std::int64_t record_limit = sim::kDefaultTraceRecords;
  sim::LatencyRows rows = sim::LatencyRows::kByName;
};

struct SimTimehistOptions {
  SimRunOptions run;
  std::int64_t record_limit = sim::kDefaultTraceRecords;
  sim::TimehistColumns columns;
};

struct SimSchedstatOptions {
  SimRunOptions run;
  sim::SchedstatVersion version = sim::SchedstatVersion::k15;
};

struct SimBenchOptions {
  SimRunOptions run;
  std::int64_t record_limit = sim::kDefaultTraceRecords;
  std::int64_t repeat_count = 3;
  bool has_trace = false;
};

struct TopologyImportOptions {
  TopologySource source;
  bool is_json = false;  // else TOML, as in the catalog
};

struct TraceImportOptions {
  std::string path;         // "-" = stdin
  std::string output_path;  // "-" = stdout; empty = nowhere
};

struct AnalyzeSeriesOptions {
  std::string path;  // "-" = stdin
  Direction direction = Direction::kHigherIsBetter;
  double minimum_effect = 0.01;
  bool with_time = false;
};

struct PlanBisectOptions {
  std::int64_t commit_count = 0;
  double effect_sd = 0;
  std::int64_t worker_count = 1;
  std::int64_t run_budget = 400;
};

// A command with its options, and what is told which one was typed.
using CommandToRun = std::function<ExitCode(const GlobalOptions&)>;
using ChooseCommand = std::function<void(CommandToRun)>;

ExitCode RunDev(const GlobalOptions& global, const DevOptions& options);
ExitCode RunJobSubmit(const GlobalOptions& global, const JobSubmitOptions& options);
ExitCode RunJobList(const GlobalOptions& global, const ListOptions& options);
ExitCode RunJobGet(const GlobalOptions& global, const FollowOptions& options);
ExitCode RunJobWatch(const GlobalOptions& global, const FollowOptions& options);
ExitCode RunJobCancel(const GlobalOptions& global, const FollowOptions& options);
ExitCode RunGateRun(const GlobalOptions& global, const GateRunOptions& options);
ExitCode RunGateStatus(const GlobalOptions& global, const FollowOptions& options);
ExitCode RunGateWatch(const GlobalOptions& global, const FollowOptions& options);
ExitCode RunGateList(const GlobalOptions& global, const ListOptions& options);
ExitCode RunGateFalseAlarms(const GlobalOptions& global, const GateFalseAlarmsOptions& options);
ExitCode RunGateCancel(const GlobalOptions& global, const FollowOptions& options);
ExitCode RunBisectStart(const GlobalOptions& global, const BisectStartOptions& options);
ExitCode RunBisectStatus(const GlobalOptions& global, const FollowOptions& options);
ExitCode RunBisectWatch(const GlobalOptions& global, const FollowOptions& options);
ExitCode RunBisectList(const GlobalOptions& global, const ListOptions& options);
ExitCode RunBisectCancel(const GlobalOptions& global, const FollowOptions& options);
ExitCode RunBisectStep(const GlobalOptions& global, const BisectStepOptions& options);
ExitCode RunCompare(const GlobalOptions& global, const CompareOptions& options);
ExitCode RunHistory(const GlobalOptions& global, const HistoryOptions& options);
ExitCode RunNoise(const GlobalOptions& global, const NoiseOptions& options);
ExitCode RunCoverage(const GlobalOptions& global, const CoverageOptions& options);
ExitCode RunMetricList(const GlobalOptions& global);
ExitCode RunMetricDescribe(const GlobalOptions& global, const MetricOptions& options);
ExitCode RunReport(const GlobalOptions& global, const ReportOptions& options);
ExitCode RunReproduceAlert(const GlobalOptions& global, const ReproduceOptions& options);
ExitCode RunAlertList(const GlobalOptions& global, const AlertListOptions& options);
ExitCode RunAlertShow(const GlobalOptions& global, const AlertShowOptions& options);
ExitCode RunAlertChange(const GlobalOptions& global, const AlertChangeOptions& options);
ExitCode RunAlertExplain(const GlobalOptions& global, const AlertExplainOptions& options);
ExitCode RunAlertPrecision(const GlobalOptions& global, const AlertPrecisionOptions& options);
ExitCode RunWorkerList(const GlobalOptions& global);
ExitCode RunWorkerCalibrate(const GlobalOptions& global, const WorkerCalibrateOptions& options);
ExitCode RunCatalog(const GlobalOptions& global, const CatalogOptions& options);
ExitCode RunSimRun(const GlobalOptions& global, const SimReportOptions& options);
ExitCode RunSimTrace(const GlobalOptions& global, const SimTraceOptions& options);
ExitCode RunSimLatency(const GlobalOptions& global, const SimLatencyOptions& options);
ExitCode RunSimTimehist(const GlobalOptions& global, const SimTimehistOptions& options);
ExitCode RunSimSchedstat(const GlobalOptions& global, const SimSchedstatOptions& options);
ExitCode RunSimBench(const GlobalOptions& global, const SimBenchOptions& options);
ExitCode RunTraceImport(const GlobalOptions& global, const TraceImportOptions& options);
ExitCode RunAnalyzeSeries(const GlobalOptions& global, const AnalyzeSeriesOptions& options);
ExitCode RunPlanBisect(const GlobalOptions& global, const PlanBisectOptions& options);
ExitCode RunPlanGate(const GlobalOptions& global, const PlanGateOptions& options);
ExitCode RunTopologyImport(const GlobalOptions& global, const TopologyImportOptions& options);
ExitCode RunVersion(const GlobalOptions& global);

// Says on stderr that `what` failed, and returns the exit code of `error`.
ExitCode ReportError(std::string_view what, const Error& error);

}  // namespace schedlab::client
