#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/histogram.h"
#include "sim/kernel.h"
#include "sim/parameters.h"
#include "sim/random_stream.h"
#include "sim/workload.h"
#include "sim/workloads/start_line.h"

namespace schedlab::sim {

// Pairs of a client and a server in lock step over a local connection: of each pair exactly one is
// runnable. With other parameters this is `perf bench sched pipe`, netperf TCP_RR and tbench.
class RequestResponse final : public Workload {
 public:
  // perf bench sched pipe (tools/perf/bench/sched-pipe.c, Linux 6.1): one pair, an int each way.
  static constexpr std::array kPipeRules = {
      ParameterRule{"pairs_count", 1, 1, 10'000},
      ParameterRule{"exchanges_count", 0, 0, 1'000'000'000},
      ParameterRule{"client_work_ns", 1'200, 1, 1'000'000'000},
      ParameterRule{"server_work_ns", 1'200, 1, 1'000'000'000},
      ParameterRule{"work_spread_permille", 100, 0, 1'000},
      ParameterRule{"payload_bytes", 4, 0, 1'000'000},
      ParameterRule{"large_payload_bytes", 4, 0, 1'000'000},
      ParameterRule{"large_payload_permille", 0, 0, 1'000},
      ParameterRule{"copy_ns_per_kib", 0, 0, 1'000'000},
      ParameterRule{"remote_copy_permille", 1'000, 1'000, 100'000},
      ParameterRule{"softirq_work_ns", 0, 0, 1'000'000'000},
      ParameterRule{"sync_wakeups_permille", 1'000, 0, 1'000},
      ParameterRule{"rr_priority", 0, 0, 99},
      ParameterRule{"fork_work_ns", 100'000, 1, 1'000'000'000},
      ParameterRule{"cpus_count", 0, 0, 4'096},
  };
  // netperf 2.7 TCP_RR over loopback: one byte each way through TCP and a softirq.
  static constexpr std::array kNetperfRules = {
      ParameterRule{"pairs_count", 1, 1, 10'000},
      ParameterRule{"exchanges_count", 0, 0, 1'000'000'000},
      ParameterRule{"client_work_ns", 4'000, 1, 1'000'000'000},
      ParameterRule{"server_work_ns", 4'000, 1, 1'000'000'000},
      ParameterRule{"work_spread_permille", 100, 0, 1'000},
      ParameterRule{"payload_bytes", 1, 0, 1'000'000},
      ParameterRule{"large_payload_bytes", 1, 0, 1'000'000},
      ParameterRule{"large_payload_permille", 0, 0, 1'000},
      ParameterRule{"copy_ns_per_kib", 200, 0, 1'000'000},
      ParameterRule{"remote_copy_permille", 2'500, 1'000, 100'000},
      ParameterRule{"softirq_work_ns", 1'500, 0, 1'000'000'000},
      ParameterRule{"sync_wakeups_permille", 1'000, 0, 1'000},
      ParameterRule{"rr_priority", 0, 0, 99},
      ParameterRule{"fork_work_ns", 100'000, 1, 1'000'000'000},
      ParameterRule{"cpus_count", 0, 0, 4'096},
  };
  // tbench 3 and 4: the requests of a file server's clients over loopback TCP.
  static constexpr std::array kTbenchRules = {
      ParameterRule{"pairs_count", 32, 1, 10'000},
      ParameterRule{"exchanges_count", 0, 0, 1'000'000'000},
      ParameterRule{"client_work_ns", 8'000, 1, 1'000'000'000},
      ParameterRule{"server_work_ns", 11'000, 1, 1'000'000'000},
      ParameterRule{"work_spread_permille", 300, 0, 1'000},
      ParameterRule{"payload_bytes", 100, 0, 1'000'000},
      ParameterRule{"large_payload_bytes", 32'768, 0, 1'000'000},
      ParameterRule{"large_payload_permille", 250, 0, 1'000},
      ParameterRule{"copy_ns_per_kib", 200, 0, 1'000'000},
      ParameterRule{"remote_copy_permille", 2'500, 1'000, 100'000},
      ParameterRule{"softirq_work_ns", 1'500, 0, 1'000'000'000},
      ParameterRule{"sync_wakeups_permille", 1'000, 0, 1'000},
      ParameterRule{"rr_priority", 0, 0, 99},
      ParameterRule{"fork_work_ns", 100'000, 1, 1'000'000'000},
      ParameterRule{"cpus_count", 0, 0, 4'096},
  };

  RequestResponse(const Parameters& parameters, std::uint64_t seed);

  TaskDemand Demand() const override;
  void Start(Kernel& kernel) override;
  Step Next(Kernel& kernel, Task& task) override;
  void TimerFired(Kernel& /*kernel*/, std::int32_t /*timer*/) override {}
  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) override;

 private:
  enum class ClientPhase : std::uint8_t { kConnecting, kAtLine, kComputes, kWaits };
  enum class ServerPhase : std::uint8_t { kStarting, kWaits, kComputes };
  struct Pair {
    Task* client = nullptr;
    Task* server = nullptr;
    ClientPhase client_phase = ClientPhase::kConnecting;
    ServerPhase server_phase = ServerPhase::kStarting;
    std::int64_t bytes = 0;  // of the exchange at hand
    std::int64_t exchanges_left = 0;
    SimTime sent_at;
  };

  void Settle(Kernel& kernel, Task& task) const;
  Step NextOfListener(Kernel& kernel, Task& listener);
  Step NextOfClient(Kernel& kernel, Task& client);
  Step NextOfServer(Kernel& kernel, Task& server);
  void Send(Kernel& kernel, const Task& from, Task& to);
  SimDuration WorkOf(const Kernel& kernel, const Pair& pair, bool is_client);
  void NoteExchange(const Kernel& kernel, const Pair& pair);
  Step StartRequest(Kernel& kernel, Pair& pair);

  const std::int32_t pair_count_;
  const std::int64_t exchange_count_;
  const SimDuration client_work_;
  const SimDuration server_work_;
  const std::int64_t spread_permille_;
  const std::int64_t small_bytes_;
  const std::int64_t large_bytes_;
  const std::int64_t large_permille_;
  const std::int64_t copy_ns_per_kib_;
  const std::int64_t remote_permille_;
  const SimDuration softirq_work_;
  const std::int64_t sync_permille_;
  const std::int32_t rr_priority_;
  const SimDuration fork_work_;
  const std::int32_t cpu_count_;
  StartLine line_;
  RandomStream work_stream_;
  RandomStream payload_stream_;
  RandomStream sync_stream_;
  std::vector<Pair> pairs_;
  std::vector<std::size_t> connecting_;  // pairs whose client waits for the listener
  Task* listener_ = nullptr;
  bool listener_forks_ = false;
  std::int64_t done_count_ = 0;
  std::int64_t byte_count_ = 0;
  std::int64_t sent_count_ = 0;
  std::int64_t sent_off_llc_count_ = 0;
  std::int32_t finished_count_ = 0;
  Histogram exchange_times_;
};

}  // namespace schedlab::sim
