#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include "core/mutex.h"
#include "schedlab/v1/jobs.pb.h"
#include "server/telemetry.h"
#include "server/watch_hub.h"

namespace schedlab::server {

// One WatchJob stream. Writes go out one at a time; a client that reads slowly misses states in
// between, never the last one. Owns itself from Open() until gRPC is done with it.
class JobStream final : public grpc::ServerWriteReactor<v1::WatchJobResponse>, public JobWatcher {
 public:
  static std::shared_ptr<JobStream> Open(const RpcMethod& method, Telemetry& telemetry);

  bool is_listening() const override { return is_listening_.load(); }
  void Show(const Job& job, bool is_last) override;
  void End(const Error& error) override;

 private:
  // What is to be done next; decided under the lock and done outside of it.
  enum class Action { kNone, kWrite, kFinish };

  JobStream(const RpcMethod& method, Telemetry& telemetry);

  Action NextAction() SCHEDLAB_REQUIRES(mutex_);
  void Do(Action action);

  void OnWriteDone(bool is_ok) override;
  void OnCancel() override;
  void OnDone() override;

  const RpcMethod method_;
  Telemetry& telemetry_;
  const std::chrono::steady_clock::time_point started_;
  std::shared_ptr<JobStream> self_;  // gRPC holds a bare pointer until OnDone()
  std::atomic<bool> is_listening_ = true;
  v1::WatchJobResponse writing_;  // gRPC's while is_writing_
  Mutex mutex_;
  std::optional<Job> next_ SCHEDLAB_GUARDED_BY(mutex_);
  std::optional<Status> ending_ SCHEDLAB_GUARDED_BY(mutex_);
  bool is_writing_ SCHEDLAB_GUARDED_BY(mutex_) = false;
  bool is_finished_ SCHEDLAB_GUARDED_BY(mutex_) = false;
};

}  // namespace schedlab::server
