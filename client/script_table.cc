#include "client/script_table.h"

#include <fmt/format.h>

#include "client/number_format.h"
#include "client/text_table.h"

namespace schedlab::client {
namespace {

constexpr double kNsPerUs = 1e3;
constexpr double kNsPerMs = 1e6;

// A mean, or a dash where nothing was counted.
std::string Mean(sim::SimDuration sum, std::int64_t count, double unit_ns) {
  if (count == 0) return "-";
  return FormatNumber(static_cast<double>(sim::Ns(sum)) / static_cast<double>(count) / unit_ns);
}

std::string Value(sim::SimDuration value, std::int64_t count, double unit_ns) {
  return Mean(value, count == 0 ? 0 : 1, unit_ns);
}

}  // namespace

std::string ScriptTable(const std::vector<sim::ScriptThreadReport>& threads) {
  if (threads.empty()) return {};
  TextTable table({{"thread"},
                   {"started", Alignment::kRight},
                   {"passes", Alignment::kRight},
                   {"work / ms", Alignment::kRight},
                   {"slack / us", Alignment::kRight},
                   {"least", Alignment::kRight},
                   {"missed", Alignment::kRight},
                   {"wake / us", Alignment::kRight},
                   {"most", Alignment::kRight}});
  for (const sim::ScriptThreadReport& one : threads) {
    const std::int64_t wake_count = one.timer_count - one.missed_count;
    table.AddRow({one.name, fmt::format("{}", one.started_count),
                  fmt::format("{}", one.activation_count), Value(one.work_done, 1, kNsPerMs),
                  Mean(one.slack_sum, one.slack_count, kNsPerUs),
                  Value(one.slack_min, one.slack_count, kNsPerUs),
                  one.timer_count == 0 ? "-" : fmt::format("{}", one.missed_count),
                  Mean(one.timer_latency_sum, wake_count, kNsPerUs),
                  Value(one.timer_latency_max, wake_count, kNsPerUs)});
  }
  return table.Render();
}

nlohmann::ordered_json ScriptJson(const std::vector<sim::ScriptThreadReport>& threads) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const sim::ScriptThreadReport& one : threads) {
    nlohmann::ordered_json row = {{"name", one.name},
                                  {"started", one.started_count},
                                  {"passes", one.activation_count},
                                  {"work_ns", sim::Ns(one.work_done)}};
    if (one.timer_count > 0) {
      row["timers"] = one.timer_count;
      row["timers_missed"] = one.missed_count;
      row["timer_latency_sum_ns"] = sim::Ns(one.timer_latency_sum);
      row["timer_latency_max_ns"] = sim::Ns(one.timer_latency_max);
    }
    if (one.slack_count > 0) {
      row["passes_with_timer"] = one.slack_count;
      row["slack_sum_ns"] = sim::Ns(one.slack_sum);
      row["slack_min_ns"] = sim::Ns(one.slack_min);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace schedlab::client
