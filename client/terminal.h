#pragma once

#include <string>
#include <string_view>

namespace schedlab::client {

enum class ColorMode { kAuto, kAlways, kNever };

enum class Tone { kBad, kGood, kDim, kStrong };

// What the two output streams can show.
struct Terminal {
  bool has_stdout_color = false;
  bool has_stderr_color = false;
  bool has_progress_bar = false;  // stderr is a terminal and nobody keeps a log of it
};

// Looks at the streams, NO_COLOR, TERM and CI.
Terminal DetectTerminal(ColorMode mode);

// `text` in a colour; unchanged without `has_color`. Never the only bearer of a meaning.
std::string Paint(bool has_color, Tone tone, std::string_view text);

// Writes to stdout and to stderr.
void Print(std::string_view text);
void PrintDiagnostic(std::string_view text);

}  // namespace schedlab::client
