#include "core/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace schedlab {
namespace {

constexpr std::array kLevels = {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn,
                                LogLevel::kError};

bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > ' ' && byte != 0x7f && c != '"' && c != '=' && c != '\\';
}

std::string UtcText(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

}  // namespace

std::string_view ToString(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "";
}

std::optional<LogLevel> LogLevelFromString(std::string_view name) {
  const auto* found = std::find_if(kLevels.begin(), kLevels.end(),
                                   [name](LogLevel level) { return ToString(level) == name; });
  if (found == kLevels.end()) return std::nullopt;
  return *found;
}

LogField::LogField(std::string_view field_key, std::string_view field_value)
    : key(field_key), value(field_value) {}

LogField::LogField(std::string_view field_key, const char* field_value)
    : key(field_key), value(field_value) {}

LogField::LogField(std::string_view field_key, double field_value)
    : key(field_key), value(fmt::format("{}", field_value)) {}

std::string LogfmtValue(std::string_view value) {
  if (!value.empty() && std::all_of(value.begin(), value.end(), IsPlain)) {
    return std::string(value);
  }
  std::string quoted = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += fmt::format("\\{}", c);
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (byte < ' ' || byte == 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

Log::Log(const Clock& clock, LogLevel minimum, Sink write)
    : clock_(clock), minimum_(minimum), write_(std::move(write)) {}

void Log::Debug(const LogEvent& event, std::initializer_list<LogField> fields) {
  Write(LogLevel::kDebug, event, fields);
}

void Log::Info(const LogEvent& event, std::initializer_list<LogField> fields) {
  Write(LogLevel::kInfo, event, fields);
}

void Log::Warn(const LogEvent& event, std::initializer_list<LogField> fields) {
  Write(LogLevel::kWarn, event, fields);
}

void Log::Error(const LogEvent& event, std::initializer_list<LogField> fields) {
  Write(LogLevel::kError, event, fields);
}

void Log::Write(LogLevel level, const LogEvent& event, std::initializer_list<LogField> fields) {
  if (level < minimum_) return;
  std::string line =
      fmt::format("time={} level={} component={} event={}", UtcText(clock_.Now()), ToString(level),
                  LogfmtValue(event.component), LogfmtValue(event.event));
  for (const LogField& field : fields) {
    line += fmt::format(" {}={}", field.key, LogfmtValue(field.value));
  }
  line += '\n';
  const MutexLock lock(mutex_);
  write_(line);
}

Log::Sink StderrSink() {
  return [](std::string_view line) { std::fwrite(line.data(), 1, line.size(), stderr); };
}

}  // namespace schedlab
