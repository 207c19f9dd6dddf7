#include "client/interrupt.h"

#include <pthread.h>

#include <csignal>
#include <ctime>

namespace schedlab::client {
namespace {

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  waiter_ = std::jthread([this](const std::stop_token& done) {
    const sigset_t awaited = StopSignals();
    constexpr timespec kLookAgain{.tv_sec = 0, .tv_nsec = 100'000'000};
    while (!done.stop_requested()) {
      if (sigtimedwait(&awaited, nullptr, &kLookAgain) > 0) source_.request_stop();
    }
  });
}

Interrupt::~Interrupt() {
  waiter_.request_stop();
  waiter_.join();
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace schedlab::client
