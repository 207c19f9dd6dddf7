#include "server/job_stream.h"

#include "proto/rpc/jobs.h"
#include "proto/rpc/status.h"
#include "server/call_runner.h"

namespace schedlab::server {

std::shared_ptr<JobStream> JobStream::Open(const RpcMethod& method, Telemetry& telemetry) {
  std::shared_ptr<JobStream> stream(new JobStream(method, telemetry));
  stream->self_ = stream;
  return stream;
}

JobStream::JobStream(const RpcMethod& method, Telemetry& telemetry)
    : method_(method), telemetry_(telemetry), started_(std::chrono::steady_clock::now()) {}

void JobStream::Show(const Job& job, bool is_last) {
  Action action = Action::kNone;
  {
    const MutexLock lock(mutex_);
    next_ = job;
    if (is_last && !ending_) ending_.emplace();
    action = NextAction();
  }
  Do(action);
}

void JobStream::End(const Error& error) {
  Action action = Action::kNone;
  {
    const MutexLock lock(mutex_);
    if (!ending_) ending_ = Fail(error);
    action = NextAction();
  }
  Do(action);
}

JobStream::Action JobStream::NextAction() {
  if (is_writing_ || is_finished_) return Action::kNone;
  if (next_) {
    *writing_.mutable_job() = rpc::Encode(*next_);
    next_.reset();
    is_writing_ = true;
    return Action::kWrite;
  }
  if (!ending_) return Action::kNone;
  is_finished_ = true;
  return Action::kFinish;
}

void JobStream::Do(Action action) {
  switch (action) {
    case Action::kNone:
      return;
    case Action::kWrite:
      StartWrite(&writing_);
      return;
    case Action::kFinish: {
      Status status;
      {
        const MutexLock lock(mutex_);
        status = *ending_;
      }
      is_listening_ = false;
      CountAnswer(telemetry_, method_, status, std::chrono::steady_clock::now() - started_);
      Finish(status ? grpc::Status::OK : rpc::ToGrpc(status.error()));
      return;
    }
  }
}

void JobStream::OnWriteDone(bool is_ok) {
  Action action = Action::kNone;
  {
    const MutexLock lock(mutex_);
    is_writing_ = false;
    if (!is_ok) {
      next_.reset();
      if (!ending_) ending_ = Fail(ErrorCode::kCancelled, "the caller is gone");
    }
    action = NextAction();
  }
  Do(action);
}

void JobStream::OnCancel() { End({ErrorCode::kCancelled, "the caller is gone"}); }

void JobStream::OnDone() {
  is_listening_ = false;
  const std::shared_ptr<JobStream> last = std::move(self_);
}

}  // namespace schedlab::server
