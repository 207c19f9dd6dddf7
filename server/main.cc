#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

#include "core/clock.h"
#include "core/log.h"
#include "server/catalog_dir.h"
#include "server/config.h"
#include "server/coordinator.h"
#include "server/ready_file.h"
#include "server/version.h"

namespace schedlab::server {
namespace {

constexpr int kExitOk = 0;
constexpr int kExitUsage = 2;
constexpr int kExitInfrastructure = 4;
constexpr int kExitInternal = 70;

int ExitCodeOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
      return kExitUsage;
    case ErrorCode::kUnavailable:
    case ErrorCode::kFailedPrecondition:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kDeadlineExceeded:
      return kExitInfrastructure;
    case ErrorCode::kCancelled:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kResourceExhausted:
    case ErrorCode::kAborted:
    case ErrorCode::kInternal:
    case ErrorCode::kUnauthenticated:
      return kExitInternal;
  }
  return kExitInternal;
}

int StartFailed(Log& log, const Error& error) {
  log.Error({"server", "start_failed"}, {{"error", error.message}});
  return ExitCodeOf(error);
}

// The signals that end the server, held back from every thread: main() waits for them.
sigset_t BlockEndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

Status Announce(const ServerConfig& config, const Coordinator& coordinator, Log& log) {
  const ReadyNote note{.grpc_address = coordinator.grpc_address(),
                       .http_address = coordinator.http_address(),
                       .process_id = static_cast<int>(getpid())};
  log.Info({"server", "serving"}, {{"version", kBuildVersion},
                                   {"grpc_address", ToString(note.grpc_address)},
                                   {"http_address", ToString(note.http_address)}});
  if (!IsLoopback(note.grpc_address) || !IsLoopback(note.http_address)) {
    log.Warn({"server", "open_to_network"},
             {{"reason", "callers are not authenticated; keep it behind a firewall"}});
  }
  if (config.ready_file.empty()) return {};
  return WriteReadyFile(config.ready_file, note);
}

int Serve(const ServerConfig& config, Log& log) {
  const sigset_t signals = BlockEndingSignals();
  Result<Catalog> catalog = LoadCatalog(config.catalog_dir);
  if (!catalog) return StartFailed(log, catalog.error());
  Coordinator coordinator(config, std::move(*catalog), log);
  if (const Status started = coordinator.Start(); !started) {
    return StartFailed(log, started.error());
  }
  if (const Status announced = Announce(config, coordinator, log); !announced) {
    return StartFailed(log, announced.error());
  }
  int signal = 0;
  sigwait(&signals, &signal);
  log.Info({"server", "stopping"}, {{"signal", signal}});
  // From here on a second signal has its default effect: the end, at once.
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  coordinator.Stop();
  log.Info({"server", "stopped"});
  return kExitOk;
}

int Main(int argc, const char* const* argv) {
  const Result<ParsedCommandLine> parsed = ParseCommandLine(argc, argv);
  if (!parsed) {
    std::cerr << "schedlab-server: " << parsed.error().message << '\n';
    return kExitUsage;
  }
  if (!parsed->config) {
    std::cout << parsed->text;
    return kExitOk;
  }
  // What gRPC would print of its own is said by our log or by a status, in one format.
  setenv("GRPC_VERBOSITY", "NONE", 0);  // NOLINT(concurrency-mt-unsafe): no other thread yet
  const SystemClock clock;
  Log log(clock, parsed->config->log_level, StderrSink());
  return Serve(*parsed->config, log);
}

}  // namespace
}  // namespace schedlab::server

int main(int argc, char** argv) { return schedlab::server::Main(argc, argv); }
