#include "tests/properties/shrink.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tests/properties/properties.h"

namespace schedlab::properties {
namespace {

// What kind of failure it is: a violation without its numbers, or that it has ended the process.
constexpr std::size_t kLongestKind = 300;
constexpr std::string_view kSound = "";
constexpr std::string_view kEnded = "ended";

std::string KindOf(const std::vector<std::string>& violations) {
  if (violations.empty()) return std::string(kSound);
  std::string kind = violations.front();
  std::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
  return kind.substr(0, kLongestKind);
}

// In a process of its own, which a broken invariant may end.
std::string FailureOf(const AnyScenario& scenario) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return std::string(kSound);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(2);
    const std::string kind = KindOf(Violations(scenario));
    _exit(write(ends[1], kind.data(), kind.size()) < 0 ? 2 : 0);
  }
  close(ends[1]);
  std::array<char, kLongestKind> text{};
  const ssize_t size = read(ends[0], text.data(), text.size());
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return std::string(kEnded);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

struct Shrinking {
  AnyScenario& scenario;
  const std::string failure;
};

// Keeps what `change` makes of the scenario if that still fails in the same way.
template <class Change>
bool Try(const Shrinking& shrinking, Change change) {
  AnyScenario smaller = shrinking.scenario;
  change(smaller.file);
  if (FailureOf(smaller) != shrinking.failure) return false;
  shrinking.scenario = smaller;
  return true;
}

// Takes out every part of a list that is not needed: halves, quarters, ... single members.
template <class Erase>
void ShrinkList(const Shrinking& shrinking, std::size_t size, Erase erase) {
  for (std::size_t step = (size + 1) / 2; step >= 1; step /= 2) {
    for (std::size_t from = 0; from < size;) {
      const std::size_t count = std::min(step, size - from);
      const bool smaller =
          Try(shrinking, [&](scenarios::ScenarioFile& file) { erase(file, from, count); });
      if (smaller) {
        size -= count;
      } else {
        from += count;
      }
    }
  }
}

template <class List>
void EraseRange(List& list, std::size_t from, std::size_t count) {
  const auto first = list.begin() + static_cast<std::ptrdiff_t>(from);
  list.erase(first, first + static_cast<std::ptrdiff_t>(count));
}

std::size_t* TaskOf(sim::ScriptedChange& change) {
  if (auto* one = std::get_if<sim::AttributesChange>(&change.what)) return &one->task;
  if (auto* one = std::get_if<sim::AffinityChange>(&change.what)) return &one->task;
  if (auto* one = std::get_if<sim::GroupChange>(&change.what)) return &one->task;
  return nullptr;
}

// What meant a task that is gone goes too, or means the first one.
void EraseTasks(scenarios::ScenarioFile& file, std::size_t from, std::size_t count) {
  sim::Script& script = file.script;
  if (script.tasks.size() <= count) return;
  EraseRange(script.tasks, from, count);
  const auto moved = [&](std::size_t task) {
    return task < from ? task : task < from + count ? 0 : task - count;
  };
  for (sim::ScriptedTask& task : script.tasks) {
    for (sim::ScriptStep& step : task.steps) step.target = moved(step.target);
  }
  std::erase_if(script.changes, [&](sim::ScriptedChange& change) {
    const std::size_t* const task = TaskOf(change);
    return task != nullptr && *task >= from && *task < from + count;
  });
  for (sim::ScriptedChange& change : script.changes) {
    if (std::size_t* const task = TaskOf(change)) *task = moved(*task);
  }
}

void EraseSwitches(scenarios::ScenarioFile& file, std::size_t from, std::size_t count) {
  auto first = std::next(file.policy.switches.begin(), static_cast<std::ptrdiff_t>(from));
  file.policy.switches.erase(first, std::next(first, static_cast<std::ptrdiff_t>(count)));
}

void ShrinkTasks(const Shrinking& shrinking) {
  const sim::Script& script = shrinking.scenario.file.script;
  for (std::size_t i = 0; i < script.tasks.size(); ++i) {
    Try(shrinking, [&](auto& file) { file.script.tasks[i].attributes = {}; });
    Try(shrinking, [&](auto& file) { file.script.tasks[i].cpus.clear(); });
    Try(shrinking, [&](auto& file) { file.script.tasks[i].group = 0; });
    Try(shrinking, [&](auto& file) { file.script.tasks[i].arrival = {}; });
    ShrinkList(shrinking, script.tasks[i].steps.size() - 1,
               [&](auto& file, std::size_t from, std::size_t count) {
                 EraseRange(file.script.tasks[i].steps, from + 1, count);
               });
  }
}

}  // namespace

AnyScenario Shrunk(const AnyScenario& scenario) {
  AnyScenario small = scenario;
  const Shrinking shrinking{small, FailureOf(small)};
  if (shrinking.failure == kSound) return small;
  ShrinkList(shrinking, small.file.script.tasks.size(), EraseTasks);
  ShrinkList(shrinking, small.file.script.changes.size(),
             [](auto& file, std::size_t from, std::size_t count) {
               EraseRange(file.script.changes, from, count);
             });
  ShrinkList(shrinking, small.file.hotplug.size(),
             [](auto& file, std::size_t from, std::size_t count) {
               EraseRange(file.hotplug, from, count);
             });
  ShrinkList(shrinking, small.file.irq_sources.size(),
             [](auto& file, std::size_t from, std::size_t count) {
               EraseRange(file.irq_sources, from, count);
             });
  ShrinkList(shrinking, small.file.policy.switches.size(), EraseSwitches);
  Try(shrinking, [](auto& file) { file.topology.costs = {}; });
  Try(shrinking, [](auto& file) { file.topology.housekeeping_period_ns = 0; });
  Try(shrinking, [](auto& file) {
    for (Cpu& cpu : file.topology.cpus) cpu.capacity = 1'024;
  });
  ShrinkTasks(shrinking);
  return small;
}

}  // namespace schedlab::properties
