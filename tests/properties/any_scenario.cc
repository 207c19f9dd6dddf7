#include "tests/properties/any_scenario.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/random_stream.h"
#include "tests/properties/any_machine.h"
#include "tests/properties/any_policy.h"
#include "tests/properties/any_script.h"

namespace schedlab::properties {
namespace {

using sim::SimDuration;

// Long enough for all work one after another on the slowest CPU, for classes and groups that get
// only a small part of it, and for all sleep: whoever has not done his work by then is lost.
SimDuration Horizon(const sim::Script& script) {
  SimDuration total{0};
  for (const sim::ScriptedTask& task : script.tasks) {
    total += task.arrival;
    for (const sim::ScriptStep& step : task.steps) total += step.duration * task.repeat_count;
  }
  return std::min(100 * total + SimDuration{100'000'000'000}, SimDuration{3'600'000'000'000});
}

Kind AnyKind(sim::RandomStream& random) {
  const std::int64_t draw = random.Below(10);
  return draw < 4 ? Kind::kFinite : draw < 8 ? Kind::kCalm : Kind::kWild;
}

// Whole milliseconds, so that things happen at the same instant, as they hardly ever do otherwise.
void KeepStep(sim::Script& script) {
  const auto rounded = [](SimDuration time) {
    constexpr SimDuration kStep{1'000'000};
    return time == sim::kEndless ? time : (time + kStep - SimDuration{1}) / kStep * kStep;
  };
  for (sim::ScriptedTask& task : script.tasks) {
    task.arrival = rounded(task.arrival);
    for (sim::ScriptStep& step : task.steps) step.duration = rounded(step.duration);
  }
}

}  // namespace

AnyScenario MakeAnyScenario(std::uint64_t seed) {
  sim::RandomStream random(seed, "kind");
  AnyScenario any{.kind = AnyKind(random), .file = {}};
  scenarios::ScenarioFile& file = any.file;
  file.seed = seed;
  file.show = scenarios::ScenarioFile::Show::kTotals;
  file.topology = AnyTopology(seed);
  file.policy = AnyPolicy(seed);
  const auto cpu_count = static_cast<std::int32_t>(file.topology.cpus.size());
  file.script = AnyScript(seed, {.cpu_count = cpu_count,
                                 .all_classes = any.kind != Kind::kCalm,
                                 .quotas = any.kind != Kind::kCalm,
                                 .endless = any.kind != Kind::kFinite});
  if (sim::RandomStream(seed, "step").OneIn1000(200)) KeepStep(file.script);
  const SimDuration active = SimDuration{(50 + random.Below(250)) * 1'000'000};
  file.duration = any.kind == Kind::kFinite ? Horizon(file.script) : active;
  if (random.OneIn1000(300)) file.hotplug = AnyHotplug(seed, cpu_count, active);
  if (random.OneIn1000(200)) file.irq_sources = AnyIrqSources(seed, cpu_count);
  return any;
}

}  // namespace schedlab::properties
