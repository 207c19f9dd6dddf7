#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "client/account.h"
#include "core/result.h"

namespace schedlab::client {

struct ChildSpec {
  std::string name;                      // in messages: "worker sim-1"
  std::vector<std::string> arguments;    // the first is the program's absolute path
  std::vector<std::string> environment;  // "NAME=value", on top of this process's own
  std::string log_path;                  // stdout and stderr are appended to it
  std::string input_path = "/dev/null";
  std::optional<Account> account;  // becomes this user; nullopt = stays what it is
  // Of this process; open in the child too, under the same number. -1 = none.
  int kept_descriptor = -1;
  int parent_death_signal = SIGKILL;                // sent when the thread that started it ends
  int stop_signal = SIGTERM;                        // asks it to end
  std::chrono::milliseconds stop_deadline{10'000};  // then it is killed
};

// A process of its own process group (so that Ctrl-C reaches this one alone) without inherited
// PG* variables. Destruction kills it. Start and wait on one thread.
class ChildProcess {
 public:
  // kFailedPrecondition: it could not be started; the message names the program and why.
  static Result<ChildProcess> Start(const ChildSpec& spec);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  // Readable for poll(2) once the process has ended.
  int end_descriptor() const { return end_descriptor_; }

  // How it ended, "exit code 3" or "signal 9 (Killed)"; nullopt while it runs.
  std::optional<std::string> PollEnd();
  // Waits until it ends; nullopt where it still runs after `timeout`.
  std::optional<std::string> WaitEnd(std::chrono::milliseconds timeout);
  // Whether it ended by itself with exit code 0.
  bool has_succeeded() const { return wait_status_ == 0; }
  // Asks it to end, kills it after the spec's deadline, and waits. Nothing where it has ended.
  void Stop();

 private:
  ChildProcess(pid_t pid, int end_descriptor, const ChildSpec& spec);
  void Kill(int signal) const;

  pid_t pid_ = -1;
  int end_descriptor_ = -1;
  int stop_signal_ = SIGTERM;
  std::chrono::milliseconds stop_deadline_{0};
  std::optional<int> wait_status_;
};

// Runs a program to its end. The error has the last lines of what it printed.
Status RunToEnd(const ChildSpec& spec, std::chrono::milliseconds timeout);

// What a program prints on stdout and stderr. Fails where it exits with another code than 0.
Result<std::string> CaptureOutput(const std::vector<std::string>& arguments,
                                  std::chrono::milliseconds timeout);

// The last lines of a log, indented; empty where there is none.
std::string LogTail(const std::string& log_path);

}  // namespace schedlab::client
