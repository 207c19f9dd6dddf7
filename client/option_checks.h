#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "client/number_format.h"

namespace schedlab::client {

// A word of `values`, which CLI11 then reads as the number of its enumerator.
template <class T>
CLI::Validator OneOf(const std::map<std::string, T>& values) {
  std::vector<std::string> words;
  for (const auto& entry : values) words.push_back(entry.first);
  const auto read = [values, words](std::string& text) -> std::string {
    const auto found = values.find(text);
    if (found == values.end()) {
      return fmt::format("must be {}, not '{}'", fmt::join(words, " or "), text);
    }
    text = fmt::format("{}", static_cast<int>(found->second));
    return "";
  };
  return CLI::Validator(read, fmt::format("{{{}}}", fmt::join(words, ",")));
}

struct IntegerRange {
  std::int64_t low;
  std::int64_t high;
};

inline constexpr std::int64_t kLargestInteger = std::numeric_limits<std::int64_t>::max();
inline constexpr IntegerRange kIdRange{1, kLargestInteger};

// CLI11 reads a number that is too large as the largest one; here it is a mistake.
template <class Integer>
CLI::Option* AddInteger(CLI::App& app, const std::string& name, Integer& target,
                        const std::string& description, IntegerRange range) {
  const auto read = [&target, range, name](const std::string& text) {
    const Result<std::int64_t> value = ParseInteger(text);
    if (!value || *value < range.low || *value > range.high) {
      throw CLI::ValidationError(fmt::format("{}: '{}' is not a whole number from {} to {}", name,
                                             text, range.low, range.high));
    }
    target = static_cast<Integer>(*value);
  };
  return app.add_option_function<std::string>(name, read, description)->type_name("INT");
}

}  // namespace schedlab::client
