#include "tests/scenarios/scenario_file.h"

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <string_view>

#include "core/catalog.h"
#include "core/limits.h"
#include "tests/scenarios/scenario_check.h"
#include "tests/scenarios/scenario_machine.h"
#include "tests/scenarios/scenario_words.h"

namespace schedlab::scenarios {
namespace {

using sim::SimDuration;

constexpr std::string_view kSeparator = "----\n";

// Tasks and groups may be named before the lines that describe them.
using Numbers = std::map<std::string, std::size_t>;
struct Names {
  Numbers tasks;
  Numbers groups;  // 0 is the root
};

Result<std::size_t> Find(const Numbers& numbers, std::string_view kind, const std::string& name) {
  const auto found = numbers.find(name);
  if (found == numbers.end()) return Mistake(fmt::format("there is no {} '{}'", kind, name));
  return found->second;
}

Status ParseTaskOption(const KeyValue& option, const Names& names, sim::ScriptedTask& task) {
  const std::string& value = option.value;
  if (option.key == "arrive") return Assign(ParseTime(value), task.arrival);
  if (option.key == "cpus") return Assign(ParseCpus(value), task.cpus);
  if (option.key == "policy")
    return Assign(ParsePolicyWord(value, task.attributes), task.attributes);
  if (option.key == "group") return Assign(Find(names.groups, "group", value), task.group);
  if (option.key == "nice") return AssignNumber(value, task.attributes.nice);
  if (option.key == "start") return AssignNumber(value, task.start_cpu);
  if (option.key == "slice") {
    SimDuration slice{0};
    if (Status parsed = Assign(ParseTime(value), slice); !parsed) return parsed;
    task.attributes.slice_ns = slice.count();
    return {};
  }
  if (option.key == "repeat")
    return AssignNumber(value == "forever" ? "0" : value, task.repeat_count);
  return Mistake(fmt::format("a task has no '{}'", option.key));
}

// Steps by name: those alone, those with a time, those with another task.
Status ParseStep(const std::string& text, const Names& names, sim::ScriptedTask& task) {
  using Kind = sim::ScriptStep::Kind;
  static const std::map<std::string, Kind> kAlone = {{"block", Kind::kBlock},
                                                     {"spin", Kind::kSpin},
                                                     {"yield", Kind::kYield},
                                                     {"exec", Kind::kExec},
                                                     {"exit", Kind::kExit}};
  static const std::map<std::string, Kind> kTimed = {{"run", Kind::kRun},
                                                     {"runfor", Kind::kRunFor},
                                                     {"sleep", Kind::kSleep},
                                                     {"period", Kind::kSleepUntil}};
  static const std::map<std::string, Kind> kTargeted = {
      {"wake", Kind::kWake}, {"wakesync", Kind::kWakeSync}, {"release", Kind::kRelease}};
  const std::vector<std::string> words = Split(text, ' ');
  sim::ScriptStep& step = task.steps.emplace_back();
  if (words.size() == 1 && kAlone.contains(words[0])) {
    step.kind = kAlone.at(words[0]);
    return {};
  }
  if (words.size() == 2 && kTimed.contains(words[0])) {
    step.kind = kTimed.at(words[0]);
    return Assign(ParseTime(words[1]), step.duration);
  }
  if (words.size() == 2 && kTargeted.contains(words[0])) {
    step.kind = kTargeted.at(words[0]);
    return Assign(Find(names.tasks, "task", words[1]), step.target);
  }
  return Mistake(fmt::format("'{}' is no step", text));
}

Status ParseTask(const std::string& line, const Names& names, ScenarioFile& scenario) {
  const std::size_t colon = line.find(" : ");
  if (colon == std::string::npos) return Mistake("a task needs ' : ' and its steps");
  const std::vector<std::string> words = Split(line.substr(0, colon), ' ');
  if (words.size() < 2) return Mistake("a task needs a name");
  sim::ScriptedTask& task = scenario.script.tasks.emplace_back();
  task.name = words[1];
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (Status parsed = ParseTaskOption(SplitOption(words[i]), names, task); !parsed) return parsed;
  }
  for (const std::string& step : Split(line.substr(colon + 3), ',')) {
    if (Status parsed = ParseStep(step, names, task); !parsed) return parsed;
  }
  return Validate(task.attributes);
}

Status ParseGroupOption(const KeyValue& option, const Names& names, sim::ScriptedGroup& group) {
  const std::string& value = option.value;
  if (option.key == "parent") return Assign(Find(names.groups, "group", value), group.parent);
  if (option.key == "shares") return AssignNumber(value, group.shares);
  if (option.key == "cpus") return Assign(ParseCpus(value), group.cpus);
  if (option.key != "quota") return Mistake(fmt::format("a group has no '{}'", option.key));
  const std::vector<std::string> times = Split(value, '/');
  if (times.size() != 2) return Mistake(fmt::format("'{}' is not quota/period", value));
  if (Status quota = Assign(ParseTime(times[0]), group.quota); !quota) return quota;
  return Assign(ParseTime(times[1]), group.period);
}

Status ParseGroup(const std::vector<std::string>& words, const Names& names,
                  ScenarioFile& scenario) {
  if (words.size() < 2) return Mistake("a group needs a name");
  sim::ScriptedGroup& group = scenario.script.groups.emplace_back();
  group.name = words[1];
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (Status parsed = ParseGroupOption(SplitOption(words[i]), names, group); !parsed) {
      return parsed;
    }
  }
  if (group.parent >= scenario.script.groups.size()) return Mistake("a parent must come first");
  return {};
}

// at 5ms task a policy=fifo:10 | nice=5 | cpus=0,1 | group=g
Status ParseTaskChange(const KeyValue& option, std::size_t number, const Names& names,
                       ScenarioFile& scenario, sim::ScriptedChange& change) {
  if (number >= scenario.script.tasks.size()) return Mistake("a change comes after its task");
  sim::ScriptedTask& task = scenario.script.tasks[number];
  if (option.key == "cpus") {
    sim::AffinityChange affinity{.task = number, .cpus = {}};
    if (Status parsed = Assign(ParseCpus(option.value), affinity.cpus); !parsed) return parsed;
    change.what = affinity;
    return {};
  }
  if (option.key == "group") {
    sim::GroupChange group{.task = number};
    const Status found = Assign(Find(names.groups, "group", option.value), group.group);
    change.what = group;
    return found;
  }
  sim::ScriptedTask changed = task;
  if (option.key != "policy" && option.key != "nice" && option.key != "slice") {
    return Mistake(fmt::format("'{}' of a task cannot change", option.key));
  }
  if (Status parsed = ParseTaskOption(option, names, changed); !parsed) return parsed;
  change.what = sim::AttributesChange{.task = number, .value = changed.attributes};
  return Validate(changed.attributes);
}

Status ParseChange(const std::vector<std::string>& words, const Names& names,
                   ScenarioFile& scenario) {
  if (words.size() < 5) return Mistake("a change is: at TIME task|group NAME key=value");
  sim::ScriptedChange change;
  if (Status parsed = Assign(ParseTime(words[1]), change.at); !parsed) return parsed;
  Status parsed;
  std::size_t number = 0;
  if (words[2] == "task") {
    if (words.size() != 5) return Mistake("a change is of one thing");
    if (Status found = Assign(Find(names.tasks, "task", words[3]), number); !found) return found;
    parsed = ParseTaskChange(SplitOption(words[4]), number, names, scenario, change);
  } else {
    if (Status found = Assign(Find(names.groups, "group", words[3]), number); !found) return found;
    if (number == 0 || number > scenario.script.groups.size()) {
      return Mistake("a change comes after its group");
    }
    sim::ScriptedGroup settings = scenario.script.groups[number - 1];
    for (std::size_t i = 4; i < words.size() && parsed; ++i) {
      parsed = ParseGroupOption(SplitOption(words[i]), names, settings);
    }
    change.what = sim::SettingsChange{.group = number, .value = settings};
  }
  scenario.script.changes.push_back(std::move(change));
  return parsed;
}

// hotplug 2s cpu=1 off
Status ParseHotplug(const std::vector<std::string>& words, ScenarioFile& scenario) {
  const bool is_known = words.size() == 4 && (words[3] == "on" || words[3] == "off");
  if (!is_known) return Mistake("hotplug needs a time, cpu=N, and on or off");
  SimDuration at{0};
  HotplugEvent event{.is_online = words[3] == "on"};
  if (Status parsed = Assign(ParseTime(words[1]), at); !parsed) return parsed;
  event.at_ns = at.count();
  if (Status parsed = AssignNumber(SplitOption(words[2]).value, event.cpu); !parsed) return parsed;
  scenario.hotplug.push_back(event);
  return {};
}

// irq cpu=0 period=1ms duration=200us
Status ParseIrq(const std::vector<std::string>& words, ScenarioFile& scenario) {
  IrqSource source;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const KeyValue option = SplitOption(words[i]);
    SimDuration time{0};
    const bool is_time = option.key == "period" || option.key == "duration";
    if (!is_time && option.key != "cpu") return Mistake("irq has cpu, period and duration");
    const Status parsed =
        is_time ? Assign(ParseTime(option.value), time) : AssignNumber(option.value, source.cpu);
    if (!parsed) return parsed;
    if (is_time) (option.key == "period" ? source.period_ns : source.duration_ns) = time.count();
  }
  scenario.irq_sources.push_back(source);
  return {};
}

const Catalog& ShippedCatalog() {
  static const Catalog kCatalog = ParseCatalog(EmbeddedCatalogFiles()).value();
  return kCatalog;
}

// A revision is looked up in the catalog; else the policy has nothing but what is given.
Status ParsePolicy(const std::vector<std::string>& words, ScenarioFile& scenario) {
  if (words.size() < 2) return Mistake("policy needs a name");
  std::map<std::string, std::string> switches;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const KeyValue option = SplitOption(words[i]);
    switches[option.key] = option.value;
  }
  if (words[1].find('@') != std::string::npos) {
    return Assign(ResolvePolicy(ShippedCatalog(), words[1], switches), scenario.policy);
  }
  scenario.policy.name = words[1];
  scenario.policy.switches = switches;
  return {};
}

Status ParseShow(const std::string& what, ScenarioFile& scenario) {
  if (what == "totals") {
    scenario.show = ScenarioFile::Show::kTotals;
  } else if (what == "responses") {
    scenario.show = ScenarioFile::Show::kResponses;
  } else {
    return Mistake(fmt::format("cannot show '{}'", what));
  }
  return {};
}

Status ParseLine(const std::string& line, const Names& names, ScenarioFile& scenario) {
  const std::vector<std::string> words = Split(line, ' ');
  if (words.empty() || words[0].starts_with('#')) return {};
  if (words[0] == "task") return ParseTask(line, names, scenario);
  if (words[0] == "group") return ParseGroup(words, names, scenario);
  if (words[0] == "at") return ParseChange(words, names, scenario);
  if (words[0] == "hotplug") return ParseHotplug(words, scenario);
  if (words[0] == "irq") return ParseIrq(words, scenario);
  if (IsOfMachine(words[0])) return ParseMachineLine(line, scenario.topology);
  if (words[0] == "policy") return ParsePolicy(words, scenario);
  const std::string argument = words.size() == 2 ? words[1] : "";
  if (words[0] == "show") return ParseShow(argument, scenario);
  if (words[0] == "duration") return Assign(ParseTime(argument), scenario.duration);
  if (words[0] == "seed") return AssignNumber(argument, scenario.seed);
  return Mistake(fmt::format("cannot read '{}'", line));
}

Names FindNames(const std::string& text) {
  Names names{.tasks = {}, .groups = {{"/", 0}}};
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const std::vector<std::string> words = Split(line, ' ');
    if (words.size() < 2) continue;
    if (words[0] == "task") names.tasks.emplace(words[1], names.tasks.size());
    if (words[0] == "group") names.groups.emplace(words[1], names.groups.size());
  }
  return names;
}

}  // namespace

Result<ScenarioFile> ParseScenario(const std::string& text) {
  const std::size_t separator = text.find(kSeparator);
  if (separator == std::string::npos) return Mistake("there is no line of four dashes");
  ScenarioFile scenario;
  scenario.text = text.substr(0, separator);
  scenario.expected = text.substr(separator + kSeparator.size());
  const Names names = FindNames(scenario.text);
  std::istringstream stream(scenario.text);
  int line_number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++line_number;
    if (const Status parsed = ParseLine(line, names, scenario); !parsed) {
      return Mistake(fmt::format("line {}: {}", line_number, parsed.error().message));
    }
  }
  if (const Status valid = CheckScenario(scenario); !valid) return Fail(valid.error());
  return scenario;
}

}  // namespace schedlab::scenarios
