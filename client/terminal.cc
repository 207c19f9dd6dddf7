#include "client/terminal.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace schedlab::client {
namespace {

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread sets it
  return value == nullptr ? "" : value;
}

bool HasColor(ColorMode mode, int descriptor) {
  switch (mode) {
    case ColorMode::kAlways:
      return true;
    case ColorMode::kNever:
      return false;
    case ColorMode::kAuto:
      return Environment("NO_COLOR").empty() && Environment("TERM") != "dumb" &&
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
          .has_progress_bar = isatty(STDERR_FILENO) == 1 && Environment("CI").empty() &&
                              Environment("TERM") != "dumb"};
}

std::string Paint(bool has_color, Tone tone, std::string_view text) {
  if (!has_color) return std::string(text);
  return std::string(Escape(tone)).append(text).append("\x1b[0m");
}

void Print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void PrintDiagnostic(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace schedlab::client
