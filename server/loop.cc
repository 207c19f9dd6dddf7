#include "server/loop.h"

#include <algorithm>
#include <utility>

namespace schedlab::server {
namespace {

using Steady = std::chrono::steady_clock;

}  // namespace

Loop::Loop(LoopOptions options, Log& log, Telemetry& telemetry, Step step)
    : options_(std::move(options)),
      log_(log),
      telemetry_(telemetry),
      step_(std::move(step)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

Loop::~Loop() { Stop(); }

void Loop::Wake() {
  {
    const MutexLock lock(mutex_);
    is_woken_ = true;
  }
  wakes_.NotifyOne();
}

void Loop::Stop() {
  thread_.request_stop();
  Wake();
  if (thread_.joinable()) thread_.join();
}

void Loop::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Observe(step_(stop));
    Pause(stop);
  }
}

void Loop::Pause(const std::stop_token& stop) {
  const Steady::time_point started = Steady::now();
  const Steady::time_point earliest = started + options_.minimum_gap;
  const Steady::time_point latest = started + std::max(options_.interval, options_.minimum_gap);
  const MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const Steady::time_point until = is_woken_ ? earliest : latest;
    const Steady::time_point now = Steady::now();
    if (now >= until) break;
    wakes_.WaitFor(mutex_, until - now);
  }
  is_woken_ = false;
}

void Loop::Observe(const Status& status) {
  if (status.has_value()) {
    if (is_failing_) log_.Info({options_.component, "recovered"});
    is_failing_ = false;
    return;
  }
  telemetry_.CountDatabaseError(status.error().code);
  if (is_failing_) return;
  is_failing_ = true;
  if (status.error().code == ErrorCode::kUnavailable) {
    log_.Warn({options_.component, "database_unavailable"}, {{"error", status.error().message}});
  } else {
    log_.Error({options_.component, "step_failed"}, {{"error", status.error().message}});
  }
}

}  // namespace schedlab::server
