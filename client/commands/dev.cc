#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/data_folder.h"
#include "client/demo.h"
#include "client/dev_cluster.h"
#include "client/interrupt.h"
#include "client/number_format.h"
#include "client/private_postgres.h"
#include "client/regression_report.h"

namespace schedlab::client {
namespace {

using std::chrono::steady_clock;

// The numbered lines on stderr.
class Steps {
 public:
  explicit Steps(int count) : count_(count) {}

  void Done(std::string_view name, const std::string& text) {
    ++done_;
    PrintDiagnostic(fmt::format("[{}/{}] {:<12} {}\n", done_, count_, name, text));
  }

 private:
  int count_;
  int done_ = 0;
};

std::string Since(steady_clock::time_point started_at) {
  return FormatElapsed(
      std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - started_at));
}

// How to reach what is running.
std::string Addresses(const DevCluster& cluster) {
  return fmt::format(
      "  grpc        {}   (schedlab --server {} job list)\n  http        http://{}/metrics   "
      "/healthz   /readyz\n  sql         psql \"{}\"\n",
      cluster.grpc_address(), cluster.grpc_address(), cluster.http_address(),
      cluster.connection_string());
}

// nullopt where everything is up.
std::optional<ExitCode> StartAll(DevCluster& cluster, const DevOptions& options, Steps& steps,
                                 const Interrupt& interrupt) {
  const auto started_at = steady_clock::now();
  Status status = cluster.StartPostgres();
  if (!status) return ReportError("cannot start PostgreSQL", status.error());
  steps.Done("postgres", fmt::format("{}, on a private socket, after {}",
                                     cluster.postgres_version(), Since(started_at)));
  if (interrupt.is_requested()) return ExitCode::kInterrupted;
  status = cluster.StartServer({options.grpc_port, options.http_port});
  if (!status) return ReportError("cannot start the coordinator", status.error());
  steps.Done("coordinator", fmt::format("grpc {}  http http://{}", cluster.grpc_address(),
                                        cluster.http_address()));
  if (interrupt.is_requested()) return ExitCode::kInterrupted;
  status = cluster.StartWorkers(options.worker_count);
  if (!status) return ReportError("cannot start the workers", status.error());
  steps.Done("workers",
             fmt::format("{} (simulated topologies, slots each: {})",
                         fmt::join(cluster.worker_names(), ", "), cluster.slots_per_worker()));
  if (interrupt.is_requested()) return ExitCode::kInterrupted;
  return std::nullopt;
}

ExitCode ShowOutcome(const DemoOutcome& outcome, const Demo& demo, const GlobalOptions& global,
                     const std::string& addresses) {
  std::string text;
  for (const RegressionReport& report : outcome.regressions) {
    text += RenderReport(report, global.terminal.has_stdout_color) + "\n";
  }
  if (outcome.regressions.empty()) {
    text = fmt::format("no regression found in {} revisions x {} scenarios x {} runs\n\n",
                       demo.expanded.revisions.size(), demo.expanded.scenarios.size(),
                       demo.spec.repetitions);
  }
  Print(text + "see\n" + addresses);
  return outcome.regressions.empty() ? ExitCode::kInconclusive : ExitCode::kOk;
}

ExitCode Demonstrate(const DevCluster& cluster, const GlobalOptions& global, const Demo& demo,
                     Steps& steps, const std::stop_token& stop) {
  const auto started_at = steady_clock::now();
  steps.Done("demo", fmt::format("suite {}: {} revisions x {} scenarios x {} runs = {} runs",
                                 demo.spec.suite, demo.expanded.revisions.size(),
                                 demo.expanded.scenarios.size(), demo.spec.repetitions,
                                 demo.expanded.runs.size()));
  Coordinator coordinator(cluster.grpc_address());
  const Result<DemoOutcome> outcome = RunDemo(coordinator, demo, stop, global.terminal);
  if (!outcome) {
    if (stop.stop_requested()) return ExitCode::kOk;
    ReportError("the demo failed", outcome.error());
    return outcome.error().code == ErrorCode::kInternal ? ExitCode::kInternal
                                                        : ExitCode::kInfrastructure;
  }
  const RunCounts& counts = outcome->job.run_counts;
  steps.Done(
      "analysis",
      fmt::format("{} regression{}; {}; took {}", outcome->regressions.size(),
                  outcome->regressions.size() == 1 ? "" : "s",
                  outcome->is_new ? fmt::format("{} of {} runs were cached",
                                                outcome->job.cached_run_count, counts.total())
                                  : fmt::format("all {} runs were stored before", counts.total()),
                  Since(started_at)));
  return ShowOutcome(*outcome, demo, global, Addresses(cluster));
}

// Until Ctrl-C, or with --once until the demo has shown its result.
ExitCode StayUp(DevCluster& cluster, const GlobalOptions& global, const DevOptions& options,
                const std::optional<Demo>& demo, Steps& steps, const Interrupt& interrupt) {
  std::stop_source ending;
  const std::stop_callback interrupted(interrupt.token(), [&ending] { ending.request_stop(); });
  ExitCode code = ExitCode::kOk;
  std::jthread demonstration;
  if (demo) {
    demonstration = std::jthread([&] {
      code = Demonstrate(cluster, global, *demo, steps, ending.get_token());
      if (options.is_once) {
        ending.request_stop();
      } else if (!ending.stop_requested()) {
        PrintDiagnostic(
            "Ctrl-C stops everything; data is kept. Not for production: no TLS, no "
            "login.\n");
      }
    });
  }
  cluster.Supervise(ending.get_token());
  if (demonstration.joinable()) demonstration.join();
  if (options.is_once) return interrupt.is_requested() ? ExitCode::kInterrupted : code;
  return ExitCode::kOk;
}

}  // namespace

ExitCode RunDev(const GlobalOptions& global, const DevOptions& options) {
  const auto started_at = steady_clock::now();
  const Interrupt interrupt;
  const std::string path =
      options.data_folder.empty() ? DefaultDataFolderPath() : options.data_folder;
  // Before anything is written.
  const Result<PostgresInstall> postgres = FindPostgres(0);
  if (!postgres) return ReportError("cannot start PostgreSQL", postgres.error());
  std::optional<Demo> demo;
  if (options.has_demo) {
    Result<Demo> made = MakeDemo(options.demo_suite);
    if (!made) return ReportError("cannot read the demo's suite", made.error());
    demo = std::move(*made);
  }
  const Result<DataFolder> folder = DataFolder::Open(path);
  if (!folder) return ReportError("cannot start", folder.error());
  Steps steps(options.has_demo ? 6 : 4);
  steps.Done("data folder", folder->path() + (folder->is_new() ? " (new)" : ""));
  if (folder->is_below_closed_folder()) {
    PrintDiagnostic(
        fmt::format("the folder lies below one that user {} may not enter: PostgreSQL and the "
                    "coordinator get it as an open file\n",
                    folder->account()->name));
  }
  DevCluster cluster(*folder, global.program_folder);
  if (const std::optional<ExitCode> failed = StartAll(cluster, options, steps, interrupt)) {
    return *failed;
  }
  if (!options.has_demo) {
    PrintDiagnostic(
        fmt::format("up after {}\n{}Ctrl-C stops everything; data is kept. Not for "
                    "production: no TLS, no login.\n",
                    Since(started_at), Addresses(cluster)));
  }
  const ExitCode code = StayUp(cluster, global, options, demo, steps, interrupt);
  cluster.Stop();
  PrintDiagnostic(
      fmt::format("stopped after {}; the data is in {}\n", Since(started_at), folder->path()));
  return code;
}

}  // namespace schedlab::client
