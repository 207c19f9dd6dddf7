#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace schedlab::client {

enum class ColorMode { kAuto, kAlways, kNever };

enum class Tone { kBad, kGood, kDim, kStrong };

// What the two output streams can show.
struct Terminal {
  bool has_stdout_color = false;
  bool has_stderr_color = false;
  bool is_stderr_terminal = false;
  bool has_progress_bar = false;  // stderr is a terminal and nobody keeps a log of it
  bool has_progress = true;       // as lines where there is no bar
};

// Looks at the streams, NO_COLOR, TERM and CI.
Terminal DetectTerminal(ColorMode mode);

// `text` in a colour; unchanged without `has_color`. Never the only bearer of a meaning.
std::string Paint(bool has_color, Tone tone, std::string_view text);

// `text` with control characters but line ends, and bytes that are no UTF-8, as "\x1b": what others
// stored must not steer the terminal of who reads it.
std::string EscapeControls(std::string_view text);

// Makes writes to a standard stream that is closed fail, also after other files are opened.
void ReserveStandardStreams();

// Writes to stdout and to stderr.
void Print(std::string_view text);
void PrintDiagnostic(std::string_view text);

// Whether everything that was printed has been written. A reader that went away (`| head`) has had
// what it wanted.
Status FinishOutput();

}  // namespace schedlab::client
