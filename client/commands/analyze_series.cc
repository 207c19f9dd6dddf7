#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "client/commands/commands.h"
#include "client/number_format.h"
#include "client/series_input.h"
#include "client/text_file.h"
#include "client/text_table.h"
#include "stats/drift.h"
#include "stats/summary.h"

namespace schedlab::client {
namespace {

constexpr std::size_t kMaxSeriesFileBytes = 67'108'864;

struct Analyzed {
  std::vector<InputPoint> input;
  std::vector<stats::SeriesPoint> points;  // parallel to it
  stats::SeriesAnalysis analysis;
  std::optional<double> cpu_ms;  // of the analysis alone, if asked for
};

// A mean of more runs than is usual here weighs as much more.
std::vector<stats::SeriesPoint> PointsOf(const std::vector<InputPoint>& input) {
  std::vector<double> counts;
  for (const InputPoint& point : input) {
    if (!point.runs.empty()) counts.push_back(static_cast<double>(point.mean_count));
  }
  const double usual = stats::Median(counts);
  std::vector<stats::SeriesPoint> points;
  for (const InputPoint& point : input) {
    points.push_back({point.runs, static_cast<double>(point.mean_count) / usual});
  }
  return points;
}

bool HasCommits(const Analyzed& analyzed) { return !analyzed.input.front().commit.empty(); }

const std::string& CommitOf(const Analyzed& analyzed, std::int64_t index) {
  return analyzed.input.at(static_cast<std::size_t>(index)).commit;
}

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

std::string RenderChanges(const Analyzed& analyzed, Direction direction) {
  const std::vector<stats::ChangePoint>& changes = analyzed.analysis.change_points;
  if (changes.empty()) {
    const auto measured_count =
        std::count_if(analyzed.input.begin(), analyzed.input.end(),
                      [](const InputPoint& point) { return !point.runs.empty(); });
    return measured_count > 1 ? "no change point\n"
                              : "no change point: only one revision was measured\n";
  }
  std::vector<Column> columns = {{"index", Alignment::kRight},
                                 {"90 % interval"},
                                 {"change", Alignment::kRight},
                                 {"before"},
                                 {"after"},
                                 {"effect / sd", Alignment::kRight},
                                 {"p", Alignment::kRight},
                                 {"kind"}};
  if (HasCommits(analyzed)) columns.push_back({"commit"});
  TextTable table(columns);
  for (const stats::ChangePoint& change : changes) {
    std::vector<std::string> cells = {
        fmt::format("{}", change.index),
        fmt::format("{} .. {}", change.interval.first, change.interval.last),
        FormatRelative(change.relative_change),
        SideText(change.before),
        SideText(change.after),
        FormatNumber(change.effect_in_sd),
        FormatNumber(change.p_value),
        std::string(KindOf(change, direction))};
    if (HasCommits(analyzed)) cells.push_back(CommitOf(analyzed, change.index));
    table.AddRow(cells);
  }
  return table.Render();
}

std::string RenderTable(const Analyzed& analyzed, Direction direction) {
  std::string text = RenderChanges(analyzed, direction);
  for (const stats::Drift& drift : analyzed.analysis.drifts) {
    text += fmt::format("drift of {} from {} to {}, {} a revision\n",
                        FormatRelative(drift.relative_change), drift.range.first, drift.range.last,
                        FormatRelative(drift.relative_per_point));
  }
  if (analyzed.cpu_ms) text += fmt::format("analysis: {:.3f} ms of CPU time\n", *analyzed.cpu_ms);
  return text;
}

nlohmann::ordered_json ToJson(const stats::Summary& side) {
  return {{"count", side.count},
          {"mean", side.mean},
          {"stddev", side.stddev ? nlohmann::ordered_json(*side.stddev) : nullptr},
          {"median", side.median}};
}

nlohmann::ordered_json ToJson(const stats::IndexInterval& interval) {
  return nlohmann::ordered_json::array({interval.first, interval.last});
}

// The points from each change point to the next; those within a drift are one segment.
nlohmann::ordered_json SegmentsOf(const Analyzed& analyzed) {
  std::vector<std::size_t> ends;
  for (const stats::ChangePoint& change : analyzed.analysis.change_points) {
    ends.push_back(static_cast<std::size_t>(change.index));
  }
  ends.push_back(analyzed.points.size());
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    std::vector<double> runs;
    for (std::size_t i = begin; i < end; ++i) {
      const std::vector<double>& samples = analyzed.points[i].samples;
      runs.insert(runs.end(), samples.begin(), samples.end());
    }
    if (const Result<stats::Summary> summary = stats::Summarize(runs)) {
      nlohmann::ordered_json segment = ToJson(*summary);
      segment["first"] = begin;
      segment["last"] = end - 1;
      list.push_back(std::move(segment));
    }
    begin = end;
  }
  return list;
}

nlohmann::ordered_json ChangesOf(const Analyzed& analyzed, Direction direction) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const stats::ChangePoint& change : analyzed.analysis.change_points) {
    list.push_back({{"index", change.index},
                    {"interval", ToJson(change.interval)},
                    {"effect", change.relative_change},
                    {"effect_sd", change.effect_in_sd},
                    {"p_value", change.p_value},
                    {"kind", KindOf(change, direction)},
                    {"before", ToJson(change.before)},
                    {"after", ToJson(change.after)}});
    if (HasCommits(analyzed)) list.back()["commit"] = CommitOf(analyzed, change.index);
  }
  return list;
}

nlohmann::ordered_json DriftsOf(const Analyzed& analyzed) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const stats::Drift& drift : analyzed.analysis.drifts) {
    list.push_back({{"from", drift.range.first},
                    {"to", drift.range.last},
                    {"slope", drift.relative_per_point},
                    {"effect", drift.relative_change},
                    {"evidence", drift.evidence}});
  }
  return list;
}

std::string RenderJson(const Analyzed& analyzed, Direction direction) {
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  document["format_version"] = 1;
  document["change_points"] = ChangesOf(analyzed, direction);
  document["segments"] = SegmentsOf(analyzed);
  document["drift"] = DriftsOf(analyzed);
  if (analyzed.cpu_ms) document["cpu_ms"] = *analyzed.cpu_ms;
  return document.dump(2) + "\n";
}

}  // namespace

ExitCode RunAnalyzeSeries(const GlobalOptions& global, const AnalyzeSeriesOptions& options) {
  const std::string name = options.path == "-" ? "stdin" : options.path;
  const Result<std::string> text = ReadTextInput(options.path, kMaxSeriesFileBytes);
  if (!text) return ReportError("cannot analyze the series", text.error());
  Result<std::vector<InputPoint>> input = ParseSeriesInput(*text, name);
  if (!input) return ReportError("cannot analyze the series", input.error());
  Analyzed analyzed;
  analyzed.input = *std::move(input);
  analyzed.points = PointsOf(analyzed.input);
  const std::clock_t begin = std::clock();
  Result<stats::SeriesAnalysis> analysis =
      stats::AnalyzeSeries(analyzed.points, {.minimum_effect = options.minimum_effect});
  const std::clock_t end = std::clock();
  if (!analysis) return ReportError("cannot analyze " + name, analysis.error());
  analyzed.analysis = *std::move(analysis);
  if (options.with_time) {
    analyzed.cpu_ms = 1000.0 * static_cast<double>(end - begin) / CLOCKS_PER_SEC;
  }
  Print(global.output == OutputFormat::kJson ? RenderJson(analyzed, options.direction)
                                             : RenderTable(analyzed, options.direction));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
