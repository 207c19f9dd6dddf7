#include "client/dev_cluster.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

#include "client/environment.h"
#include "client/local_port.h"
#include "client/terminal.h"

namespace schedlab::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr std::uint16_t kDefaultGrpcPort = 7450;
constexpr std::uint16_t kDefaultHttpPort = 8450;
constexpr seconds kReadyTakesAtMost{60};
constexpr milliseconds kPollPeriod{20};
constexpr milliseconds kFirstPause{200};
constexpr milliseconds kLongestPause{10'000};
// One that lived so long has recovered: the next pause is the first again.
constexpr seconds kStableAfter{30};
// Another `schedlab dev` may take a port between the look at it and its use.
constexpr int kPortTries = 3;

std::int32_t SlotsPerWorker(std::int32_t worker_count) {
  const auto threads = static_cast<std::int32_t>(std::thread::hardware_concurrency());
  return std::max(threads / worker_count, 1);
}

// Nothing runs here that nobody asked for, unless somebody does.
std::vector<std::string> ServerEnvironment() {
  std::vector<std::string> environment;
  for (const char* const name : {"SCHEDLAB_AA_INTERVAL_S", "SCHEDLAB_BACKFILL_RUNS"}) {
    if (EnvironmentVariable(name).empty()) environment.push_back(fmt::format("{}=0", name));
  }
  return environment;
}

}  // namespace

DevCluster::DevCluster(const DataFolder& folder, std::string bin_folder)
    : folder_(folder), bin_folder_(std::move(bin_folder)) {}

DevCluster::~DevCluster() { Stop(); }

std::string DevCluster::grpc_address() const { return fmt::format("127.0.0.1:{}", grpc_port_); }
std::string DevCluster::http_address() const { return fmt::format("127.0.0.1:{}", http_port_); }

std::vector<std::string> DevCluster::worker_names() const {
  std::vector<std::string> names;
  for (std::int32_t i = 1; i <= worker_count_; ++i) names.push_back(fmt::format("sim-{}", i));
  return names;
}

Status DevCluster::Start(ChildSpec spec) {
  Result<ChildProcess> process = ChildProcess::Start(spec);
  if (!process) return Fail(process.error());
  children_.push_back({.spec = std::move(spec),
                       .process = std::move(*process),
                       .started_at = steady_clock::now(),
                       .start_again_at = {}});
  return {};
}

Status DevCluster::StartPostgres() {
  Result<PrivatePostgres> postgres = PrivatePostgres::Prepare(folder_);
  if (!postgres) return Fail(postgres.error());
  postgres_.emplace(std::move(*postgres));
  const Status started = Start(postgres_->ServerSpec());
  if (!started) return started;
  return postgres_->WaitUntilReady(*children_.back().process, kReadyTakesAtMost);
}

Status DevCluster::AwaitReadyFile(const std::string& path, milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  Supervised& child = children_.back();
  while (!std::filesystem::exists(path)) {
    const std::optional<std::string> end = child.process->WaitEnd(kPollPeriod);
    if (!end && steady_clock::now() < deadline) continue;
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} {}; the end of its log {}:\n{}", child.spec.name,
                            end ? "ended with " + *end : "does not get ready", child.spec.log_path,
                            LogTail(child.spec.log_path)));
  }
  return {};
}

Status DevCluster::TryServer(std::uint16_t grpc_port, std::uint16_t http_port) {
  grpc_port_ = grpc_port;
  http_port_ = http_port;
  const std::string ready_file = folder_.FilePath("server.ready");
  std::filesystem::remove(ready_file);
  const Status started = Start({.name = "coordinator",
                                .arguments = {bin_folder_ + "/schedlab-server", "--database",
                                              postgres_->ChildConnectionString(), "--grpc-address",
                                              grpc_address(), "--http-address", http_address(),
                                              "--ready-file", folder_.ChildPath("server.ready")},
                                .environment = ServerEnvironment(),
                                .log_path = folder_.LogPath("server"),
                                .account = folder_.account(),
                                .kept_descriptor = folder_.child_descriptor()});
  if (!started) return started;
  return AwaitReadyFile(ready_file, kReadyTakesAtMost);
}

Status DevCluster::StartServer(const DevPorts& ports) {
  for (int attempt = 1;; ++attempt) {
    const Result<std::uint16_t> grpc = ChoosePort("--grpc-port", ports.grpc, kDefaultGrpcPort);
    if (!grpc) return Fail(grpc.error());
    const Result<std::uint16_t> http = ChoosePort("--http-port", ports.http, kDefaultHttpPort);
    if (!http) return Fail(http.error());
    Status status = TryServer(*grpc, *http);
    const bool were_ports_taken = !status && (!IsPortFree(*grpc) || !IsPortFree(*http));
    if (!were_ports_taken || attempt == kPortTries) return status;
    children_.pop_back();
  }
}

Status DevCluster::StartWorkers(std::int32_t worker_count) {
  worker_count_ = worker_count;
  slots_per_worker_ = SlotsPerWorker(worker_count);
  for (const std::string& name : worker_names()) {
    // Not awaited: a worker's first call blocks at the coordinator until there is work.
    const Status status =
        Start({.name = "worker " + name,
               .arguments = {bin_folder_ + "/schedlab-worker", "--server", grpc_address(), "--name",
                             name, "--slots", fmt::format("{}", slots_per_worker_)},
               .environment = {},
               .log_path = folder_.LogPath("worker-" + name),
               .account = folder_.account()});
    if (!status) return status;
  }
  return {};
}

void DevCluster::Check(Supervised& child) {
  const auto now = steady_clock::now();
  if (child.process) {
    const std::optional<std::string> end = child.process->PollEnd();
    if (!end) return;
    child.process.reset();
    child.pause = now - child.started_at > kStableAfter || child.pause.count() == 0
                      ? kFirstPause
                      : std::min(child.pause * 2, kLongestPause);
    child.start_again_at = now + child.pause;
    PrintDiagnostic(
        fmt::format("{} ended with {}; starting it again in {:.1f} s (log: {})\n", child.spec.name,
                    *end, std::chrono::duration<double>(child.pause).count(), child.spec.log_path));
    return;
  }
  if (now < child.start_again_at) return;
  child.started_at = now;
  Result<ChildProcess> process = ChildProcess::Start(child.spec);
  if (process) {
    child.process.emplace(std::move(*process));
    return;
  }
  child.pause = kLongestPause;
  child.start_again_at = now + child.pause;
  PrintDiagnostic(fmt::format("{}\n", process.error().message));
}

void DevCluster::WaitForChange(int stop_descriptor) const {
  std::vector<pollfd> watched{{.fd = stop_descriptor, .events = POLLIN, .revents = 0}};
  auto timeout = milliseconds{-1};
  for (const Supervised& child : children_) {
    if (child.process) {
      watched.push_back({.fd = child.process->end_descriptor(), .events = POLLIN, .revents = 0});
      continue;
    }
    const auto left = std::chrono::ceil<milliseconds>(child.start_again_at - steady_clock::now());
    const auto wait = std::max(left, milliseconds{0});
    timeout = timeout.count() < 0 ? wait : std::min(timeout, wait);
  }
  poll(watched.data(), watched.size(), static_cast<int>(timeout.count()));
}

void DevCluster::Supervise(const std::stop_token& stop) {
  const FileDescriptor stopped(eventfd(0, EFD_CLOEXEC));
  const std::stop_callback wake(stop, [&stopped] { eventfd_write(stopped.get(), 1); });
  while (!stop.stop_requested()) {
    for (Supervised& child : children_) Check(child);
    WaitForChange(stopped.get());
  }
}

void DevCluster::Stop() {
  while (!children_.empty()) {
    Supervised& child = children_.back();
    if (child.process) child.process->Stop();
    children_.pop_back();
  }
}

}  // namespace schedlab::client
