#include "tests/scenarios/scenario_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "tests/scenarios/scenario_words.h"

namespace schedlab::scenarios {
namespace {

constexpr std::int64_t kMostShares = 262'144;  // as Linux allows
constexpr sim::SimDuration kShortestPeriod{1'000'000};
constexpr sim::SimDuration kLongestPeriod{1'000'000'000};

Status CheckCpus(const ScenarioFile& scenario, const std::vector<sim::CpuNumber>& cpus) {
  for (const sim::CpuNumber cpu : cpus) {
    const bool exists = cpu >= 0 && static_cast<std::size_t>(cpu) < scenario.topology.cpus.size();
    if (!exists) return Mistake(fmt::format("there is no CPU {}", cpu));
  }
  return {};
}

Status CheckTask(const ScenarioFile& scenario, const sim::ScriptedTask& task) {
  if (!std::any_of(task.steps.begin(), task.steps.end(), sim::Scripted::CanPause)) {
    return Mistake(fmt::format("task {} needs a step that takes time or waits", task.name));
  }
  if (task.repeat_count < 0) return Mistake(fmt::format("task {} repeats < 0", task.name));
  if (Status cpus = CheckCpus(scenario, task.cpus); !cpus) return cpus;
  if (task.start_cpu == sim::kNoCpu) return {};
  if (Status start = CheckCpus(scenario, {task.start_cpu}); !start) return start;
  const bool may_start = task.cpus.empty() || std::find(task.cpus.begin(), task.cpus.end(),
                                                        task.start_cpu) != task.cpus.end();
  if (may_start) return {};
  return Mistake(fmt::format("task {} starts where it may not run", task.name));
}

Status CheckGroup(const ScenarioFile& scenario, const sim::ScriptedGroup& group) {
  const bool has_weight = group.shares >= 2 && group.shares <= kMostShares;
  if (!has_weight) return Mistake(fmt::format("group {} has shares {}", group.name, group.shares));
  if (group.quota > sim::SimDuration{0}) {
    const bool is_period = group.period >= kShortestPeriod && group.period <= kLongestPeriod;
    if (!is_period)
      return Mistake(fmt::format("the period of group {} is no 1ms to 1s", group.name));
    if (group.quota < kShortestPeriod) {
      return Mistake(fmt::format("the quota of group {} is below 1ms", group.name));
    }
  }
  return CheckCpus(scenario, group.cpus);
}

Status CheckChange(const ScenarioFile& scenario, const sim::ScriptedChange& change) {
  if (const auto* affinity = std::get_if<sim::AffinityChange>(&change.what)) {
    return CheckCpus(scenario, affinity->cpus);
  }
  if (const auto* settings = std::get_if<sim::SettingsChange>(&change.what)) {
    return CheckGroup(scenario, settings->value);
  }
  return {};
}

}  // namespace

Status CheckScenario(const ScenarioFile& scenario) {
  if (scenario.topology.cpus.empty()) return Mistake("a scenario needs a topology");
  if (scenario.policy.name.empty()) return Mistake("a scenario needs a policy");
  for (const sim::ScriptedTask& task : scenario.script.tasks) {
    if (Status valid = CheckTask(scenario, task); !valid) return valid;
  }
  for (const sim::ScriptedGroup& group : scenario.script.groups) {
    if (Status valid = CheckGroup(scenario, group); !valid) return valid;
  }
  for (const sim::ScriptedChange& change : scenario.script.changes) {
    if (Status valid = CheckChange(scenario, change); !valid) return valid;
  }
  return {};
}

}  // namespace schedlab::scenarios
