#include "client/disturbance_options.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <utility>

#include "client/number_format.h"

namespace schedlab::client {
namespace {

std::vector<std::string> SplitAtColons(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ':') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// What is wrong with one entry of an option.
tl::unexpected<Error> Refuse(std::string_view option, const std::string& text,
                             std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{} {}: {}", option, text, why));
}

Result<std::int32_t> ParseCpu(const std::string& text) {
  const Result<std::int64_t> cpu = ParseInteger(text);
  if (cpu && *cpu >= 0 && *cpu <= INT32_MAX) return static_cast<std::int32_t>(*cpu);
  return Fail(ErrorCode::kInvalidArgument, fmt::format("'{}' is not the number of a CPU", text));
}

Result<HotplugEvent> ParseEvent(const std::string& text) {
  const std::vector<std::string> parts = SplitAtColons(text);
  if (parts.size() != 3 || (parts[2] != "on" && parts[2] != "off")) {
    return Fail(ErrorCode::kInvalidArgument, "write it as TIME:CPU:on or TIME:CPU:off");
  }
  const Result<std::chrono::nanoseconds> at = ParseInstant(parts[0]);
  if (!at) return Fail(at.error());
  const Result<std::int32_t> cpu = ParseCpu(parts[1]);
  if (!cpu) return Fail(cpu.error());
  return HotplugEvent{.at_ns = at->count(), .cpu = *cpu, .is_online = parts[2] == "on"};
}

Result<IrqSource> ParseSource(const std::string& text) {
  const std::vector<std::string> parts = SplitAtColons(text);
  if (parts.size() != 3) {
    return Fail(ErrorCode::kInvalidArgument, "write it as CPU:PERIOD:DURATION");
  }
  const Result<std::int32_t> cpu = ParseCpu(parts[0]);
  if (!cpu) return Fail(cpu.error());
  const Result<std::chrono::nanoseconds> period = ParseDuration(parts[1]);
  if (!period) return Fail(period.error());
  const Result<std::chrono::nanoseconds> duration = ParseDuration(parts[2]);
  if (!duration) return Fail(duration.error());
  return IrqSource{.cpu = *cpu, .period_ns = period->count(), .duration_ns = duration->count()};
}

template <class T>
Result<std::vector<T>> ParseEach(std::string_view option, const std::vector<std::string>& texts,
                                 Result<T> (*parse)(const std::string&)) {
  std::vector<T> parsed;
  for (const std::string& text : texts) {
    Result<T> one = parse(text);
    if (!one) return Refuse(option, text, one.error().message);
    parsed.push_back(std::move(*one));
  }
  return parsed;
}

}  // namespace

Result<std::vector<HotplugEvent>> ParseHotplug(const std::vector<std::string>& texts) {
  return ParseEach<HotplugEvent>("--hotplug", texts, &ParseEvent);
}

Result<std::vector<IrqSource>> ParseIrqSources(const std::vector<std::string>& texts) {
  return ParseEach<IrqSource>("--irq", texts, &ParseSource);
}

}  // namespace schedlab::client
