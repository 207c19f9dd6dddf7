// What a run counts as events: changes of a task's or the scheduler's state. A tick that finds
// nothing to do is none, or a machine of busy CPUs would seem the faster to simulate the less
// happens on it.

#include "tests/unit/sim/scripted_runs.h"

namespace schedlab::sim {
namespace {

constexpr std::int64_t kTicksPerSecond = 250;

ScriptedTask Spinner(const std::string& name, CpuNumber cpu) {
  ScriptedTask task;
  task.name = name;
  task.cpus = {cpu};
  task.start_cpu = cpu;
  task.steps = {{.kind = ScriptStep::Kind::kRun, .duration = SimDuration(10'000'000'000)}};
  return task;
}

std::int64_t EventsOfASecond(const std::vector<ScriptedTask>& tasks, const std::string& shape) {
  const ScriptedSetup setup{.shape = shape,
                            .policy = ShippedPolicy("linux-fair-releases@v6.12"),
                            .duration = SimDuration(1'000'000'000)};
  Script script;
  script.tasks = tasks;
  return RunScript(setup, script).result.event_count;
}

TEST(EventCountTest, TicksOfCpusWithOneTaskEachAreNoEvents) {
  const std::int64_t events = EventsOfASecond({Spinner("a", 0), Spinner("b", 1)}, "package:2");

  EXPECT_GT(events, 0);
  EXPECT_LT(events, kTicksPerSecond / 10);
}

TEST(EventCountTest, ATickThatEndsATurnIsAnEvent) {
  const std::int64_t alone = EventsOfASecond({Spinner("a", 0)}, "package:1");
  const std::int64_t shared = EventsOfASecond({Spinner("a", 0), Spinner("b", 0)}, "package:1");

  EXPECT_GT(shared, alone + kTicksPerSecond / 4);
  EXPECT_LE(shared, alone + 2 * kTicksPerSecond);
}

TEST(EventCountTest, EachSleepOfATaskIsTwoOrThreeEvents) {
  constexpr std::int64_t kSleeps = 100;
  ScriptedTask sleeper;
  sleeper.name = "sleeper";
  sleeper.start_cpu = 0;
  sleeper.steps = {{.kind = ScriptStep::Kind::kRun, .duration = SimDuration(1'000)},
                   {.kind = ScriptStep::Kind::kSleep, .duration = SimDuration(1'000'000)}};
  sleeper.repeat_count = kSleeps;

  const std::int64_t events = EventsOfASecond({sleeper}, "package:1");

  EXPECT_GE(events, 2 * kSleeps);
  EXPECT_LE(events, 3 * kSleeps + 10);
}

}  // namespace
}  // namespace schedlab::sim
