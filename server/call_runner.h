#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <functional>

#include "core/result.h"
#include "server/telemetry.h"
#include "server/work_pool.h"

namespace schedlab::server {

// Answers unary calls off gRPC's threads, and counts every answer. Thread-safe.
class CallRunner {
 public:
  // Fills in the response, which gRPC keeps until the call is finished.
  using Handler = std::function<Status()>;

  CallRunner(WorkPool& pool, Telemetry& telemetry) : pool_(pool), telemetry_(telemetry) {}

  // On the pool, since `handler` may block. RESOURCE_EXHAUSTED where the pool's queue is full.
  grpc::ServerUnaryReactor* Run(grpc::CallbackServerContext* context, const RpcMethod& method,
                                Handler handler);
  // Here and now, for a handler that never blocks.
  grpc::ServerUnaryReactor* RunInline(grpc::CallbackServerContext* context, const RpcMethod& method,
                                      const Handler& handler);

 private:
  WorkPool& pool_;
  Telemetry& telemetry_;
};

// One call from its arrival to its answer, for calls that outlive their handler. Finish() is called
// once, from any thread.
class PendingCall {
 public:
  PendingCall(grpc::CallbackServerContext* context, const RpcMethod& method, Telemetry& telemetry);

  grpc::ServerUnaryReactor* reactor() const { return reactor_; }
  bool is_cancelled() const { return context_->IsCancelled(); }
  void Finish(const Status& status) const;

 private:
  grpc::CallbackServerContext* context_;
  grpc::ServerUnaryReactor* reactor_;
  RpcMethod method_;
  Telemetry* telemetry_;
  std::chrono::steady_clock::time_point started_;
};

// What a call gets where the pool's queue is full.
Error Overloaded();

// Counts an answered call, and the error of the database where that is why it failed.
void CountAnswer(Telemetry& telemetry, const RpcMethod& method, const Status& status,
                 std::chrono::nanoseconds duration);

}  // namespace schedlab::server
