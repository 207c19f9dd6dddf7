#include "tests/scenarios/scenario_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <variant>

#include "tests/scenarios/scenario_machine.h"
#include "tests/scenarios/scenario_words.h"

namespace schedlab::scenarios {
namespace {

std::string Time(sim::SimDuration time) { return WriteTime(sim::Ns(time)); }

std::string PolicyWord(const SchedAttributes& attributes) {
  switch (attributes.policy) {
    case SchedPolicy::kNormal:
      return "normal";
    case SchedPolicy::kBatch:
      return "batch";
    case SchedPolicy::kIdle:
      return "idle";
    case SchedPolicy::kFifo:
      return fmt::format("fifo:{}", attributes.rt_priority);
    case SchedPolicy::kRoundRobin:
      return fmt::format("rr:{}", attributes.rt_priority);
    case SchedPolicy::kDeadline:
      return fmt::format("deadline:{}/{}/{}", WriteTime(attributes.runtime_ns),
                         WriteTime(attributes.deadline_ns), WriteTime(attributes.period_ns));
  }
  return "";
}

std::string StepText(const sim::Script& script, const sim::ScriptStep& step) {
  using Kind = sim::ScriptStep::Kind;
  const std::string& target = script.tasks[step.target].name;
  switch (step.kind) {
    case Kind::kRun:
      return "run " + Time(step.duration);
    case Kind::kRunFor:
      return "runfor " + Time(step.duration);
    case Kind::kSpin:
      return "spin";
    case Kind::kYield:
      return "yield";
    case Kind::kExec:
      return "exec";
    case Kind::kSleep:
      return "sleep " + Time(step.duration);
    case Kind::kSleepUntil:
      return "period " + Time(step.duration);
    case Kind::kBlock:
      return "block";
    case Kind::kExit:
      return "exit";
    case Kind::kWake:
      return "wake " + target;
    case Kind::kWakeSync:
      return "wakesync " + target;
    case Kind::kRelease:
      return "release " + target;
  }
  return "";
}

std::string GroupName(const sim::Script& script, std::size_t group) {
  return group == 0 ? "/" : script.groups[group - 1].name;
}

std::string CpusText(const std::vector<sim::CpuNumber>& cpus) {
  return cpus.empty() ? "" : fmt::format(" cpus={}", fmt::join(cpus, ","));
}

std::string TaskText(const sim::Script& script, const sim::ScriptedTask& task) {
  std::string text = fmt::format("task {} policy={}", task.name, PolicyWord(task.attributes));
  if (task.attributes.nice != 0) text += fmt::format(" nice={}", task.attributes.nice);
  if (task.attributes.slice_ns != 0) {
    text += fmt::format(" slice={}", WriteTime(task.attributes.slice_ns));
  }
  if (task.group != 0) text += " group=" + GroupName(script, task.group);
  text += CpusText(task.cpus);
  if (task.start_cpu != sim::kNoCpu) text += fmt::format(" start={}", task.start_cpu);
  if (task.arrival > sim::SimDuration{0}) text += " arrive=" + Time(task.arrival);
  text += task.repeat_count == 0 ? " repeat=forever" : fmt::format(" repeat={}", task.repeat_count);
  std::vector<std::string> steps;
  for (const sim::ScriptStep& step : task.steps) steps.push_back(StepText(script, step));
  return text + fmt::format(" : {}\n", fmt::join(steps, ", "));
}

std::string SettingsText(const sim::ScriptedGroup& group) {
  std::string text = fmt::format(" shares={}", group.shares);
  text += fmt::format(" quota={}/{}", Time(group.quota), Time(group.period));
  return text + CpusText(group.cpus);
}

std::string ChangeText(const sim::Script& script, const sim::ScriptedChange& change) {
  const std::string at = fmt::format("at {} ", Time(change.at));
  if (const auto* affinity = std::get_if<sim::AffinityChange>(&change.what)) {
    return at + "task " + script.tasks[affinity->task].name + CpusText(affinity->cpus) + "\n";
  }
  if (const auto* group = std::get_if<sim::GroupChange>(&change.what)) {
    return at + "task " + script.tasks[group->task].name +
           " group=" + GroupName(script, group->group) + "\n";
  }
  if (const auto* settings = std::get_if<sim::SettingsChange>(&change.what)) {
    return at + "group " + GroupName(script, settings->group) + SettingsText(settings->value) +
           "\n";
  }
  const auto& attributes = std::get<sim::AttributesChange>(change.what);
  const sim::ScriptedTask& task = script.tasks[attributes.task];
  const bool is_nice = attributes.value.nice != task.attributes.nice;
  return at + "task " + task.name +
         (is_nice ? fmt::format(" nice={}\n", attributes.value.nice)
                  : " policy=" + PolicyWord(attributes.value) + "\n");
}

std::string PolicyText(const PolicySpec& policy) {
  std::string text = "policy " + ImplementationOf(policy);
  for (const auto& [name, value] : policy.switches) text += fmt::format(" {}={}", name, value);
  return text + "\n";
}

}  // namespace

std::string ScenarioText(const ScenarioFile& scenario) {
  const sim::Script& script = scenario.script;
  std::string text = MachineText(scenario.topology) + PolicyText(scenario.policy);
  text += fmt::format("seed {}\nduration {}\n", scenario.seed, Time(scenario.duration));
  for (const HotplugEvent& event : scenario.hotplug) {
    text += fmt::format("hotplug {} cpu={} {}\n", WriteTime(event.at_ns), event.cpu,
                        event.is_online ? "on" : "off");
  }
  for (const IrqSource& source : scenario.irq_sources) {
    text += fmt::format("irq cpu={} period={} duration={}\n", source.cpu,
                        WriteTime(source.period_ns), WriteTime(source.duration_ns));
  }
  for (const sim::ScriptedGroup& group : script.groups) {
    text += fmt::format("group {} parent={}", group.name, GroupName(script, group.parent)) +
            SettingsText(group) + "\n";
  }
  for (const sim::ScriptedTask& task : script.tasks) text += TaskText(script, task);
  for (const sim::ScriptedChange& change : script.changes) text += ChangeText(script, change);
  return text + "show totals\n----\n";
}

}  // namespace schedlab::scenarios
