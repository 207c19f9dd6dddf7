#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "core/log.h"
#include "core/mutex.h"
#include "core/result.h"
#include "server/telemetry.h"

namespace schedlab::server {

struct LoopOptions {
  std::string component;  // in the log
  std::chrono::milliseconds interval{1000};
  // Steps that were woken early still keep this distance, so that a burst of news is one step.
  std::chrono::milliseconds minimum_gap{0};
};

// Calls `step` again and again on a thread of its own: at once, then after every interval or when
// woken. A failing step is logged once when an outage begins and once when it is over; the loop
// goes on. Thread-safe. The destructor waits for a step under way.
class Loop {
 public:
  using Step = std::function<Status(std::stop_token stop)>;

  Loop(LoopOptions options, Log& log, Telemetry& telemetry, Step step);
  ~Loop();

  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void Wake();
  // Returns once no step is under way, and none follows. May be called twice.
  void Stop();

 private:
  void Run(const std::stop_token& stop);
  void Pause(const std::stop_token& stop);
  void Observe(const Status& status);

  const LoopOptions options_;
  Log& log_;
  Telemetry& telemetry_;
  const Step step_;
  bool is_failing_ = false;  // of the loop's thread alone
  Mutex mutex_;
  ConditionVariable wakes_;
  bool is_woken_ SCHEDLAB_GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // last: it uses the members above
};

}  // namespace schedlab::server
