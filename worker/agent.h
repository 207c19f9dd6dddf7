#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/log.h"
#include "core/mutex.h"
#include "core/worker.h"
#include "schedlab/v1/worker_sync.grpc.pb.h"
#include "worker/run_executor.h"
#include "worker/slots.h"
#include "worker/worker_loop.h"

namespace schedlab::worker {

struct AgentOptions {
  WorkerIdentity identity;
  std::uint64_t back_off_seed = 0;
  // Called once, when a coordinator has answered for the first time.
  std::function<void()> on_connected;
};

// Drives a WorkerLoop over a real connection, and its attempts on slots.
class Agent {
 public:
  Agent(AgentOptions options, v1::WorkerSyncService::StubInterface& stub, RunExecutor& executor,
        Log& log);

  // Works until drained (true), or until stopped or superseded by a newer process of the same name,
  // with attempts or reports left behind (false).
  bool Run();

  // From any thread: finish what is held, report it, take no more. Idempotent.
  void Drain();
  // From any thread: end at once; leases are left to expire.
  void StopNow();

 private:
  // What other threads have to tell the one in Run().
  struct Mail {
    std::vector<AttemptReport> finished;
    std::optional<grpc::Status> call_status;
    bool should_drain = false;
    bool should_stop = false;
  };
  struct Call {
    grpc::ClientContext context;
    v1::SynchronizeRequest request;
    v1::SynchronizeResponse response;
    bool is_cancelled = false;
  };

  Mail WaitForMail();
  void ReadMail(Mail mail);
  void FinishCall(const grpc::Status& status);
  void Apply(const WorkerLoop::Changes& changes);
  void CallIfDue();
  void CancelCallIfDue();
  void EndOutstandingCall();
  std::chrono::microseconds TimeToNextStep() const;
  void FailCall(const Error& error);
  void LogRecovery();

  const AgentOptions options_;
  v1::WorkerSyncService::StubInterface& stub_;
  Log& log_;
  WorkerLoop loop_;
  std::unique_ptr<Call> call_;  // while one is outstanding
  bool has_connected_ = false;
  bool is_coordinator_lost_ = false;
  Mutex mutex_;
  ConditionVariable has_mail_;
  Mail mail_ SCHEDLAB_GUARDED_BY(mutex_);
  Slots slots_;  // last: its threads use the members above
};

}  // namespace schedlab::worker
