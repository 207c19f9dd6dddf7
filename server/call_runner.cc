#include "server/call_runner.h"

#include <utility>

#include "proto/rpc/status.h"

namespace schedlab::server {

PendingCall::PendingCall(grpc::CallbackServerContext* context, const RpcMethod& method,
                         Telemetry& telemetry)
    : context_(context),
      reactor_(context->DefaultReactor()),
      method_(method),
      telemetry_(&telemetry),
      started_(std::chrono::steady_clock::now()) {}

void PendingCall::Finish(const Status& status) const {
  CountAnswer(*telemetry_, method_, status, std::chrono::steady_clock::now() - started_);
  reactor_->Finish(status ? grpc::Status::OK : rpc::ToGrpc(status.error()));
}

grpc::ServerUnaryReactor* CallRunner::Run(grpc::CallbackServerContext* context,
                                          const RpcMethod& method, Handler handler) {
  const PendingCall call(context, method, telemetry_);
  const bool is_submitted = pool_.TrySubmit([call, handler = std::move(handler)] {
    if (call.is_cancelled()) {
      call.Finish(Fail(ErrorCode::kCancelled, "the caller is gone"));
    } else {
      call.Finish(handler());
    }
  });
  if (!is_submitted) call.Finish(Fail(Overloaded()));
  return call.reactor();
}

grpc::ServerUnaryReactor* CallRunner::RunInline(grpc::CallbackServerContext* context,
                                                const RpcMethod& method, const Handler& handler) {
  const PendingCall call(context, method, telemetry_);
  call.Finish(handler());
  return call.reactor();
}

Error Overloaded() {
  return {ErrorCode::kResourceExhausted,
          "the coordinator has too many calls waiting; call again in a second"};
}

void CountAnswer(Telemetry& telemetry, const RpcMethod& method, const Status& status,
                 std::chrono::nanoseconds duration) {
  const int code = status ? 0 : static_cast<int>(status.error().code);
  telemetry.CountCall(method, code, duration);
  if (!status && (status.error().code == ErrorCode::kUnavailable ||
                  status.error().code == ErrorCode::kInternal)) {
    telemetry.CountDatabaseError(status.error().code);
  }
}

}  // namespace schedlab::server
