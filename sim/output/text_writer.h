#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

#include "sim/output/byte_sink.h"
#include "sim/sim_time.h"

namespace schedlab::sim {

// Collects lines and hands them to a sink in large pieces; Finish() hands over the rest. Lines lose
// their blanks at the end.
class TextWriter {
 public:
  explicit TextWriter(const ByteSink& sink) : sink_(sink) {}

  template <class... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    EndLine();
  }
  // Begins or continues a line.
  template <class... Args>
  void Part(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  void EndLine() {
    text_.erase(text_.find_last_not_of(' ') + 1);
    text_.push_back('\n');
    if (text_.size() >= kPieceBytes) Finish();
  }
  void Finish() {
    if (!text_.empty()) sink_(text_);
    text_.clear();
  }

 private:
  static constexpr std::size_t kPieceBytes = 65'536;

  const ByteSink& sink_;
  std::string text_;
};

// "12.345678": seconds, cut to microseconds, as perf and ftrace print a time.
inline std::string SecondsText(SimTime at) {
  const std::int64_t microseconds = Ns(at) / 1'000;
  return fmt::format("{}.{:06}", microseconds / 1'000'000, microseconds % 1'000'000);
}

}  // namespace schedlab::sim
