#include "sim/workloads/request_response.h"

#include <fmt/format.h>

#include <numeric>

#include "core/check.h"

namespace schedlab::sim {
namespace {

enum Role : std::int32_t { kParent, kListener, kClient, kServer };

// What a process does before it is ready to talk.
constexpr SimDuration kStartWork{200'000};

}  // namespace

RequestResponse::RequestResponse(const Parameters& parameters, std::uint64_t seed)
    : pair_count_(parameters.GetCount("pairs_count")),
      exchange_count_(parameters.Get("exchanges_count")),
      client_work_(parameters.GetTime("client_work_ns")),
      server_work_(parameters.GetTime("server_work_ns")),
      spread_permille_(parameters.Get("work_spread_permille")),
      small_bytes_(parameters.Get("payload_bytes")),
      large_bytes_(parameters.Get("large_payload_bytes")),
      large_permille_(parameters.Get("large_payload_permille")),
      copy_ns_per_kib_(parameters.Get("copy_ns_per_kib")),
      remote_permille_(parameters.Get("remote_copy_permille")),
      softirq_work_(parameters.GetTime("softirq_work_ns")),
      sync_permille_(parameters.Get("sync_wakeups_permille")),
      rr_priority_(parameters.GetCount("rr_priority")),
      fork_work_(parameters.GetTime("fork_work_ns")),
      cpu_count_(parameters.GetCount("cpus_count")),
      line_(fork_work_),
      work_stream_(seed, "request_response work"),
      payload_stream_(seed, "request_response payload"),
      sync_stream_(seed, "request_response sync") {}

TaskDemand RequestResponse::Demand() const {
  return {.count = 2 + std::int64_t{2} * pair_count_,
          .reason = fmt::format("a parent, a listener and 2 * pairs_count {}", pair_count_)};
}

void RequestResponse::Start(Kernel& kernel) {
  line_.AddParent(kernel, kParent);
  listener_ = &kernel.AddTask("listener", kListener, 0);
  Settle(kernel, *listener_);
  pairs_.resize(static_cast<std::size_t>(pair_count_));
  for (std::int32_t i = 0; i < pair_count_; ++i) {
    Pair& pair = pairs_[static_cast<std::size_t>(i)];
    pair.client = &kernel.AddTask(fmt::format("client/{}", i), kClient, i);
    pair.server = &kernel.AddTask(fmt::format("server/{}", i), kServer, i);
    pair.exchanges_left = exchange_count_;
    Settle(kernel, *pair.client);
    Settle(kernel, *pair.server);
    line_.AddChild(*pair.client);
  }
  kernel.StartOn(*listener_, 0);
  line_.Start(kernel);
}

void RequestResponse::Settle(Kernel& kernel, Task& task) const {
  if (cpu_count_ > 0 && cpu_count_ < kernel.cpu_count()) {
    std::vector<CpuNumber> cpus(static_cast<std::size_t>(cpu_count_));
    std::iota(cpus.begin(), cpus.end(), 0);
    kernel.SetAffinity(task, CpuSet::Of(kernel.cpu_count(), cpus));
  }
  if (rr_priority_ == 0) return;
  SchedAttributes attributes;
  attributes.policy = SchedPolicy::kRoundRobin;
  attributes.rt_priority = rr_priority_;
  SCHEDLAB_CHECK(kernel.SetAttributes(task, attributes).has_value());
}

Step RequestResponse::Next(Kernel& kernel, Task& task) {
  switch (static_cast<Role>(task.role)) {
    case kParent:
      return line_.NextOfParent(kernel);
    case kListener:
      return NextOfListener(kernel, task);
    case kClient:
      return NextOfClient(kernel, task);
    case kServer:
      return NextOfServer(kernel, task);
  }
  return Step::Exit();
}

void RequestResponse::AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) {
  if (!line_.is_open()) return;
  const auto elapsed = static_cast<double>(Ns(kernel.now() - line_.opened_at())) / 1e9;
  if (elapsed <= 0) return;
  metrics["exchanges_per_sec"] = static_cast<double>(done_count_) / elapsed;
  metrics["megabytes_per_sec"] = static_cast<double>(byte_count_) / 1e6 / elapsed;
  if (finished_count_ == pair_count_) metrics["elapsed_sec"] = elapsed;
  if (sent_count_ > 0) {
    metrics["wakeups_off_llc_ratio"] =
        static_cast<double>(sent_off_llc_count_) / static_cast<double>(sent_count_);
  }
  const auto quantile = [&](const char* name, std::int64_t permille) {
    if (const auto value = exchange_times_.Quantile(permille)) {
      metrics[name] = static_cast<double>(*value);
    }
  };
  quantile("exchange_time_p50_ns", 500);
  quantile("exchange_time_p99_ns", 990);
}

// One process per connection, forked where the connection is accepted.
Step RequestResponse::NextOfListener(Kernel& kernel, Task& listener) {
  if (listener_forks_) {
    Pair& pair = pairs_[connecting_.back()];
    connecting_.pop_back();
    kernel.Fork(*pair.server, {.cpu = listener.cpu, .task = &listener});
  }
  listener_forks_ = !connecting_.empty();
  return listener_forks_ ? Step::Run(fork_work_) : Step::Block();
}

Step RequestResponse::NextOfClient(Kernel& kernel, Task& client) {
  Pair& pair = pairs_[static_cast<std::size_t>(client.number)];
  switch (pair.client_phase) {
    case ClientPhase::kConnecting:
      pair.client_phase = ClientPhase::kAtLine;
      connecting_.push_back(static_cast<std::size_t>(client.number));
      kernel.Wake(*listener_, {.cpu = client.cpu, .task = &client});
      return Step::Block();
    case ClientPhase::kAtLine:
      // Woken first by its server, which has accepted, and then by the parent.
      if (!line_.is_open()) return line_.Wait(kernel, client);
      return StartRequest(kernel, pair);
    case ClientPhase::kComputes:
      pair.client_phase = ClientPhase::kWaits;
      Send(kernel, client, *pair.server);
      return Step::Block();
    case ClientPhase::kWaits:
      NoteExchange(kernel, pair);
      if (pair.exchanges_left > 0 && --pair.exchanges_left == 0) {
        if (++finished_count_ == pair_count_) kernel.End();
        return Step::Exit();
      }
      return StartRequest(kernel, pair);
  }
  return Step::Exit();
}

Step RequestResponse::StartRequest(Kernel& kernel, Pair& pair) {
  pair.client_phase = ClientPhase::kComputes;
  pair.bytes = payload_stream_.OneIn1000(large_permille_) ? large_bytes_ : small_bytes_;
  pair.sent_at = kernel.now();
  return Step::Run(WorkOf(kernel, pair, true));
}

Step RequestResponse::NextOfServer(Kernel& kernel, Task& server) {
  Pair& pair = pairs_[static_cast<std::size_t>(server.number)];
  switch (pair.server_phase) {
    case ServerPhase::kStarting:
      if (server.work_done == SimDuration{0}) return Step::Run(kStartWork);
      pair.server_phase = ServerPhase::kWaits;
      kernel.Wake(*pair.client, {.cpu = server.cpu, .task = &server});
      return Step::Block();
    case ServerPhase::kWaits:
      pair.server_phase = ServerPhase::kComputes;
      return Step::Run(WorkOf(kernel, pair, false));
    case ServerPhase::kComputes:
      pair.server_phase = ServerPhase::kWaits;
      Send(kernel, server, *pair.client);
      return Step::Block();
  }
  return Step::Exit();
}

// Loopback: the sender's CPU delivers in a softirq of its own, which wakes the receiver.
void RequestResponse::Send(Kernel& kernel, const Task& from, Task& to) {
  if (softirq_work_ > SimDuration{0}) kernel.RaiseIrq(from.cpu, softirq_work_);
  const bool is_sync = sync_stream_.OneIn1000(sync_permille_);
  kernel.Wake(
      to, {.cpu = from.cpu, .task = &from, .hint = is_sync ? WakeHint::kSync : WakeHint::kNone});
  ++sent_count_;
  const Distance distance = kernel.machine().DistanceBetween(from.cpu, to.cpu);
  if (distance > Distance::kSameLlc) ++sent_off_llc_count_;
}

// A client writes its request; a server reads it, and its lines may be in another cache.
SimDuration RequestResponse::WorkOf(const Kernel& kernel, const Pair& pair, bool is_client) {
  std::int64_t copy_ns = pair.bytes * copy_ns_per_kib_ / 1'024;
  const Task& self = is_client ? *pair.client : *pair.server;
  const Task& peer = is_client ? *pair.server : *pair.client;
  const bool is_remote = kernel.machine().DistanceBetween(self.cpu, peer.cpu) > Distance::kSameLlc;
  if (is_remote) copy_ns = copy_ns * remote_permille_ / 1'000;
  return work_stream_.Around(is_client ? client_work_ : server_work_, spread_permille_) +
         SimDuration(copy_ns);
}

void RequestResponse::NoteExchange(const Kernel& kernel, const Pair& pair) {
  ++done_count_;
  byte_count_ += pair.bytes;
  exchange_times_.Add(kernel.now() - pair.sent_at);
}

}  // namespace schedlab::sim
