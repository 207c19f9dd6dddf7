#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/mutex.h"

namespace schedlab {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

// "debug", "info", "warn" or "error".
std::string_view ToString(LogLevel level);
std::optional<LogLevel> LogLevelFromString(std::string_view name);

// One key=value of a line. Keys are snake_case words that end in their unit.
struct LogField {
  LogField(std::string_view field_key, std::string_view field_value);
  LogField(std::string_view field_key, const char* field_value);
  LogField(std::string_view field_key, double field_value);
  LogField(std::string_view field_key, std::integral auto field_value)
      : key(field_key), value(std::to_string(field_value)) {}

  std::string key;
  std::string value;
};

// One event of one component. `event` is a snake_case word that can be searched for.
struct LogEvent {
  std::string_view component;
  std::string_view event;
};

// Structured logs in logfmt, one line per event:
// time=2030-01-01T00:00:00.000000Z level=info component=server event=serving address="[::1]:7450"
// Thread-safe. `write` gets whole lines, one call at a time.
class Log {
 public:
  using Sink = std::function<void(std::string_view line)>;

  Log(const Clock& clock, LogLevel minimum, Sink write);

  void Debug(const LogEvent& event, std::initializer_list<LogField> fields = {});
  void Info(const LogEvent& event, std::initializer_list<LogField> fields = {});
  // Something is wrong that is expected to pass, or that a person may want to change.
  void Warn(const LogEvent& event, std::initializer_list<LogField> fields = {});
  // A person must act.
  void Error(const LogEvent& event, std::initializer_list<LogField> fields = {});

 private:
  void Write(LogLevel level, const LogEvent& event, std::initializer_list<LogField> fields);

  const Clock& clock_;
  const LogLevel minimum_;
  Mutex mutex_;
  const Sink write_ SCHEDLAB_GUARDED_BY(mutex_);
};

// Writes lines to the standard error stream.
Log::Sink StderrSink();

// `value` as it stands after "key=": in double quotes where it is empty or has a space, a quote, an
// equals sign, a backslash or a control character; those are then escaped.
std::string LogfmtValue(std::string_view value);

}  // namespace schedlab
