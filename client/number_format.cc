#include "client/number_format.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace schedlab::client {
namespace {

constexpr std::size_t kShortIdLength = 12;
constexpr int kSignificantDigits = 4;

struct DurationUnit {
  std::string_view suffix;
  double nanoseconds;
};

// "ms" before "m" and "s": the longest suffix that matches is the unit.
constexpr std::array kDurationUnits = {
    DurationUnit{"ns", 1},  DurationUnit{"us", 1e3}, DurationUnit{"ms", 1e6},
    DurationUnit{"s", 1e9}, DurationUnit{"m", 60e9}, DurationUnit{"h", 3600e9},
};

tl::unexpected<Error> NotADuration(std::string_view text) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("'{}' is not a duration; write it like 8s, 500ms, 45m or 1h30m", text));
}

const DurationUnit* UnitAt(std::string_view text) {
  for (const DurationUnit& unit : kDurationUnits) {
    if (text.starts_with(unit.suffix)) return &unit;
  }
  return nullptr;
}

}  // namespace

std::string FormatNumber(double value) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double magnitude = std::fabs(value);
  if (magnitude < 1e-4 || magnitude >= 1e9) return fmt::format("{:.4g}", value);
  const int integer_digits = static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  if (integer_digits > kSignificantDigits) {
    const double unit = std::pow(10.0, integer_digits - kSignificantDigits);
    return fmt::format("{:.0f}", std::round(value / unit) * unit);
  }
  std::string text = fmt::format("{:.{}f}", value, kSignificantDigits - integer_digits);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string FormatRelative(std::optional<double> ratio) {
  return ratio ? fmt::format("{:+.1f} %", *ratio * 100) : "n/a";
}

std::string_view BetterWord(Direction direction) {
  switch (direction) {
    case Direction::kHigherIsBetter:
      return "higher";
    case Direction::kLowerIsBetter:
      return "lower";
  }
  return "";
}

std::string FormatSpread(const SampleSummary& summary) {
  if (!summary.stddev || summary.mean == 0) return "n/a";
  return fmt::format("{:.1f} %", std::fabs(*summary.stddev / summary.mean) * 100);
}

std::string FormatSummary(const SampleSummary& summary) {
  return fmt::format("{} (n={}, CV {})", FormatNumber(summary.mean), summary.count,
                     FormatSpread(summary));
}

std::string FormatElapsed(std::chrono::milliseconds elapsed) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  if (seconds < 1) return fmt::format("{} ms", elapsed.count());
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  return fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string FormatTime(WallTime time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(whole)));
}

std::string ShortId(std::string_view id) { return std::string(id.substr(0, kShortIdLength)); }

Result<std::chrono::nanoseconds> ParseInstant(std::string_view text) {
  constexpr double kLongest = 1e18;  // about 31 years, well below the limit of 64 bits
  double total = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    double number = 0;
    const auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), number, std::chars_format::fixed);
    if (error != std::errc() || number < 0) return NotADuration(text);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const DurationUnit* unit = UnitAt(rest);
    if (unit == nullptr) return NotADuration(text);
    rest.remove_prefix(unit->suffix.size());
    total += number * unit->nanoseconds;
  }
  if (text.empty() || !(total <= kLongest)) return NotADuration(text);
  return std::chrono::nanoseconds(std::llround(total));
}

Result<std::chrono::nanoseconds> ParseDuration(std::string_view text) {
  const Result<std::chrono::nanoseconds> parsed = ParseInstant(text);
  if (!parsed || parsed->count() > 0) return parsed;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("'{}' is no time at all; it must be at least 1ns", text));
}

Result<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("'{}' is not a whole number of 64 bits", text));
  }
  return value;
}

Result<std::uint16_t> ParsePort(std::string_view text) {
  constexpr std::int64_t kLargest = 65535;
  const Result<std::int64_t> value = ParseInteger(text);
  if (!value || *value < 1 || *value > kLargest) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("'{}' is not a port; ports are 1 to {}", text, kLargest));
  }
  return static_cast<std::uint16_t>(*value);
}

Result<NameValue> ParseNameValue(std::string_view option, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} wants name=value, not '{}'", option, text));
  }
  return NameValue{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

}  // namespace schedlab::client
