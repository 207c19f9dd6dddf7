#include "client/series_input.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace schedlab::client {
namespace {

using Samples = std::vector<std::vector<double>>;

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<double> ParseNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// nullopt where a field is no number.
std::optional<std::vector<double>> ParseLine(std::string_view line) {
  std::vector<double> values;
  while (true) {
    const std::size_t comma = line.find(',');
    const std::optional<double> value = ParseNumber(Trim(line.substr(0, comma)));
    if (!value) return std::nullopt;
    values.push_back(*value);
    if (comma == std::string_view::npos) return values;
    line.remove_prefix(comma + 1);
  }
}

Result<Samples> ParseLines(std::string_view text, std::string_view file_name) {
  Samples points;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    std::optional<std::vector<double>> values = ParseLine(line);
    if (values) {
      points.push_back(std::move(*values));
    } else if (number > 1) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}:{}: '{}' is not a list of numbers", file_name, number, line));
    }
  }
  return points;
}

Result<Samples> ParseJson(std::string_view text, std::string_view file_name) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  const auto malformed = [&](std::size_t index) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: element {} is neither a number nor an array of numbers", file_name,
                            index));
  };
  if (!json.is_array()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: is not a JSON array of numbers", file_name));
  }
  Samples points;
  for (const nlohmann::json& element : json) {
    const nlohmann::json runs = element.is_array() ? element : nlohmann::json::array({element});
    std::vector<double> values;
    for (const nlohmann::json& run : runs) {
      if (!run.is_number()) return malformed(points.size());
      values.push_back(run.get<double>());
    }
    points.push_back(std::move(values));
  }
  return points;
}

}  // namespace

Result<Samples> ParseSeriesInput(std::string_view text, std::string_view file_name) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool is_json = begin != std::string_view::npos && text[begin] == '[';
  Result<Samples> points = is_json ? ParseJson(text, file_name) : ParseLines(text, file_name);
  if (points && points->empty()) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: has no numbers", file_name));
  }
  return points;
}

}  // namespace schedlab::client
