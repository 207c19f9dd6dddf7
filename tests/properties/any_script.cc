#include "tests/properties/any_script.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/random_stream.h"

namespace schedlab::properties {
namespace {

using sim::RandomStream;
using sim::Script;
using sim::ScriptedGroup;
using sim::ScriptedTask;
using sim::ScriptStep;
using sim::SimDuration;

constexpr SimDuration kMs{1'000'000};

std::size_t Index(RandomStream& random, std::size_t count) {
  return static_cast<std::size_t>(random.Below(static_cast<std::int64_t>(count)));
}

// From a microsecond to some milliseconds, short ones as often as long ones.
SimDuration AnyTime(RandomStream& random) {
  const std::int64_t most = std::int64_t{1} << (10 + random.Below(13));
  return SimDuration(1'000 + random.Below(most));
}

SchedAttributes AnyFairAttributes(RandomStream& random) {
  SchedAttributes attributes;
  const std::int64_t draw = random.Below(10);
  if (draw == 0) attributes.policy = SchedPolicy::kBatch;
  if (draw == 1) attributes.policy = SchedPolicy::kIdle;
  if (random.OneIn1000(400)) attributes.nice = static_cast<std::int32_t>(random.Below(40) - 20);
  if (random.OneIn1000(200)) attributes.slice_ns = 100'000 + random.Below(20'000'000);
  return attributes;
}

SchedAttributes AnyAttributes(RandomStream& random, const ScriptScope& scope) {
  SchedAttributes attributes = AnyFairAttributes(random);
  if (!scope.all_classes) return attributes;
  const std::int64_t draw = random.Below(10);
  if (draw == 0 || draw == 1) {
    attributes.policy = draw == 0 ? SchedPolicy::kFifo : SchedPolicy::kRoundRobin;
    attributes.rt_priority = static_cast<std::int32_t>(1 + random.Below(draw == 0 ? 99 : 3));
  } else if (draw == 2) {
    attributes.policy = SchedPolicy::kDeadline;
    attributes.period_ns = (2 + random.Below(40)) * kMs.count();
    attributes.runtime_ns = attributes.period_ns / (2 + random.Below(20));
    attributes.deadline_ns = attributes.period_ns / (1 + random.Below(2));
  }
  return attributes;
}

// Who spins needs somebody who goes on releasing him.
ScriptStep AnyStep(RandomStream& random, std::size_t task_count, bool may_spin) {
  using Kind = ScriptStep::Kind;
  switch (random.Below(may_spin ? 14 : 12)) {
    case 12:
      return {.kind = Kind::kSpin};
    case 13:
      return {.kind = Kind::kRelease, .target = Index(random, task_count)};
    case 0:
    case 1:
    case 2:
      return {.kind = Kind::kSleep, .duration = AnyTime(random)};
    case 3:
      return {.kind = Kind::kYield};
    case 4:
      return {.kind = Kind::kExec};
    case 5:
      return {.kind = Kind::kWake, .target = Index(random, task_count)};
    case 6:
      return {.kind = Kind::kWakeSync, .target = Index(random, task_count)};
    case 7:
      return {.kind = Kind::kSleepUntil, .duration = 10 * AnyTime(random)};
    case 8:
      return {.kind = Kind::kRunFor, .duration = AnyTime(random)};
    case 9:
      return {.kind = random.OneIn1000(500) ? Kind::kBlock : Kind::kYield};
    default:
      return {.kind = Kind::kRun, .duration = AnyTime(random)};
  }
}

std::vector<sim::CpuNumber> AnyCpus(RandomStream& random, std::int32_t cpu_count) {
  std::vector<sim::CpuNumber> cpus;
  const std::int64_t permille = 100 + random.Below(800);
  for (sim::CpuNumber cpu = 0; cpu < cpu_count; ++cpu) {
    if (random.OneIn1000(permille)) cpus.push_back(cpu);
  }
  if (cpus.empty()) cpus.push_back(static_cast<sim::CpuNumber>(random.Below(cpu_count)));
  return cpus;
}

ScriptedTask AnyTask(RandomStream& random, const ScriptScope& scope, std::size_t number,
                     std::size_t task_count) {
  ScriptedTask task;
  task.name = fmt::format("t{}", number);
  task.attributes = AnyAttributes(random, scope);
  if (random.OneIn1000(400)) task.arrival = SimDuration{1'000} * random.Below(60'000);
  if (random.OneIn1000(250)) task.cpus = AnyCpus(random, scope.cpu_count);
  if (random.OneIn1000(400)) {
    const auto any_cpu = static_cast<sim::CpuNumber>(random.Below(scope.cpu_count));
    task.start_cpu = task.cpus.empty() ? any_cpu : task.cpus[Index(random, task.cpus.size())];
  }
  if (scope.endless && random.OneIn1000(400)) {
    task.steps.push_back({.kind = ScriptStep::Kind::kRun, .duration = sim::kEndless});
    return task;
  }
  task.steps.push_back({.kind = ScriptStep::Kind::kRun, .duration = AnyTime(random)});
  for (std::int64_t steps = random.Below(6); steps > 0; --steps) {
    task.steps.push_back(AnyStep(random, task_count, scope.endless));
  }
  task.repeat_count = scope.endless && random.OneIn1000(600) ? 0 : 1 + random.Below(12);
  return task;
}

ScriptedGroup AnyGroup(RandomStream& random, const ScriptScope& scope, std::size_t number) {
  ScriptedGroup group;
  group.name = fmt::format("g{}", number);
  group.parent = Index(random, number);
  group.shares = std::int64_t{1} << (1 + random.Below(13));
  if (random.OneIn1000(200)) group.cpus = AnyCpus(random, scope.cpu_count);
  if (scope.quotas && random.OneIn1000(250)) {
    group.period = (10 + random.Below(100)) * kMs;
    group.quota = (1 + random.Below(60)) * kMs;
  }
  return group;
}

// Each of one thing, as a line of a scenario file says it.
sim::ScriptedChange AnyChange(RandomStream& random, const ScriptScope& scope,
                              const Script& script) {
  sim::ScriptedChange change;
  change.at = SimDuration{1'000} * random.Below(100'000);
  const std::size_t task = Index(random, script.tasks.size());
  SchedAttributes attributes = script.tasks[task].attributes;
  switch (random.Below(script.groups.empty() ? 3 : 5)) {
    case 0:
      attributes.nice = static_cast<std::int32_t>(random.Below(40) - 20);
      change.what = sim::AttributesChange{.task = task, .value = attributes};
      break;
    case 1: {
      const SchedAttributes other = AnyAttributes(random, scope);
      attributes.policy = other.policy;
      if (IsRealTime(other.policy)) attributes.rt_priority = other.rt_priority;
      if (other.policy == SchedPolicy::kDeadline) {
        attributes.runtime_ns = other.runtime_ns;
        attributes.deadline_ns = other.deadline_ns;
        attributes.period_ns = other.period_ns;
      }
      change.what = sim::AttributesChange{.task = task, .value = attributes};
      break;
    }
    case 2:
      change.what = sim::AffinityChange{.task = task, .cpus = AnyCpus(random, scope.cpu_count)};
      break;
    case 3:
      change.what =
          sim::GroupChange{.task = task, .group = Index(random, script.groups.size() + 1)};
      break;
    default: {
      const std::size_t group = Index(random, script.groups.size());
      ScriptedGroup value = script.groups[group];
      value.shares = std::int64_t{1} << (1 + random.Below(13));
      if (random.OneIn1000(500)) value.cpus = AnyCpus(random, scope.cpu_count);
      change.what = sim::SettingsChange{.group = group + 1, .value = value};
      break;
    }
  }
  return change;
}

bool IsOfItself(const ScriptedTask& task) {
  return std::all_of(task.steps.begin(), task.steps.end(), [](const ScriptStep& step) {
    return step.kind == ScriptStep::Kind::kRun || step.kind == ScriptStep::Kind::kSleep;
  });
}

// Now and then more tasks of one kind than a balancer looks at in one go (32), the most of them in
// one group and on one CPU. Of a stream of its own: the other tasks are the same without it.
void AddCrowd(std::uint64_t seed, Script& script) {
  RandomStream random(seed, "crowd");
  if (!random.OneIn1000(40)) return;
  const ScriptedTask& one = script.tasks[Index(random, script.tasks.size())];
  if (!IsOfItself(one) || one.attributes.policy == SchedPolicy::kDeadline) return;
  ScriptedTask member = one;
  if (random.OneIn1000(700)) member.group = Index(random, script.groups.size() + 1);
  for (std::int64_t i = 33 + random.Below(100); i > 0; --i) {
    member.name = fmt::format("t{}", script.tasks.size());
    script.tasks.push_back(member);
  }
}

}  // namespace

Script AnyScript(std::uint64_t seed, const ScriptScope& scope) {
  RandomStream random(seed, "script");
  Script script;
  if (random.OneIn1000(400)) {
    for (std::size_t number = 1 + Index(random, 4); number > 0; --number) {
      script.groups.push_back(AnyGroup(random, scope, script.groups.size() + 1));
    }
  }
  const std::int64_t most = random.OneIn1000(100) ? 64 : 16;
  const auto task_count = static_cast<std::size_t>(1 + random.Below(most));
  for (std::size_t i = 0; i < task_count; ++i) {
    ScriptedTask& task = script.tasks.emplace_back(AnyTask(random, scope, i, task_count));
    if (random.OneIn1000(500)) task.group = Index(random, script.groups.size() + 1);
  }
  AddCrowd(seed, script);
  if (!random.OneIn1000(400)) return script;
  for (std::int64_t i = 1 + random.Below(12); i > 0; --i) {
    script.changes.push_back(AnyChange(random, scope, script));
  }
  return script;
}

}  // namespace schedlab::properties
