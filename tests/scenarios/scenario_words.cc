#include "tests/scenarios/scenario_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <utility>

#include "core/limits.h"
#include "sim/task.h"

namespace schedlab::scenarios {
namespace {

// As long as a step can be.
constexpr std::int64_t kLongestTimeNs = sim::Ns(sim::kEndless);

Result<SchedAttributes> ParseDeadline(const std::string& text, SchedAttributes attributes) {
  const std::vector<std::string> words = Split(text, '/');
  if (words.size() != 3) return Mistake(fmt::format("'{}' is not runtime/deadline/period", text));
  std::vector<std::int64_t> times_ns;
  for (const std::string& word : words) {
    const auto time = ParseTime(word);
    if (!time) return Fail(time.error());
    times_ns.push_back(time->count());
  }
  attributes.policy = SchedPolicy::kDeadline;
  attributes.runtime_ns = times_ns[0];
  attributes.deadline_ns = times_ns[1];
  attributes.period_ns = times_ns[2];
  return attributes;
}

}  // namespace

tl::unexpected<Error> Mistake(const std::string& what) {
  return Fail(ErrorCode::kInvalidArgument, what);
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    const std::size_t first = part.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    parts.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
  }
  return parts;
}

KeyValue SplitOption(const std::string& option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos) return {option, ""};
  return {option.substr(0, equals), option.substr(equals + 1)};
}

Result<sim::SimDuration> ParseTime(std::string_view text) {
  static const std::map<std::string_view, std::int64_t> kUnits = {
      {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto unit = kUnits.find(text.substr(digits));
  const auto count = ParseNumber<std::int64_t>(text.substr(0, digits));
  if (unit == kUnits.end() || !count) return Mistake(fmt::format("'{}' is no time", text));
  if (*count > kLongestTimeNs / unit->second) {
    return Mistake(fmt::format("'{}' is longer than {} s", text, kLongestTimeNs / 1'000'000'000));
  }
  return sim::SimDuration(*count * unit->second);
}

std::string WriteTime(std::int64_t ns) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> kUnits = {
      {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}}};
  for (const auto& [unit, size] : kUnits) {
    if (ns % size == 0) return fmt::format("{}{}", ns / size, unit);
  }
  return fmt::format("{}ns", ns);
}

std::string PrintTime(std::int64_t ns) {
  std::string digits = fmt::format("{:06}", ns % 1'000'000);
  digits.erase(digits.find_last_not_of('0') + 1);
  return fmt::format("{}{}{}ms", ns / 1'000'000, digits.empty() ? "" : ".", digits);
}

Result<std::vector<sim::CpuNumber>> ParseCpus(const std::string& text) {
  std::vector<sim::CpuNumber> cpus;
  for (const std::string& range : Split(text, ',')) {
    const std::vector<std::string> ends = Split(range, '-');
    const auto first = ParseNumber<std::int32_t>(ends.empty() ? "" : ends.front());
    const auto last = ParseNumber<std::int32_t>(ends.empty() ? "" : ends.back());
    const bool is_range = first && last && *first >= 0 && *first <= *last && *last < kMaxCpus;
    if (!is_range || ends.size() > 2) return Mistake(fmt::format("'{}' is no CPU", range));
    for (sim::CpuNumber cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  if (cpus.empty()) return Mistake("no CPUs are named");
  return cpus;
}

Result<SchedAttributes> ParsePolicyWord(const std::string& text, SchedAttributes attributes) {
  static const std::map<std::string, SchedPolicy> kPolicies = {
      {"normal", SchedPolicy::kNormal}, {"batch", SchedPolicy::kBatch},
      {"idle", SchedPolicy::kIdle},     {"fifo", SchedPolicy::kFifo},
      {"rr", SchedPolicy::kRoundRobin}, {"deadline", SchedPolicy::kDeadline}};
  const std::size_t colon = text.find(':');
  const auto policy = kPolicies.find(text.substr(0, colon));
  if (policy == kPolicies.end()) return Mistake(fmt::format("there is no policy '{}'", text));
  const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  attributes.policy = policy->second;
  if (attributes.policy == SchedPolicy::kDeadline) return ParseDeadline(rest, attributes);
  if (IsRealTime(attributes.policy)) {
    const auto priority = ParseNumber<std::int32_t>(rest);
    if (!priority) return Mistake(fmt::format("'{}' has no priority", text));
    attributes.rt_priority = *priority;
  } else if (!rest.empty()) {
    return Mistake(fmt::format("'{}' takes nothing after a colon", text));
  }
  return attributes;
}

}  // namespace schedlab::scenarios
