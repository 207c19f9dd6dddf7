#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "client/number_format.h"
#include "core/limits.h"

namespace schedlab::client {

// Checks of options for CLI11: what is wrong with the text, or "".
inline std::string CheckDuration(const std::string& text) {
  const Result<std::chrono::nanoseconds> duration = ParseDuration(text);
  return duration ? "" : duration.error().message;
}

inline std::string CheckRequestId(const std::string& text) {
  if (!text.empty() && text.size() <= kMaxNameLength) return "";
  return fmt::format("a request id has 1 to {} characters", kMaxNameLength);
}

}  // namespace schedlab::client
