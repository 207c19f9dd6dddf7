#include "client/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
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

constexpr unsigned ByteOf(char c) { return static_cast<unsigned char>(c); }

// Of the character of UTF-8 that the text begins with; 0 where it begins with none (Unicode 15,
// table 3-7). Requires: the text is not empty.
std::size_t CharacterLength(std::string_view text) {
  const unsigned first = ByteOf(text[0]);
  if (first < 0x80U) return 1;
  const std::size_t length = first < 0xC2U   ? 0
                             : first < 0xE0U ? 2
                             : first < 0xF0U ? 3
                             : first < 0xF5U ? 4
                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  const unsigned second = ByteOf(text[1]);
  const unsigned low = first == 0xE0U ? 0xA0U : first == 0xF0U ? 0x90U : 0x80U;
  const unsigned high = first == 0xEDU ? 0x9FU : first == 0xF4U ? 0x8FU : 0xBFU;
  if (second < low || second > high) return 0;
  for (const char c : text.substr(2, length - 2)) {
    if ((ByteOf(c) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

// Of one byte, or the wide ones from U+0080 to U+009F. A line's end is none.
bool IsControl(std::string_view character) {
  const unsigned first = ByteOf(character[0]);
  if (character.size() == 1) return (first < 0x20U && first != '\n') || first == 0x7FU;
  return character.size() == 2 && first == 0xC2U && ByteOf(character[1]) < 0xA0U;
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
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    if (length == 0 || IsControl(text.substr(0, length))) {
      escaped += fmt::format("\\x{:02x}", ByteOf(text[std::max<std::size_t>(length, 1) - 1]));
    } else {
      escaped += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
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
