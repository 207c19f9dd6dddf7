#include <fmt/format.h>

#include "sim/run.h"
#include "tests/scenarios/scenario_file.h"
#include "tests/scenarios/scenario_words.h"

namespace schedlab::scenarios {
namespace {

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
                                             .seed = scenario.seed,
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
