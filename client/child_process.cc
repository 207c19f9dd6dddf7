#include "client/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "client/file_descriptor.h"

namespace schedlab::client {
namespace {

// Everything that the child needs, made before fork(): between fork and exec only
// async-signal-safe calls are allowed in a process with threads.
struct Launch {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const Account* account = nullptr;
  int program = -1;
  int input = -1;
  int output = -1;
  int failure = -1;
  int kept = -1;
  int parent_death_signal = 0;
  pid_t parent = 0;
};

bool Become(const Account& account) {
  return setgroups(1, &account.gid) == 0 && setgid(account.gid) == 0 && setuid(account.uid) == 0;
}

bool PrepareChild(const Launch& launch) {
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, nullptr) != 0 || setpgid(0, 0) != 0) return false;
  if (signal(SIGPIPE, SIG_DFL) == SIG_ERR) return false;  // what is ignored stays so over exec
  if (launch.account != nullptr && !Become(*launch.account)) return false;
  // After the change of user, which clears it.
  if (prctl(PR_SET_PDEATHSIG, launch.parent_death_signal) != 0) return false;
  if (getppid() != launch.parent) _exit(1);  // the parent died before prctl
  if (launch.kept >= 0 && fcntl(launch.kept, F_SETFD, 0) != 0) return false;
  return dup2(launch.input, STDIN_FILENO) >= 0 && dup2(launch.output, STDOUT_FILENO) >= 0 &&
         dup2(launch.output, STDERR_FILENO) >= 0;
}

[[noreturn]] void RunChild(const Launch& launch) {
  if (PrepareChild(launch)) {
    // By the descriptor that was opened before: the new user may have no right to the folder.
    syscall(SYS_execveat, launch.program, "", launch.arguments.data(), launch.environment.data(),
            AT_EMPTY_PATH);
    // A script is opened again by its interpreter, which needs the path.
    if (errno == ENOENT || errno == ENOEXEC) {
      execve(launch.arguments[0], launch.arguments.data(), launch.environment.data());
    }
  }
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = write(launch.failure, &reason, sizeof reason);
  _exit(127);
}

std::vector<std::string> ChildEnvironment(const ChildSpec& spec) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    // A PGPORT or PGHOST of the caller's shell would point the private cluster elsewhere.
    if (variable.starts_with("PG")) continue;
    if (spec.account && variable.starts_with("HOME=")) continue;
    variables.emplace_back(variable);
  }
  if (spec.account) variables.push_back("HOME=" + spec.account->home);
  variables.insert(variables.end(), spec.environment.begin(), spec.environment.end());
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

tl::unexpected<Error> StartFailure(const ChildSpec& spec, const std::string& what, int reason) {
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("cannot start {}: {}: {}", spec.name, what, std::strerror(reason)));
}

Result<pid_t> Spawn(const ChildSpec& spec, int output) {
  FileDescriptor program(open(spec.arguments[0].c_str(), O_PATH | O_CLOEXEC));
  if (!program.is_open()) return StartFailure(spec, spec.arguments[0], errno);
  FileDescriptor input(open(spec.input_path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!input.is_open()) return StartFailure(spec, spec.input_path, errno);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return StartFailure(spec, "pipe", errno);
  FileDescriptor failure_reader(ends[0]);
  FileDescriptor failure_writer(ends[1]);

  std::vector<std::string> arguments = spec.arguments;
  std::vector<std::string> environment = ChildEnvironment(spec);
  const Launch launch{.arguments = Pointers(arguments),
                      .environment = Pointers(environment),
                      .account = spec.account ? &*spec.account : nullptr,
                      .program = program.get(),
                      .input = input.get(),
                      .output = output,
                      .failure = failure_writer.get(),
                      .kept = spec.kept_descriptor,
                      .parent_death_signal = spec.parent_death_signal,
                      .parent = getpid()};
  const pid_t pid = fork();
  if (pid == 0) RunChild(launch);
  if (pid < 0) return StartFailure(spec, "fork", errno);
  failure_writer.Close();
  int reason = 0;
  if (read(failure_reader.get(), &reason, sizeof reason) == sizeof reason) {
    waitpid(pid, nullptr, 0);
    return StartFailure(spec, spec.arguments[0], reason);
  }
  return pid;
}

std::string DescribeEnd(int status) {
  if (WIFEXITED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's answer for a known signal is a constant.
  return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

std::string ReadWhole(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  off_t offset = 0;
  while (true) {
    const ssize_t count = pread(descriptor, buffer.data(), buffer.size(), offset);
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    offset += count;
  }
}

}  // namespace

ChildProcess::ChildProcess(pid_t pid, int end_descriptor, const ChildSpec& spec)
    : pid_(pid),
      end_descriptor_(end_descriptor),
      stop_signal_(spec.stop_signal),
      stop_deadline_(spec.stop_deadline) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      end_descriptor_(std::exchange(other.end_descriptor_, -1)),
      stop_signal_(other.stop_signal_),
      stop_deadline_(other.stop_deadline_),
      wait_status_(other.wait_status_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(end_descriptor_, other.end_descriptor_);
  std::swap(stop_signal_, other.stop_signal_);
  std::swap(stop_deadline_, other.stop_deadline_);
  std::swap(wait_status_, other.wait_status_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0 && !PollEnd()) {
    Kill(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (end_descriptor_ >= 0) close(end_descriptor_);
}

Result<ChildProcess> ChildProcess::Start(const ChildSpec& spec) {
  constexpr mode_t kOwnerOnly = 0600;
  FileDescriptor log(
      open(spec.log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kOwnerOnly));
  if (!log.is_open()) return StartFailure(spec, spec.log_path, errno);
  if (spec.account && fchown(log.get(), spec.account->uid, spec.account->gid) != 0) {
    return StartFailure(spec, spec.log_path, errno);
  }
  const Result<pid_t> pid = Spawn(spec, log.get());
  if (!pid) return Fail(pid.error());
  // By number: the header of glibc 2.36 declares pidfd_open() as a C++ function.
  const auto end_descriptor = static_cast<int>(syscall(SYS_pidfd_open, *pid, 0));
  return ChildProcess(*pid, end_descriptor, spec);
}

std::optional<std::string> ChildProcess::PollEnd() {
  if (!wait_status_) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    wait_status_ = status;
  }
  return DescribeEnd(*wait_status_);
}

std::optional<std::string> ChildProcess::WaitEnd(std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    if (std::optional<std::string> end = PollEnd()) return end;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return std::nullopt;
    pollfd ended{.fd = end_descriptor_, .events = POLLIN, .revents = 0};
    poll(&ended, 1, static_cast<int>(left.count()));
  }
}

void ChildProcess::Kill(int signal) const { kill(pid_, signal); }

void ChildProcess::Stop() {
  if (pid_ <= 0 || PollEnd()) return;
  Kill(stop_signal_);
  if (WaitEnd(stop_deadline_)) return;
  Kill(SIGKILL);
  constexpr std::chrono::seconds kKillTakesAtMost{10};
  WaitEnd(kKillTakesAtMost);
}

Status RunToEnd(const ChildSpec& spec, std::chrono::milliseconds timeout) {
  Result<ChildProcess> child = ChildProcess::Start(spec);
  if (!child) return Fail(child.error());
  const std::optional<std::string> end = child->WaitEnd(timeout);
  if (end && child->has_succeeded()) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("{} {}; the end of its log {}:\n{}", spec.name,
                          end ? "ended with " + *end
                              : fmt::format("did not end within {} ms", timeout.count()),
                          spec.log_path, LogTail(spec.log_path)));
}

Result<std::string> CaptureOutput(const std::vector<std::string>& arguments,
                                  std::chrono::milliseconds timeout) {
  FileDescriptor output(memfd_create("output", MFD_CLOEXEC));
  const ChildSpec spec{.name = arguments[0],
                       .arguments = arguments,
                       .environment = {},
                       .log_path = fmt::format("/proc/self/fd/{}", output.get()),
                       .account = std::nullopt};
  Result<ChildProcess> child = ChildProcess::Start(spec);
  if (!child) return Fail(child.error());
  const std::optional<std::string> end = child->WaitEnd(timeout);
  if (!end || !child->has_succeeded()) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} ended with {}: {}", arguments[0], end.value_or("no answer in time"),
                            ReadWhole(output.get())));
  }
  return ReadWhole(output.get());
}

std::string LogTail(const std::string& log_path) {
  constexpr std::size_t kTailBytes = 2000;
  const FileDescriptor log(open(log_path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!log.is_open()) return "";
  std::string text = ReadWhole(log.get());
  if (text.size() > kTailBytes) {
    text.erase(0, text.find('\n', text.size() - kTailBytes) + 1);
  }
  std::string indented;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    indented += "    " + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return indented;
}

}  // namespace schedlab::client
