#pragma once

#include <stop_token>
#include <thread>

namespace schedlab::client {

// While one exists, Ctrl-C (SIGINT) and SIGTERM request a stop instead of ending the process. Make
// it before any other thread: threads inherit the blocked signals.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  bool is_requested() const { return source_.stop_requested(); }

 private:
  std::stop_source source_;
  std::jthread waiter_;
};

}  // namespace schedlab::client
