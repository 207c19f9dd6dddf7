#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "client/commands/commands.h"
#include "client/number_format.h"
#include "client/series_input.h"
#include "client/text_file.h"
#include "client/text_table.h"
#include "stats/change_points.h"

namespace schedlab::client {
namespace {

constexpr std::size_t kMaxSeriesFileBytes = 16'777'216;

std::string_view KindOf(const stats::ChangePoint& change, Direction direction) {
  return stats::ToString(stats::ClassifyChange(direction, change.relative_change));
}

std::string SideText(const stats::Summary& side) {
  return FormatSummary({.count = side.count,
                        .mean = side.mean,
                        .stddev = side.stddev,
                        .median = side.median,
                        .minimum = side.minimum,
                        .maximum = side.maximum});
}

std::string RenderTable(const std::vector<stats::ChangePoint>& changes, Direction direction) {
  if (changes.empty()) return "no change point\n";
  TextTable table({{"index", Alignment::kRight},
                   {"90 % interval"},
                   {"change", Alignment::kRight},
                   {"before"},
                   {"after"},
                   {"effect / sd", Alignment::kRight},
                   {"p", Alignment::kRight},
                   {"kind"}});
  for (const stats::ChangePoint& change : changes) {
    table.AddRow({fmt::format("{}", change.index),
                  fmt::format("{} .. {}", change.interval.first, change.interval.last),
                  FormatRelative(change.relative_change), SideText(change.before),
                  SideText(change.after), FormatNumber(change.effect_in_sd),
                  FormatNumber(change.p_value), std::string(KindOf(change, direction))});
  }
  return table.Render();
}

nlohmann::ordered_json ToJson(const stats::Summary& side) {
  return {{"count", side.count},
          {"mean", side.mean},
          {"stddev", side.stddev ? nlohmann::ordered_json(*side.stddev) : nullptr},
          {"median", side.median}};
}

std::string RenderJson(const std::vector<stats::ChangePoint>& changes, Direction direction) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const stats::ChangePoint& change : changes) {
    list.push_back({{"index", change.index},
                    {"interval_first", change.interval.first},
                    {"interval_last", change.interval.last},
                    {"relative_change", change.relative_change},
                    {"effect_sd", change.effect_in_sd},
                    {"p_value", change.p_value},
                    {"kind", KindOf(change, direction)},
                    {"before", ToJson(change.before)},
                    {"after", ToJson(change.after)}});
  }
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  document["format_version"] = 1;
  document["change_points"] = list;
  return document.dump(2) + "\n";
}

}  // namespace

ExitCode RunAnalyzeSeries(const GlobalOptions& global, const AnalyzeSeriesOptions& options) {
  const std::string name = options.path == "-" ? "stdin" : options.path;
  const Result<std::string> text = ReadTextInput(options.path, kMaxSeriesFileBytes);
  if (!text) return ReportError("cannot analyze the series", text.error());
  const auto samples = ParseSeriesInput(*text, name);
  if (!samples) return ReportError("cannot analyze the series", samples.error());
  std::vector<stats::SeriesPoint> points;
  for (const std::vector<double>& runs : *samples) points.push_back({runs});
  const Result<std::vector<stats::ChangePoint>> changes =
      stats::DetectChangePoints(points, {.minimum_effect = options.minimum_effect});
  if (!changes) return ReportError("cannot analyze " + name, changes.error());
  Print(global.output == OutputFormat::kJson ? RenderJson(*changes, options.direction)
                                             : RenderTable(*changes, options.direction));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
