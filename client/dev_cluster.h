#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "client/child_process.h"
#include "client/data_folder.h"
#include "client/private_postgres.h"
#include "core/result.h"

namespace schedlab::client {

struct DevPorts {
  std::optional<std::uint16_t> grpc;  // nullopt = the default, or a free one
  std::optional<std::uint16_t> http;
};

// The parts of `schedlab dev` as child processes: PostgreSQL, a coordinator, workers. One that dies
// is started again, with growing pauses. Everything on one thread, which must live as long as it:
// the children are killed when that thread ends.
class DevCluster {
 public:
  // `bin_folder` has schedlab-server and schedlab-worker. Requires: `folder` outlives it.
  DevCluster(const DataFolder& folder, std::string bin_folder);
  ~DevCluster();
  DevCluster(const DevCluster&) = delete;
  DevCluster& operator=(const DevCluster&) = delete;

  // In this order. PostgreSQL and the coordinator are ready then; workers are on their way.
  Status StartPostgres();
  Status StartServer(const DevPorts& ports);
  Status StartWorkers(std::int32_t worker_count);

  int postgres_version() const { return postgres_->major_version(); }
  std::string connection_string() const { return postgres_->ConnectionString(); }
  std::string grpc_address() const;
  std::string http_address() const;
  std::vector<std::string> worker_names() const;
  std::int32_t slots_per_worker() const { return slots_per_worker_; }

  // Starts dead children again until `stop` is requested. Says so on stderr.
  void Supervise(const std::stop_token& stop);
  // Workers first, PostgreSQL last.
  void Stop();

 private:
  struct Supervised {
    ChildSpec spec;
    std::optional<ChildProcess> process;
    std::chrono::milliseconds pause{0};
    std::chrono::steady_clock::time_point started_at;
    std::chrono::steady_clock::time_point start_again_at;
  };

  Status Start(ChildSpec spec);
  Status AwaitReadyFile(const std::string& path, std::chrono::milliseconds timeout);
  Status TryServer(std::uint16_t grpc_port, std::uint16_t http_port);
  void Check(Supervised& child);
  void WaitForChange(int stop_descriptor) const;

  const DataFolder& folder_;
  std::string bin_folder_;
  std::optional<PrivatePostgres> postgres_;
  std::vector<Supervised> children_;  // in the order of their start
  std::uint16_t grpc_port_ = 0;
  std::uint16_t http_port_ = 0;
  std::int32_t worker_count_ = 0;
  std::int32_t slots_per_worker_ = 1;
};

}  // namespace schedlab::client
