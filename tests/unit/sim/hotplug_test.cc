#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/random_stream.h"
#include "tests/unit/sim/scripted_runs.h"

namespace schedlab::sim {
namespace {

constexpr std::int32_t kCpuCount = 6;

// CPUs go and come at random times; all are back by the end.
std::vector<HotplugEvent> Storm(std::uint64_t seed, SimDuration end) {
  RandomStream random(seed, "hotplug");
  std::vector<HotplugEvent> events;
  std::vector<bool> is_online(kCpuCount, true);
  std::int64_t online_count = kCpuCount;
  std::int64_t at = 0;
  while (true) {
    at += 1 + random.Below(20'000'000);
    if (at > end.count()) break;
    const auto cpu = static_cast<std::int32_t>(random.Below(kCpuCount));
    const auto index = static_cast<std::size_t>(cpu);
    if (is_online[index] && online_count == 1) continue;
    is_online[index] = !is_online[index];
    online_count += is_online[index] ? 1 : -1;
    events.push_back({.at_ns = at, .cpu = cpu, .is_online = is_online[index]});
  }
  for (std::int32_t cpu = 0; cpu < kCpuCount; ++cpu) {
    if (is_online[static_cast<std::size_t>(cpu)]) continue;
    events.push_back({.at_ns = end.count(), .cpu = cpu, .is_online = true});
  }
  return events;
}

SchedAttributes AnyAttributes(RandomStream& random) {
  switch (random.Below(6)) {
    case 0:
      return {.policy = SchedPolicy::kFifo,
              .rt_priority = static_cast<std::int32_t>(1 + random.Below(99))};
    case 1:
      return {.policy = SchedPolicy::kRoundRobin,
              .rt_priority = static_cast<std::int32_t>(1 + random.Below(3))};
    case 2: {
      const SimDuration period = (5 + random.Below(40)) * kMs;
      return Deadline(period / 10, period / (1 + random.Below(2)), period);
    }
    case 3:
      return {.policy = SchedPolicy::kBatch};
    default:
      return {.nice = static_cast<std::int32_t>(random.Below(40) - 20)};
  }
}

ScriptStep AnyStep(RandomStream& random, std::size_t task_count) {
  using Kind = ScriptStep::Kind;
  const SimDuration duration = (1 + random.Below(3'000)) * kUs;
  switch (random.Below(8)) {
    case 0:
    case 1:
      return {.kind = Kind::kSleep, .duration = duration};
    case 2:
      return {.kind = Kind::kYield};
    case 3:
      return {.kind = Kind::kExec};
    case 4:
      return {
          .kind = Kind::kWake,
          .target = static_cast<std::size_t>(random.Below(static_cast<std::int64_t>(task_count)))};
    default:
      return {.kind = Kind::kRun, .duration = duration};
  }
}

std::vector<CpuNumber> AnyCpus(RandomStream& random) {
  std::vector<CpuNumber> cpus;
  for (CpuNumber cpu = 0; cpu < kCpuCount; ++cpu) {
    if (random.OneIn1000(300)) cpus.push_back(cpu);
  }
  return cpus;
}

// Tasks of all classes with a fixed amount of work, some of them bound, some in a cpuset; their
// attributes, CPUs and groups change while they run.
Script AnyScript(std::uint64_t seed) {
  RandomStream random(seed, "script");
  Script script;
  script.groups.resize(2);
  script.groups[0] = {.name = "a", .cpus = {0, 1, 2}};
  script.groups[1] = {.name = "b", .parent = 1, .cpus = {2}};
  const auto count = static_cast<std::size_t>(4 + random.Below(12));
  for (std::size_t i = 0; i < count; ++i) {
    ScriptedTask& task = script.tasks.emplace_back();
    task.name = fmt::format("t{}", i);
    task.attributes = AnyAttributes(random);
    task.arrival = random.Below(50) * kMs;
    task.group = random.OneIn1000(250) ? static_cast<std::size_t>(1 + random.Below(2)) : 0;
    if (random.OneIn1000(400)) task.cpus = AnyCpus(random);
    task.steps.push_back({.kind = ScriptStep::Kind::kRun, .duration = 2 * kMs});
    for (std::int64_t steps = random.Below(5); steps > 0; --steps) {
      task.steps.push_back(AnyStep(random, count));
    }
    task.repeat_count = 1 + random.Below(12);
  }
  for (std::int64_t i = random.Below(20); i > 0; --i) {
    const auto task = static_cast<std::size_t>(random.Below(static_cast<std::int64_t>(count)));
    ScriptedChange& change = script.changes.emplace_back();
    change.at = random.Below(150) * kMs;
    std::vector<CpuNumber> cpus = AnyCpus(random);
    if (cpus.empty()) cpus = {0};
    switch (random.Below(4)) {
      case 0:
        change.what = AttributesChange{.task = task, .value = AnyAttributes(random)};
        break;
      case 1:
        change.what = AffinityChange{.task = task, .cpus = cpus};
        break;
      case 2:
        change.what = GroupChange{.task = task, .group = static_cast<std::size_t>(random.Below(3))};
        break;
      default:
        change.what = SettingsChange{.group = 1, .value = {.name = "a", .cpus = cpus}};
        break;
    }
  }
  return script;
}

SimDuration WorkOf(const ScriptedTask& task) {
  SimDuration work{0};
  for (const ScriptStep& step : task.steps) {
    if (step.kind == ScriptStep::Kind::kRun) work += step.duration;
  }
  return work * task.repeat_count;
}

struct Storms {
  std::string policy;
  std::map<std::string, std::string> switches;

  friend void PrintTo(const Storms& storms, std::ostream* out) { *out << storms.policy; }
};

class HotplugStormTest : public ::testing::TestWithParam<Storms> {};

// A run checks itself that its books add up: no task lost, and all time of all CPUs accounted for.
TEST_P(HotplugStormTest, EveryTaskDoesAllOfItsWork) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Script script = AnyScript(seed);
    const ScriptedSetup setup{
        .shape = "numa:2 core:3",
        .policy = BarePolicy(GetParam().policy, GetParam().switches),
        .duration = 20'000 * kMs,
        .seed = seed,
        .hotplug = Storm(seed, 400 * kMs),
        .irq_sources = {{.cpu = 1, .period_ns = 700'000, .duration_ns = 50'000}}};
    const ScriptedOutcome outcome = RunScript(setup, script);
    for (std::size_t i = 0; i < script.tasks.size(); ++i) {
      EXPECT_EQ(outcome.work_done[i], WorkOf(script.tasks[i])) << "seed " << seed << " task " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, HotplugStormTest,
                         ::testing::Values(Storms{"linux-fair", {}},
                                           Storms{"linux-fair",
                                                  {{"rt_throttling", "fair_server"},
                                                   {"deadline_enforcement", "exact"},
                                                   {"capacity_model", "pelt"}}},
                                           Storms{"global-fifo", {}}, Storms{"per-cpu-fifo", {}},
                                           Storms{"round-robin", {}}, Storms{"work-stealing", {}},
                                           Storms{"oracle", {}}),
                         [](const auto& storms) { return fmt::format("Number{}", storms.index); });

TEST(HotplugTest, OfflineTimeIsAccountedApart) {
  Script script;
  script.tasks = {Hog("a"), Hog("b")};
  const ScriptedOutcome outcome =
      RunScript({.shape = "package:2",
                 .policy = BarePolicy("linux-fair", {}),
                 .duration = 100 * kMs,
                 .hotplug = {{.at_ns = 20'000'000, .cpu = 1, .is_online = false},
                             {.at_ns = 60'000'000, .cpu = 1, .is_online = true}}},
                script);

  EXPECT_DOUBLE_EQ(outcome.result.metrics.at("offline_cpu_seconds"), 0.04);
  EXPECT_LE(outcome.work_done[0] + outcome.work_done[1], 160 * kMs);
  EXPECT_GE(outcome.work_done[0] + outcome.work_done[1], 150 * kMs);
}

TEST(HotplugTest, TheLastCpuCannotGo) {
  const Topology topology = testing::FreeTopology("package:2");
  const std::vector<HotplugEvent> events = {{.at_ns = 1, .cpu = 1, .is_online = false},
                                            {.at_ns = 2, .cpu = 0, .is_online = false}};

  EXPECT_EQ(Validate(events, topology, 1'000).error().message,
            "CPU 0 goes offline at 2 ns: it is the last one online");
}

TEST(HotplugTest, EventsThatMakeNoSenseAreRefusedAsTheyStand) {
  const Topology topology = testing::FreeTopology("package:2");
  const auto message = [&](const std::vector<HotplugEvent>& events) {
    return Validate(events, topology, 1'000'000'000).error().message;
  };

  EXPECT_EQ(message({{.at_ns = 1, .cpu = 2, .is_online = false}}),
            "CPU 2 goes offline at 1 ns: the machine has CPUs 0 to 1");
  EXPECT_EQ(message({{.at_ns = 1, .cpu = 1, .is_online = true}}),
            "CPU 1 goes online at 1 ns: it is so already");
  EXPECT_EQ(message({{.at_ns = 5, .cpu = 1, .is_online = false},
                     {.at_ns = 4, .cpu = 1, .is_online = true}}),
            "CPU 1 goes online at 4 ns: that is before 5 ns");
  EXPECT_EQ(message({{.at_ns = 1'000'000'000, .cpu = 1, .is_online = false}}),
            "CPU 1 goes offline at 1 s: the run ends at 1 s");
}

TEST(HotplugTest, InterruptSourcesMustLeaveTime) {
  const Topology topology = testing::FreeTopology("package:1");
  const std::vector<IrqSource> sources = {{.cpu = 0, .period_ns = 10, .duration_ns = 6},
                                          {.cpu = 0, .period_ns = 20, .duration_ns = 8}};

  EXPECT_EQ(Validate(sources, topology).error().message,
            "interrupts of 8 ns every 20 ns on CPU 0: they leave it no time");
}

TEST(HotplugTest, InterruptTimeIsMeasured) {
  Script script;
  script.tasks = {Hog("a")};
  const ScriptedOutcome outcome =
      RunScript({.shape = "package:2",
                 .policy = BarePolicy("linux-fair", {}),
                 .duration = 1'000 * kMs,
                 .irq_sources = {{.cpu = 0, .period_ns = 1'000'000, .duration_ns = 250'000}}},
                script);

  EXPECT_NEAR(outcome.result.metrics.at("irq_ratio"), 0.125, 0.001);
}

}  // namespace
}  // namespace schedlab::sim
