#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "core/mutex.h"
#include "proto/rpc/status.h"
#include "server/call_runner.h"
#include "server/item_watch_hub.h"
#include "server/telemetry.h"
#include "server/work_pool.h"

namespace schedlab::server {

// One stream of the states of an item. Writes go out one at a time; a client that reads slowly
// misses states in between, never the last one. Owns itself from Open() until gRPC is done with it.
template <class Item, class Response>
class WatchStream final : public grpc::ServerWriteReactor<Response>, public Watcher<Item> {
 public:
  // Fills in what is sent of an item.
  using Encoder = void (*)(const Item&, Response&);

  static std::shared_ptr<WatchStream> Open(const RpcMethod& method, Telemetry& telemetry,
                                           Encoder encode) {
    std::shared_ptr<WatchStream> stream(new WatchStream(method, telemetry, encode));
    stream->self_ = stream;
    return stream;
  }

  bool is_listening() const override { return is_listening_.load(); }

  void Show(const Item& item, bool is_last) override {
    Action action = Action::kNone;
    {
      const MutexLock lock(mutex_);
      next_ = item;
      if (is_last && !ending_) ending_.emplace();
      action = NextAction();
    }
    Do(action);
  }

  void End(const Error& error) override {
    Action action = Action::kNone;
    {
      const MutexLock lock(mutex_);
      if (!ending_) ending_ = Fail(error);
      action = NextAction();
    }
    Do(action);
  }

 private:
  // What is to be done next; decided under the lock and done outside of it.
  enum class Action { kNone, kWrite, kFinish };

  WatchStream(const RpcMethod& method, Telemetry& telemetry, Encoder encode)
      : method_(method),
        telemetry_(telemetry),
        encode_(encode),
        started_(std::chrono::steady_clock::now()) {}

  Action NextAction() SCHEDLAB_REQUIRES(mutex_) {
    if (is_writing_ || is_finished_) return Action::kNone;
    if (next_) {
      writing_.Clear();
      encode_(*next_, writing_);
      next_.reset();
      is_writing_ = true;
      return Action::kWrite;
    }
    if (!ending_) return Action::kNone;
    is_finished_ = true;
    return Action::kFinish;
  }

  void Do(Action action) {
    switch (action) {
      case Action::kNone:
        return;
      case Action::kWrite:
        this->StartWrite(&writing_);
        return;
      case Action::kFinish:
        Close();
        return;
    }
  }

  void Close() {
    Status status;
    {
      const MutexLock lock(mutex_);
      status = *ending_;
    }
    is_listening_ = false;
    CountAnswer(telemetry_, method_, status, std::chrono::steady_clock::now() - started_);
    this->Finish(status ? grpc::Status::OK : rpc::ToGrpc(status.error()));
  }

  void OnWriteDone(bool is_ok) override {
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

  void OnCancel() override { End({ErrorCode::kCancelled, "the caller is gone"}); }

  void OnDone() override {
    is_listening_ = false;
    const std::shared_ptr<WatchStream> last = std::move(self_);
  }

  const RpcMethod method_;
  Telemetry& telemetry_;
  const Encoder encode_;
  const std::chrono::steady_clock::time_point started_;
  std::shared_ptr<WatchStream> self_;  // gRPC holds a bare pointer until OnDone()
  std::atomic<bool> is_listening_ = true;
  Response writing_;  // gRPC's while is_writing_
  Mutex mutex_;
  std::optional<Item> next_ SCHEDLAB_GUARDED_BY(mutex_);
  std::optional<Status> ending_ SCHEDLAB_GUARDED_BY(mutex_);
  bool is_writing_ SCHEDLAB_GUARDED_BY(mutex_) = false;
  bool is_finished_ SCHEDLAB_GUARDED_BY(mutex_) = false;
};

// Shows the item that `get` finds, and from then on what the hub learns of it. The stream is
// gRPC's.
template <class Stream, class Hub, class Get>
Stream* StartWatch(const std::shared_ptr<Stream>& stream, WorkPool& pool, Hub& hub, Get get) {
  const bool is_submitted = pool.TrySubmit([stream, &hub, get = std::move(get)] {
    const auto item = get();
    if (item) {
      hub.Add(stream, *item);
    } else {
      stream->End(item.error());
    }
  });
  if (!is_submitted) stream->End(Overloaded());
  return stream.get();
}

}  // namespace schedlab::server
