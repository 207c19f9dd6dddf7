#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/sched_attributes.h"
#include "sim/cpu_set.h"
#include "sim/sim_time.h"

namespace schedlab::scenarios {

// The words that scenario files are made of.

template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

tl::unexpected<Error> Mistake(const std::string& what);

template <class Value>
Status Assign(const Result<Value>& value, Value& to) {
  if (!value) return Fail(value.error());
  to = *value;
  return {};
}

template <class Number>
Status AssignNumber(const std::string& text, Number& to) {
  const auto number = ParseNumber<Number>(text);
  if (!number) return Mistake("'" + text + "' is no number");
  to = *number;
  return {};
}

// The parts between separators, without spaces around them and without empty ones.
std::vector<std::string> Split(const std::string& text, char separator);

struct KeyValue {
  std::string key;
  std::string value;  // empty where there is no '='
};
KeyValue SplitOption(const std::string& option);

// "5ms"; units are ns, us, ms and s.
Result<sim::SimDuration> ParseTime(std::string_view text);
// The same, in the largest unit that leaves a whole number.
std::string WriteTime(std::int64_t ns);
// Milliseconds without trailing zeros: "4ms", "1.25ms".
std::string PrintTime(std::int64_t ns);

// "0,2-5"
Result<std::vector<sim::CpuNumber>> ParseCpus(const std::string& text);

// "normal", "batch", "idle", "fifo:10", "rr:10", "deadline:2ms/5ms/10ms" (runtime, deadline,
// period). Other attributes stay as they are.
Result<SchedAttributes> ParsePolicyWord(const std::string& text, SchedAttributes attributes);

}  // namespace schedlab::scenarios
