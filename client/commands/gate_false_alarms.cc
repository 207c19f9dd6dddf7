#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/number_format.h"
#include "client/text_table.h"
#include "core/false_alarms.h"

namespace schedlab::client {
namespace {

std::string Percent(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string ShareText(std::int64_t count, std::int64_t of) {
  return of > 0 ? Percent(ShareOf(count, of).value) : "n/a";
}

std::string IntervalText(std::int64_t count, std::int64_t of) {
  if (of == 0) return "n/a";
  const Share share = ShareOf(count, of);
  return fmt::format("{} .. {}", Percent(share.low), Percent(share.high));
}

std::string Render(const std::vector<FalseAlarms>& projects) {
  if (projects.empty()) return "no A/A evaluation has finished yet\n";
  TextTable table({{"project"},
                   {"evaluations", Alignment::kRight},
                   {"with an alarm", Alignment::kRight},
                   {"rate", Alignment::kRight},
                   {"95 % interval", Alignment::kRight},
                   {"metrics", Alignment::kRight},
                   {"false", Alignment::kRight},
                   {"rate", Alignment::kRight}});
  for (const FalseAlarms& one : projects) {
    table.AddRow(
        {one.project, fmt::format("{}", one.evaluation_count), fmt::format("{}", one.alarm_count),
         ShareText(one.alarm_count, one.evaluation_count),
         IntervalText(one.alarm_count, one.evaluation_count), fmt::format("{}", one.cell_count),
         fmt::format("{}", one.false_count), ShareText(one.false_count, one.cell_count)});
  }
  return table.Render();
}

nlohmann::ordered_json JsonOf(const FalseAlarms& one) {
  nlohmann::ordered_json document = {{"project", one.project},
                                     {"evaluations", one.evaluation_count},
                                     {"with_an_alarm", one.alarm_count},
                                     {"metrics", one.cell_count},
                                     {"false", one.false_count}};
  if (one.evaluation_count > 0) {
    const Share share = ShareOf(one.alarm_count, one.evaluation_count);
    document["alarm_rate"] = {{"value", share.value}, {"low", share.low}, {"high", share.high}};
  }
  return document;
}

std::string RenderJson(const std::vector<FalseAlarms>& projects) {
  nlohmann::ordered_json document = {{"format_version", 1},
                                     {"projects", nlohmann::ordered_json::array()}};
  for (const FalseAlarms& one : projects) document["projects"].push_back(JsonOf(one));
  return document.dump(2) + "\n";
}

}  // namespace

ExitCode RunGateFalseAlarms(const GlobalOptions& global, const GateFalseAlarmsOptions& options) {
  Coordinator coordinator(global.server);
  const Result<std::vector<FalseAlarms>> projects =
      coordinator.GetFalseAlarms(options.project, options.day_count);
  if (!projects) return ReportError("cannot tell of false alarms", projects.error());
  Print(global.output == OutputFormat::kJson ? RenderJson(*projects) : Render(*projects));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
