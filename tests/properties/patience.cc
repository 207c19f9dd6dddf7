#include "tests/properties/patience.h"

#include <algorithm>
#include <variant>

#include "sim/fair/switches.h"
#include "sim/fair/tunables.h"
#include "sim/reference/switches.h"
#include "sim/task.h"

namespace schedlab::properties {
namespace {

using scenarios::ScenarioFile;
using sim::SimDuration;

// A group weighs at least this much on a CPU, whatever its shares.
constexpr double kLeastGroupWeight = 2;

SimDuration TickOf(const ScenarioFile& file) {
  return SimDuration{1'000'000'000 / file.topology.tick_hz};
}

double WeightOf(const SchedAttributes& attributes) {
  const bool is_idle = attributes.policy == SchedPolicy::kIdle;
  return static_cast<double>(is_idle ? sim::fair::kWeightOfIdlePolicy
                                     : sim::fair::WeightOf(attributes.nice));
}

// Of all that a task is in the course of a run.
struct Weights {
  double least = 0;
  double most = 0;
};

Weights WeightsOf(const ScenarioFile& file, std::size_t number) {
  const double first = WeightOf(file.script.tasks[number].attributes);
  Weights weights{first, first};
  for (const sim::ScriptedChange& change : file.script.changes) {
    const auto* attributes = std::get_if<sim::AttributesChange>(&change.what);
    if (attributes == nullptr || attributes->task != number) continue;
    weights.least = std::min(weights.least, WeightOf(attributes->value));
    weights.most = std::max(weights.most, WeightOf(attributes->value));
  }
  return weights;
}

bool IsEverInAGroup(const ScenarioFile& file, std::size_t number) {
  if (file.script.tasks[number].group != 0) return true;
  return std::any_of(file.script.changes.begin(), file.script.changes.end(),
                     [&](const sim::ScriptedChange& change) {
                       const auto* group = std::get_if<sim::GroupChange>(&change.what);
                       return group != nullptr && group->task == number;
                     });
}

SimDuration LinuxTurn(const ScenarioFile& file) {
  const auto switches = sim::fair::ParseSwitches(file.policy).value();
  const auto cpu_count = static_cast<std::int32_t>(file.topology.cpus.size());
  const auto tunables = sim::fair::MakeTunables(switches, cpu_count);
  SimDuration turn = std::max({tunables.latency, tunables.min_granularity, tunables.base_slice});
  for (const sim::ScriptedTask& task : file.script.tasks) {
    turn = std::max(turn, sim::fair::OwnSliceOf(switches, task.attributes));
  }
  return turn + TickOf(file);
}

}  // namespace

SimDuration Patience(const ScenarioFile& file) {
  const std::string& name = ImplementationOf(file.policy);
  if (name == "linux-fair") return LinuxTurn(file);
  if (name != "round-robin") return sim::kEndless;  // the others run to completion
  const auto switches =
      sim::ParseKnownSwitches(file.policy, sim::reference::RoundRobinSwitches()).value();
  return sim::reference::LengthOf(switches.quantum) + TickOf(file);
}

SimDuration PatienceOf(const ScenarioFile& file, std::size_t number, SimDuration turn) {
  if (turn == sim::kEndless) return turn;
  const auto task_count = static_cast<double>(file.script.tasks.size());
  double turns = task_count;
  if (ImplementationOf(file.policy) == "linux-fair") {
    double all = 0;
    for (std::size_t i = 0; i < file.script.tasks.size(); ++i) all += WeightsOf(file, i).most;
    const double own = WeightsOf(file, number).least;
    turns += all / own;
    // Its groups may weigh next to nothing where it is.
    if (IsEverInAGroup(file, number)) turns *= 1 + all / kLeastGroupWeight;
  }
  // Interrupts take half of a CPU at most.
  const double bound = 2 * turns * static_cast<double>(turn.count());
  return SimDuration(
      static_cast<std::int64_t>(std::min(bound, static_cast<double>(sim::kEndless.count()))));
}

}  // namespace schedlab::properties
