#include "worker/slots.h"

#include <chrono>
#include <utility>

#include "core/check.h"

namespace schedlab::worker {
namespace {

// Wake-ups are notified; this only bounds the wait.
constexpr std::chrono::seconds kLongestSleep{1};

}  // namespace

Slots::Slots(std::int32_t count, RunExecutor& executor, Observer on_finished)
    : count_(static_cast<std::size_t>(count)),
      executor_(executor),
      on_finished_(std::move(on_finished)) {
  threads_.reserve(count_);
  for (std::int32_t i = 0; i < count; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { ExecuteUntilStopped(stop); });
  }
}

Slots::~Slots() {
  {
    const MutexLock lock(mutex_);
    queue_.clear();
    for (auto& [attempt, source] : unfinished_) source.request_stop();
    for (std::jthread& thread : threads_) thread.request_stop();
    has_work_.NotifyAll();
  }
  threads_.clear();
}

void Slots::Start(Lease lease) {
  const MutexLock lock(mutex_);
  SCHEDLAB_CHECK(unfinished_.size() < count_);
  const auto [entry, is_new] = unfinished_.try_emplace(lease.attempt);
  SCHEDLAB_CHECK(is_new);
  queue_.push_back({.lease = std::move(lease), .stop = entry->second.get_token()});
  has_work_.NotifyOne();
}

void Slots::Stop(const AttemptRef& attempt) {
  const MutexLock lock(mutex_);
  const auto found = unfinished_.find(attempt);
  if (found != unfinished_.end()) found->second.request_stop();
}

void Slots::ExecuteUntilStopped(const std::stop_token& stop) {
  Started work;
  while (WaitForWork(stop, work)) Execute(work);
}

bool Slots::WaitForWork(const std::stop_token& stop, Started& work) {
  const MutexLock lock(mutex_);
  while (queue_.empty() && !stop.stop_requested()) has_work_.WaitFor(mutex_, kLongestSleep);
  if (queue_.empty()) return false;
  work = std::move(queue_.front());
  queue_.pop_front();
  return true;
}

void Slots::Execute(const Started& work) {
  AttemptReport report{.attempt = work.lease.attempt,
                       .outcome = executor_.Execute(work.lease.spec, work.stop)};
  {
    const MutexLock lock(mutex_);
    unfinished_.erase(report.attempt);
  }
  on_finished_(std::move(report));
}

}  // namespace schedlab::worker
