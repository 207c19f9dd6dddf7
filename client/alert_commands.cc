#include "client/alert_commands.h"

#include <map>
#include <string_view>

#include "client/option_checks.h"
#include "client/wait_options.h"
#include "core/limits.h"

namespace schedlab::client {
namespace {

constexpr std::string_view kExplainExamples = R"(
Examples:
  schedlab alerts explain kvm-16x1/fs_mark/files_per_sec v3.13
  schedlab alerts explain 17 95a79b805b93 -o json

SERIES is an id (as in `schedlab history METRIC -o json`) or topology/workload/metric. The stored
points are searched again: the answer names the threshold that decides.)";

void AddList(CLI::App& alerts, AlertListOptions& options, const ChooseCommand& choose) {
  CLI::App* list = alerts.add_subcommand("list", "alerts, newest first");
  list->add_option("--project", options.project, "only this project's");
  list->add_option_function<int>(
          "--state",
          [&options](const int& state) { options.state = static_cast<AlertState>(state); },
          "only those that are so")
      ->transform(OneOf<AlertState>({{"open", AlertState::kOpen},
                                     {"acknowledged", AlertState::kAcknowledged},
                                     {"resolved", AlertState::kResolved},
                                     {"dismissed", AlertState::kDismissed}}));
  list->callback([&options, choose] {
    choose([&options](const auto& global) { return RunAlertList(global, options); });
  });
}

void AddShow(CLI::App& alerts, AlertShowOptions& options, const ChooseCommand& choose) {
  CLI::App* show = alerts.add_subcommand(
      "show", "one alert: what, where, since when, why, and what became of it");
  AddInteger(*show, "id", options.id, "alert id", kIdRange)->required();
  show->callback([&options, choose] {
    choose([&options](const auto& global) { return RunAlertShow(global, options); });
  });
}

std::string CheckText(const std::string& text, std::size_t longest) {
  return text.empty() || text.size() > longest
             ? fmt::format("must have 1 to {} characters", longest)
             : "";
}

struct Change {
  const char* name;
  const char* description;
  AlertState to;
};

void AddChange(CLI::App& alerts, AlertChangeOptions& options, const Change& change,
               const ChooseCommand& choose) {
  CLI::App* app = alerts.add_subcommand(change.name, change.description);
  AddInteger(*app, "id", options.id, "alert id", kIdRange)->required();
  app->add_option("--why", options.why, "the reason, for those who come later")
      ->check([](const std::string& text) { return CheckText(text, kMaxTextLength); })
      ->required();
  app->add_option("--who", options.who, "whose doing it is; you, at this machine")
      ->check([](const std::string& text) { return CheckText(text, kMaxNameLength); });
  app->add_option("--request-id", options.request_id,
                  "identity of this change; a repetition changes nothing")
      ->check(CheckRequestId);
  app->callback([&options, to = change.to, choose] {
    options.to = to;
    choose([&options](const auto& global) { return RunAlertChange(global, options); });
  });
}

void AddExplain(CLI::App& alerts, AlertExplainOptions& options, const ChooseCommand& choose) {
  CLI::App* explain =
      alerts.add_subcommand("explain", "why there is, or is not, an alert at a commit in a series");
  explain->footer(std::string(kExplainExamples));
  explain->add_option("series", options.series, "id, or topology/workload/metric")->required();
  explain->add_option("commit", options.revision, "id, prefix, release or <revision>~")->required();
  explain->add_option("--project", options.filter.project, "only series of this one");
  explain->add_option("--policy", options.filter.policy, "only series of this one");
  explain->callback([&options, choose] {
    choose([&options](const auto& global) { return RunAlertExplain(global, options); });
  });
}

void AddPrecision(CLI::App& alerts, AlertPrecisionOptions& options, const ChooseCommand& choose) {
  CLI::App* precision =
      alerts.add_subcommand("precision", "how many alerts were confirmed, how many dismissed");
  precision->add_option("--project", options.project, "only this one");
  AddInteger(*precision, "--days", options.day_count, "only those raised in so many days; all",
             {1, kMaxDays});
  precision->callback([&options, choose] {
    choose([&options](const auto& global) { return RunAlertPrecision(global, options); });
  });
}

}  // namespace

void AddAlertCommands(CLI::App& app, AlertCommandOptions& options, const ChooseCommand& choose) {
  CLI::App* alerts = app.add_subcommand("alerts", "changes worth a person's time");
  alerts->require_subcommand(1);
  AddList(*alerts, options.list, choose);
  AddShow(*alerts, options.show, choose);
  for (const Change& change :
       {Change{"ack", "somebody has taken it", AlertState::kAcknowledged},
        Change{"resolve", "what was lost is back, or will not come back", AlertState::kResolved},
        Change{"dismiss", "a false alarm, or not worth anybody's time", AlertState::kDismissed},
        Change{"reopen", "not done with after all", AlertState::kOpen}}) {
    AddChange(*alerts, options.change, change, choose);
  }
  AddExplain(*alerts, options.explain, choose);
  AddPrecision(*alerts, options.precision, choose);
}

}  // namespace schedlab::client
