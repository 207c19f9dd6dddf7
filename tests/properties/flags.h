#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace schedlab::properties {

// The number of "--seed=7"; nothing where `argument` is not `flag` with a number.
inline std::optional<std::uint64_t> ReadFlag(std::string_view argument, std::string_view flag) {
  if (!argument.starts_with(flag)) return std::nullopt;
  argument.remove_prefix(flag.size());
  std::uint64_t value = 0;
  const char* const argument_end = argument.data() + argument.size();
  const auto [end, error] = std::from_chars(argument.data(), argument_end, value);
  if (error != std::errc() || end != argument_end) return std::nullopt;
  return value;
}

}  // namespace schedlab::properties
