#include "client/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "client/environment.h"
#include "core/check.h"

namespace schedlab::client {
namespace {

// Of writing to stdout, which every thread may do; 0 = none.
std::atomic<int> first_output_error = 0;

bool HasColor(ColorMode mode, int descriptor) {
  switch (mode) {
    case ColorMode::kAlways:
      return true;
    case ColorMode::kNever:
      return false;
    case ColorMode::kAuto:
      return EnvironmentVariable("NO_COLOR").empty() && EnvironmentVariable("TERM") != "dumb" &&
             isatty(descriptor) == 1;
  }
  return false;
}

std::string_view Escape(Tone tone) {
  switch (tone) {
    case Tone::kBad:
      return "\x1b[1;31m";
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kDim:
      return "\x1b[2m";
    case Tone::kStrong:
      return "\x1b[1m";
  }
  return "";
}

}  // namespace

Terminal DetectTerminal(ColorMode mode) {
  return {.has_stdout_color = HasColor(mode, STDOUT_FILENO),
          .has_stderr_color = HasColor(mode, STDERR_FILENO),
          .is_stderr_terminal = isatty(STDERR_FILENO) == 1,
          .has_progress_bar = isatty(STDERR_FILENO) == 1 && EnvironmentVariable("CI").empty() &&
                              EnvironmentVariable("TERM") != "dumb"};
}

std::string Paint(bool has_color, Tone tone, std::string_view text) {
  if (!has_color) return std::string(text);
  return std::string(Escape(tone)).append(text).append("\x1b[0m");
}

std::string EscapeControls(std::string_view text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    const bool is_wide_control = byte == 0xC2U && next >= 0x80U && next < 0xA0U;  // of UTF-8
    if (is_wide_control) {
      escaped += fmt::format("\\x{:02x}", next);
      ++i;
    } else if ((byte < 0x20U && byte != '\n') || byte == 0x7FU) {
      escaped += fmt::format("\\x{:02x}", byte);
    } else {
      escaped += text[i];
    }
  }
  return escaped;
}

void ReserveStandardStreams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free number is this one; the wrong direction is what makes its use fail.
    const int opened = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    SCHEDLAB_CHECK(opened == descriptor || opened < 0);
  }
}

void Print(std::string_view text) {
  errno = 0;
  const bool is_written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  int none = 0;
  if (!is_written) first_output_error.compare_exchange_strong(none, errno == 0 ? EIO : errno);
}

void PrintDiagnostic(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

Status FinishOutput() {
  const int error = first_output_error;
  if (error == 0 || error == EPIPE) return {};
  return Fail(ErrorCode::kUnavailable, std::strerror(error));
}

}  // namespace schedlab::client
