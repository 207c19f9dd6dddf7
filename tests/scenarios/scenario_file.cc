#include "tests/scenarios/scenario_file.h"

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <string_view>

#include "sim/run.h"
#include "tests/scenarios/scenario_words.h"
#include "tests/support/topologies.h"

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

template <class Value>
Status Assign(const Result<Value>& value, Value& to) {
  if (!value) return Fail(value.error());
  to = *value;
  return {};
}

template <class Number>
Status AssignNumber(const std::string& text, Number& to) {
  const auto number = ParseNumber<Number>(text);
  if (!number) return Mistake(fmt::format("'{}' is no number", text));
  to = *number;
  return {};
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

Status ParseTopology(const std::string& line, ScenarioFile& scenario) {
  const std::size_t cpus = line.find("cpus=");
  const std::size_t quote = line.find('"');
  const std::string shape = cpus != std::string::npos
                                ? "package:" + line.substr(cpus + 5)
                                : line.substr(quote + 1, line.rfind('"') - quote - 1);
  if (const auto parsed = CpusFromShape(shape); !parsed) return Fail(parsed.error());
  scenario.topology = testing::FreeTopology(shape);
  return {};
}

Status ParsePolicy(const std::vector<std::string>& words, ScenarioFile& scenario) {
  if (words.size() < 2) return Mistake("policy needs a name");
  scenario.policy.name = words[1];
  for (std::size_t i = 2; i < words.size(); ++i) {
    const KeyValue option = SplitOption(words[i]);
    scenario.policy.switches[option.key] = option.value;
  }
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
  if (words[0] == "topology") return ParseTopology(line, scenario);
  if (words[0] == "policy") return ParsePolicy(words, scenario);
  const std::string argument = words.size() == 2 ? words[1] : "";
  if (words[0] == "show") return ParseShow(argument, scenario);
  if (words[0] == "duration") return Assign(ParseTime(argument), scenario.duration);
  if (words[0] != "housekeeping") return Mistake(fmt::format("cannot read '{}'", line));
  SimDuration period{0};
  if (Status parsed = Assign(ParseTime(argument), period); !parsed) return parsed;
  scenario.topology.housekeeping_period_ns = period.count();
  return {};
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

class Printer final : public sim::Observer {
 public:
  void Switched(sim::SimTime at, sim::CpuNumber cpu, const sim::Task* /*previous*/,
                const sim::Task* task) override {
    const std::string what = task == nullptr ? "idle" : "run " + task->name;
    text_ += fmt::format("{} cpu{} {}\n", PrintTime(sim::Ns(at)), cpu, what);
  }
  void Woken(sim::SimTime, sim::CpuNumber, const sim::Task*, const sim::Task&) override {}
  void Created(sim::SimTime, sim::CpuNumber, const sim::Task*, const sim::Task&) override {}
  void OnlineChanged(sim::SimTime at, sim::CpuNumber cpu, bool is_online) override {
    text_ +=
        fmt::format("{} cpu{} {}\n", PrintTime(sim::Ns(at)), cpu, is_online ? "online" : "offline");
  }
  void Migrated(sim::SimTime, const sim::Task&, sim::CpuNumber, sim::CpuNumber) override {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct Output {
  std::string text;
  std::uint64_t digest = 0;
};

std::string Totals(const ScenarioFile& scenario, const sim::Scripted& workload) {
  std::string text;
  for (std::size_t i = 0; i < scenario.script.tasks.size(); ++i) {
    text += fmt::format("{} {}\n", scenario.script.tasks[i].name,
                        PrintTime(workload.WorkDone()[i].count()));
  }
  return text;
}

std::string Responses(const ScenarioFile& scenario, const sim::Scripted& workload) {
  std::string text;
  for (std::size_t i = 0; i < scenario.script.tasks.size(); ++i) {
    text += fmt::format("{} {} activations, the longest took {}\n", scenario.script.tasks[i].name,
                        workload.ActivationCounts()[i],
                        PrintTime(workload.LongestResponses()[i].count()));
  }
  return text;
}

std::string Refusals(const ScenarioFile& scenario, const sim::Scripted& workload) {
  std::string text;
  for (const sim::Scripted::Refusal& refusal : workload.refusals()) {
    text += fmt::format("{} {} refused: {}\n", PrintTime(sim::Ns(refusal.at)),
                        scenario.script.tasks[refusal.task].name, refusal.message);
  }
  return text;
}

Result<Output> RunOnce(const ScenarioFile& scenario) {
  sim::Scripted workload(scenario.script);
  Printer printer;
  const Result<RunResult> result = sim::Run({.topology = scenario.topology,
                                             .policy = scenario.policy,
                                             .duration = scenario.duration,
                                             .seed = 1,
                                             .observer = &printer,
                                             .hotplug = scenario.hotplug,
                                             .irq_sources = scenario.irq_sources},
                                            workload, {});
  if (!result) return Fail(result.error());
  std::string text = Refusals(scenario, workload);
  switch (scenario.show) {
    case ScenarioFile::Show::kSwitches:
      text += printer.text();
      break;
    case ScenarioFile::Show::kTotals:
      text += Totals(scenario, workload);
      break;
    case ScenarioFile::Show::kResponses:
      text += Responses(scenario, workload);
      break;
  }
  return Output{text, result->digest};
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
  return scenario;
}

Result<std::string> RunScenario(const ScenarioFile& scenario) {
  const Result<Output> first = RunOnce(scenario);
  if (!first) return Fail(first.error());
  const Result<Output> second = RunOnce(scenario);
  if (!second) return Fail(second.error());
  if (first->digest != second->digest) {
    return Fail(ErrorCode::kInternal, "two runs of it have different digests");
  }
  return first->text;
}

}  // namespace schedlab::scenarios
