#include "client/disturbance_options.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>

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

tl::unexpected<Error> NotA(std::string_view option, const std::string& text,
                           std::string_view form) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{} {} is not {}", option, text, form));
}

}  // namespace

Result<std::vector<HotplugEvent>> ParseHotplug(const std::vector<std::string>& texts) {
  std::vector<HotplugEvent> events;
  for (const std::string& text : texts) {
    const std::vector<std::string> parts = SplitAtColons(text);
    if (parts.size() != 3 || (parts[2] != "on" && parts[2] != "off")) {
      return NotA("--hotplug", text, "TIME:CPU:on or TIME:CPU:off");
    }
    const Result<std::chrono::nanoseconds> at = ParseDuration(parts[0]);
    if (!at) return Fail(at.error());
    const Result<std::int64_t> cpu = ParseInteger(parts[1]);
    if (!cpu || *cpu < 0 || *cpu > INT32_MAX) return NotA("--hotplug", text, "of a CPU");
    events.push_back({.at_ns = at->count(),
                      .cpu = static_cast<std::int32_t>(*cpu),
                      .is_online = parts[2] == "on"});
  }
  return events;
}

Result<std::vector<IrqSource>> ParseIrqSources(const std::vector<std::string>& texts) {
  std::vector<IrqSource> sources;
  for (const std::string& text : texts) {
    const std::vector<std::string> parts = SplitAtColons(text);
    if (parts.size() != 3) return NotA("--irq", text, "CPU:PERIOD:DURATION");
    const Result<std::int64_t> cpu = ParseInteger(parts[0]);
    if (!cpu || *cpu < 0 || *cpu > INT32_MAX) return NotA("--irq", text, "of a CPU");
    const Result<std::chrono::nanoseconds> period = ParseDuration(parts[1]);
    if (!period) return Fail(period.error());
    const Result<std::chrono::nanoseconds> duration = ParseDuration(parts[2]);
    if (!duration) return Fail(duration.error());
    sources.push_back({.cpu = static_cast<std::int32_t>(*cpu),
                       .period_ns = period->count(),
                       .duration_ns = duration->count()});
  }
  return sources;
}

}  // namespace schedlab::client
