#include "client/series_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace schedlab::client {
namespace {

using Points = std::vector<InputPoint>;

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(static_cast<double>(value))) return std::nullopt;
  return value;
}

struct Line {
  int number = 0;
  std::string_view text;
  std::vector<std::string_view> fields;
};

std::vector<Line> SplitLines(std::string_view text) {
  std::vector<Line> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Line line{.number = number, .text = Trim(text.substr(0, end)), .fields = {}};
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.text.empty()) continue;
    for (std::string_view rest = line.text;;) {
      const std::size_t comma = rest.find(',');
      line.fields.push_back(Trim(rest.substr(0, comma)));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

bool IsNumber(std::string_view text) { return ParseNumber<double>(text).has_value(); }

// Where the fields of a commit's line stand.
struct Columns {
  std::size_t commit = 0;
  std::size_t value = 1;
  std::optional<std::size_t> count;
};

std::optional<std::size_t> Find(const Line& heading, std::string_view name) {
  const auto found = std::find(heading.fields.begin(), heading.fields.end(), name);
  if (found == heading.fields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - heading.fields.begin());
}

std::optional<Columns> NamedColumns(const Line& heading) {
  const std::optional<std::size_t> commit = Find(heading, "commit");
  const std::optional<std::size_t> value = Find(heading, "value");
  if (!commit || !value) return std::nullopt;
  return Columns{.commit = *commit, .value = *value, .count = Find(heading, "count")};
}

// Lines without a heading whose first field is a commit, or counts the lines.
std::optional<Columns> GuessedColumns(const std::vector<Line>& lines) {
  const std::size_t width = lines.front().fields.size();
  if (width < 2 || width > 3 || !IsNumber(lines.front().fields[1])) return std::nullopt;
  const Columns columns{
      .commit = 0, .value = 1, .count = width == 3 ? std::optional<std::size_t>(2) : std::nullopt};
  if (!IsNumber(lines.front().fields[0])) return columns;
  constexpr std::size_t kFewestToCount = 3;
  const std::optional<std::int64_t> first = ParseNumber<std::int64_t>(lines.front().fields[0]);
  if (!first || lines.size() < kFewestToCount) return std::nullopt;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::int64_t expected = *first + static_cast<std::int64_t>(i);
    if (ParseNumber<std::int64_t>(lines[i].fields[0]) != expected) return std::nullopt;
  }
  return columns;
}

// Reads lines of commits one after another.
class CommitLines {
 public:
  CommitLines(const Columns& columns, std::string_view file_name)
      : columns_(columns), file_name_(file_name) {}

  Status Add(const Line& line) {
    if (line.fields.size() <= std::max(columns_.commit, columns_.value)) {
      return Refuse(line, fmt::format("'{}' lacks a field", line.text));
    }
    const std::string commit(line.fields[columns_.commit]);
    if (commit.empty()) return Refuse(line, "names no commit");
    const Result<std::int64_t> count = CountOf(line);
    if (!count) return Fail(count.error());
    const std::string_view text = line.fields[columns_.value];
    const std::optional<double> value = ParseNumber<double>(text);
    if (!value && !(text.empty() || *count == 0)) {
      return Refuse(line, fmt::format("the value '{}' is not a number", text));
    }
    if (Status status = Open(line, commit); !status) return status;
    if (!value || *count == 0) return {};
    points_.back().runs.push_back(*value);
    points_.back().mean_count = *count;
    return {};
  }

  Points Finish() { return std::move(points_); }

 private:
  Status Refuse(const Line& line, std::string_view why) const {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}:{}: {}", file_name_, line.number, why));
  }

  Result<std::int64_t> CountOf(const Line& line) const {
    if (!columns_.count || *columns_.count >= line.fields.size()) return 1;
    const std::string_view text = line.fields[*columns_.count];
    const std::optional<std::int64_t> count = ParseNumber<std::int64_t>(text);
    if (!count || *count < 0) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}:{}: the count '{}' is not a whole number of 0 or more",
                              file_name_, line.number, text));
    }
    return *count;
  }

  // A further line of the newest commit is a further run of it.
  Status Open(const Line& line, const std::string& commit) {
    const auto [first, is_new] = first_lines_.emplace(commit, line.number);
    if (is_new) {
      points_.push_back({.commit = commit, .runs = {}, .mean_count = 1});
      return {};
    }
    if (points_.back().commit != commit) {
      return Refuse(line, fmt::format("commit '{}' stands in line {} already, with others between: "
                                      "give the commits in the order of the history",
                                      commit, first->second));
    }
    if (columns_.count) {
      return Refuse(line,
                    fmt::format("commit '{}' has a second line: with counts each has one", commit));
    }
    return {};
  }

  const Columns columns_;
  const std::string_view file_name_;
  std::map<std::string, int> first_lines_;  // by commit
  Points points_;
};

Result<Points> ParseCommits(const std::vector<Line>& lines, std::size_t begin,
                            const Columns& columns, std::string_view file_name) {
  CommitLines commits(columns, file_name);
  for (std::size_t i = begin; i < lines.size(); ++i) {
    if (Status status = commits.Add(lines[i]); !status) return Fail(status.error());
  }
  return commits.Finish();
}

Result<Points> ParseRuns(const std::vector<Line>& lines, std::string_view file_name) {
  Points points;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    InputPoint point;
    for (const std::string_view field : lines[i].fields) {
      const std::optional<double> value = ParseNumber<double>(field);
      if (!value) break;
      point.runs.push_back(*value);
    }
    if (point.runs.size() == lines[i].fields.size()) {
      points.push_back(std::move(point));
    } else if (i > 0) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}:{}: '{}' is not a list of numbers", file_name, lines[i].number,
                              lines[i].text));
    }
  }
  return points;
}

Result<Points> ParseLines(std::string_view text, std::string_view file_name) {
  const std::vector<Line> lines = SplitLines(text);
  if (lines.empty()) return Points();
  if (const auto named = NamedColumns(lines.front())) {
    return ParseCommits(lines, 1, *named, file_name);
  }
  if (const auto guessed = GuessedColumns(lines)) {
    return ParseCommits(lines, 0, *guessed, file_name);
  }
  return ParseRuns(lines, file_name);
}

Result<Points> ParseJson(std::string_view text, std::string_view file_name) {
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
  Points points;
  for (const nlohmann::json& element : json) {
    const nlohmann::json runs = element.is_array() ? element : nlohmann::json::array({element});
    InputPoint point;
    for (const nlohmann::json& run : runs) {
      if (!run.is_number()) return malformed(points.size());
      point.runs.push_back(run.get<double>());
    }
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace

Result<Points> ParseSeriesInput(std::string_view text, std::string_view file_name) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool is_json = begin != std::string_view::npos && text[begin] == '[';
  Result<Points> points = is_json ? ParseJson(text, file_name) : ParseLines(text, file_name);
  const auto is_measured = [](const InputPoint& point) { return !point.runs.empty(); };
  if (points && std::none_of(points->begin(), points->end(), is_measured)) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: has no numbers", file_name));
  }
  return points;
}

}  // namespace schedlab::client
