#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <random>
#include <thread>

#include "core/engine_version.h"
#include "core/log.h"
#include "proto/rpc/channel.h"
#include "worker/agent.h"
#include "worker/config.h"
#include "worker/ready_file.h"
#include "worker/sim_executor.h"
#include "worker/version.h"

namespace schedlab::worker {
namespace {

constexpr int kExitDrained = 0;
constexpr int kExitUsage = 2;
constexpr int kExitLeftBehind = 4;

WorkerDefaults MachineDefaults() {
  std::array<char, 256> name{};
  const bool has_name = gethostname(name.data(), name.size() - 1) == 0;
  return {.host_name = has_name ? name.data() : "worker",
          .cpu_count = static_cast<std::int32_t>(std::thread::hardware_concurrency())};
}

std::uint64_t Entropy() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

WorkerIdentity IdentityOf(const WorkerConfig& config) {
  return {.name = config.name,
          .incarnation = fmt::format("{:016x}", Entropy()),
          .build_version = std::string(kBuildVersion),
          .executors = {Executor::kSim},
          .engine_version = std::string(kEngineVersion),
          .slot_count = config.slot_count,
          .is_draining = false};
}

sigset_t EndSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// The first signal drains, the second ends at once. Requires: every thread blocks them.
void HandleSignals(const std::stop_token& stop, Agent& agent) {
  const sigset_t signals = EndSignals();
  constexpr timespec kPoll{.tv_sec = 0, .tv_nsec = 200'000'000};
  bool is_draining = false;
  while (!stop.stop_requested()) {
    if (sigtimedwait(&signals, nullptr, &kPoll) < 0) continue;
    is_draining ? agent.StopNow() : agent.Drain();
    is_draining = true;
  }
}

void AnnounceReady(const WorkerConfig& config, Log& log) {
  if (config.ready_file.empty()) return;
  if (const Status s = WriteReadyFile(config.ready_file, config.name + "\n"); !s) {
    log.Error({"worker", "ready_file_not_written"}, {{"error", s.error().message}});
  }
}

int Work(const WorkerConfig& config) {
  const SystemClock clock;
  Log log(clock, config.log_level, StderrSink());
  const std::shared_ptr<grpc::Channel> channel = rpc::MakeChannel(config.server);
  const std::unique_ptr<v1::WorkerSyncService::Stub> stub = v1::WorkerSyncService::NewStub(channel);
  SimExecutor executor;
  Agent agent({.identity = IdentityOf(config),
               .back_off_seed = Entropy(),
               .on_connected = [&] { AnnounceReady(config, log); }},
              *stub, executor, log);
  log.Info({"worker", "started"}, {{"name", config.name},
                                   {"slot_count", config.slot_count},
                                   {"server", config.server},
                                   {"engine_version", kEngineVersion}});
  const std::jthread signal_thread(
      [&agent](const std::stop_token& stop) { HandleSignals(stop, agent); });
  return agent.Run() ? kExitDrained : kExitLeftBehind;
}

int Main(int argc, const char* const* argv) {
  const Result<ParsedCommandLine> parsed = ParseCommandLine(argc, argv, MachineDefaults());
  if (!parsed) {
    fmt::print(stderr, "schedlab-worker: {}\n", parsed.error().message);
    return kExitUsage;
  }
  if (!parsed->config) {
    fmt::print("{}", parsed->text);
    return kExitDrained;
  }
  // Before any thread starts, so that all of them inherit it.
  const sigset_t signals = EndSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return Work(*parsed->config);
}

}  // namespace
}  // namespace schedlab::worker

int main(int argc, char** argv) { return schedlab::worker::Main(argc, argv); }
