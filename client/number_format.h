#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/alert.h"
#include "core/clock.h"
#include "core/metric.h"
#include "core/result.h"

namespace schedlab::client {

// At most four significant digits, no exponent between 0.0001 and 10^9: "18 350" is "18350".
std::string FormatNumber(double value);
// "-27.6 %", with a sign; "n/a" where absent.
std::string FormatRelative(std::optional<double> ratio);
// "higher" or "lower": what is better.
std::string_view BetterWord(Direction direction);
// The coefficient of variation, "1.1 %"; "n/a" for fewer than two samples or a mean of 0.
std::string FormatSpread(const SampleSummary& summary);
// "18350 (n=5, CV 1.1 %)".
std::string FormatSummary(const SampleSummary& summary);
// "850 ms", "1.1 s", "2 min 05 s".
std::string FormatElapsed(std::chrono::milliseconds elapsed);
// "2026-11-30T12:04:11Z".
std::string FormatTime(WallTime time);
// The first twelve characters of a revision's id.
std::string ShortId(std::string_view id);

// "45m", "1h30m", "8s", "500ms", "2.5s": positive, with units. kInvalidArgument otherwise.
Result<std::chrono::nanoseconds> ParseDuration(std::string_view text);
// The same from a beginning on, which "0s" is.
Result<std::chrono::nanoseconds> ParseInstant(std::string_view text);
// 1 to 65535; kInvalidArgument otherwise.
Result<std::uint16_t> ParsePort(std::string_view text);
// A whole number; kInvalidArgument otherwise.
Result<std::int64_t> ParseInteger(std::string_view text);

struct NameValue {
  std::string name;
  std::string value;
};
// "name=value" of a repeated option; kInvalidArgument names the option.
Result<NameValue> ParseNameValue(std::string_view option, std::string_view text);

}  // namespace schedlab::client
