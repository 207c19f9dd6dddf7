#include "tests/scenarios/scenario_file.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "sim/run.h"
#include "tests/support/topologies.h"

namespace schedlab::scenarios {
namespace {

using sim::SimDuration;

constexpr std::string_view kSeparator = "----\n";

tl::unexpected<Error> Mistake(const std::string& what) {
  return Fail(ErrorCode::kInvalidArgument, what);
}

template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<SimDuration> ParseTime(std::string_view text) {
  static const std::map<std::string_view, std::int64_t> kUnits = {
      {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == std::string_view::npos) return std::nullopt;
  const auto unit = kUnits.find(text.substr(digits));
  const auto count = ParseNumber<std::int64_t>(text.substr(0, digits));
  if (unit == kUnits.end() || !count) return std::nullopt;
  return SimDuration(*count * unit->second);
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    const std::size_t first = part.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    parts.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
  }
  return parts;
}

struct KeyValue {
  std::string key;
  std::string value;
};

KeyValue SplitOption(const std::string& option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos) return {option, ""};
  return {option.substr(0, equals), option.substr(equals + 1)};
}

Status ParseOption(const KeyValue& option, sim::ScriptedTask& task) {
  const std::string& value = option.value;
  if (option.key == "arrive") {
    const auto time = ParseTime(value);
    if (!time) return Mistake(fmt::format("arrive={} is no time", value));
    task.arrival = *time;
    return {};
  }
  if (option.key == "cpus") {
    for (const std::string& cpu : Split(value, ',')) {
      const auto number = ParseNumber<std::int32_t>(cpu);
      if (!number) return Mistake(fmt::format("'{}' is no CPU", cpu));
      task.cpus.push_back(*number);
    }
    return {};
  }
  const auto number = ParseNumber<std::int32_t>(value == "forever" ? "0" : value);
  if (!number) return Mistake(fmt::format("{}={} is no number", option.key, value));
  if (option.key == "nice") {
    task.nice = *number;
  } else if (option.key == "start") {
    task.start_cpu = *number;
  } else if (option.key == "repeat") {
    task.repeat_count = *number;
  } else {
    return Mistake(fmt::format("a task has no '{}'", option.key));
  }
  return {};
}

using TaskNumbers = std::map<std::string, std::size_t>;

Status ParseStep(const std::string& text, const TaskNumbers& numbers, sim::ScriptedTask& task) {
  using Kind = sim::ScriptStep::Kind;
  const std::vector<std::string> words = Split(text, ' ');
  if (words.size() == 1 && words[0] == "block") {
    task.steps.push_back({.kind = Kind::kBlock});
    return {};
  }
  if (words.size() != 2) return Mistake(fmt::format("'{}' is no step", text));
  if (words[0] == "wake") {
    const auto target = numbers.find(words[1]);
    if (target == numbers.end()) return Mistake(fmt::format("there is no task '{}'", words[1]));
    task.steps.push_back({.kind = Kind::kWake, .target = target->second});
    return {};
  }
  const auto time = ParseTime(words[1]);
  if (!time) return Mistake(fmt::format("'{}' is no time", words[1]));
  if (words[0] != "run" && words[0] != "sleep")
    return Mistake(fmt::format("'{}' is no step", text));
  task.steps.push_back({.kind = words[0] == "run" ? Kind::kRun : Kind::kSleep, .duration = *time});
  return {};
}

Status ParseTask(const std::string& line, const TaskNumbers& numbers, ScenarioFile& scenario) {
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) return Mistake("a task needs ':' and its steps");
  const std::vector<std::string> words = Split(line.substr(0, colon), ' ');
  sim::ScriptedTask& task = scenario.tasks.emplace_back();
  task.name = words[1];
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (Status parsed = ParseOption(SplitOption(words[i]), task); !parsed) return parsed;
  }
  for (const std::string& step : Split(line.substr(colon + 1), ',')) {
    if (Status parsed = ParseStep(step, numbers, task); !parsed) return parsed;
  }
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

Status ParseLine(const std::string& line, const TaskNumbers& numbers, ScenarioFile& scenario) {
  const std::vector<std::string> words = Split(line, ' ');
  if (words.empty() || words[0].starts_with('#')) return {};
  if (words[0] == "task") return ParseTask(line, numbers, scenario);
  if (words[0] == "topology") return ParseTopology(line, scenario);
  if (words[0] == "policy") return ParsePolicy(words, scenario);
  const std::string argument = words.size() == 2 ? words[1] : "";
  if (words[0] == "show" && argument == "totals") {
    scenario.shows_totals = true;
    return {};
  }
  const auto time = ParseTime(argument);
  if (!time) return Mistake(fmt::format("cannot read '{}'", line));
  if (words[0] == "duration") {
    scenario.duration = *time;
    return {};
  }
  if (words[0] != "housekeeping") return Mistake(fmt::format("cannot read '{}'", line));
  scenario.topology.housekeeping_period_ns = time->count();
  return {};
}

TaskNumbers NumberTasks(const std::string& text) {
  TaskNumbers numbers;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const std::vector<std::string> words = Split(line, ' ');
    if (words.size() > 1 && words[0] == "task") numbers.emplace(words[1], numbers.size());
  }
  return numbers;
}

// Milliseconds without trailing zeros: "4ms", "1.25ms".
std::string PrintTime(std::int64_t ns) {
  std::string digits = fmt::format("{:06}", ns % 1'000'000);
  digits.erase(digits.find_last_not_of('0') + 1);
  return fmt::format("{}{}{}ms", ns / 1'000'000, digits.empty() ? "" : ".", digits);
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
  void Migrated(sim::SimTime, const sim::Task&, sim::CpuNumber, sim::CpuNumber) override {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct Output {
  std::string text;
  std::uint64_t digest = 0;
};

Result<Output> RunOnce(const ScenarioFile& scenario) {
  sim::Scripted workload(scenario.tasks);
  Printer printer;
  const Result<RunResult> result = sim::Run({.topology = scenario.topology,
                                             .policy = scenario.policy,
                                             .duration = scenario.duration,
                                             .seed = 1,
                                             .observer = &printer},
                                            workload, {});
  if (!result) return Fail(result.error());
  if (!scenario.shows_totals) return Output{printer.text(), result->digest};
  std::string totals;
  const std::vector<SimDuration> done = workload.WorkDone();
  for (std::size_t i = 0; i < done.size(); ++i) {
    totals += fmt::format("{} {}\n", scenario.tasks[i].name, PrintTime(done[i].count()));
  }
  return Output{totals, result->digest};
}

}  // namespace

Result<ScenarioFile> ParseScenario(const std::string& text) {
  const std::size_t separator = text.find(kSeparator);
  if (separator == std::string::npos) return Mistake("there is no line of four dashes");
  ScenarioFile scenario;
  scenario.text = text.substr(0, separator);
  scenario.expected = text.substr(separator + kSeparator.size());
  const TaskNumbers numbers = NumberTasks(scenario.text);
  std::istringstream stream(scenario.text);
  int line_number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++line_number;
    if (const Status parsed = ParseLine(line, numbers, scenario); !parsed) {
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
