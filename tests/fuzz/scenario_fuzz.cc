#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/check.h"
#include "sim/run.h"
#include "tests/scenarios/scenario_file.h"

namespace schedlab::scenarios {
namespace {

// Larger runs would be slow, not other.
constexpr std::size_t kMaxCpus = 16;
constexpr std::size_t kMaxTasks = 64;
constexpr std::int64_t kMaxEvents = 5'000;
constexpr sim::SimDuration kMaxDuration{20'000'000};

// Whatever was accepted can be executed, or is refused in words.
void Execute(const ScenarioFile& scenario) {
  if (scenario.topology.cpus.size() > kMaxCpus) return;
  if (scenario.script.tasks.size() > kMaxTasks) return;
  sim::Scripted workload(scenario.script);
  const Result<RunResult> result = sim::Run({.topology = scenario.topology,
                                             .policy = scenario.policy,
                                             .duration = std::min(scenario.duration, kMaxDuration),
                                             .seed = scenario.seed,
                                             .event_limit = kMaxEvents,
                                             .hotplug = scenario.hotplug,
                                             .irq_sources = scenario.irq_sources},
                                            workload, {});
  if (result) return;
  SCHEDLAB_CHECK(result.error().code == ErrorCode::kInvalidArgument);
  SCHEDLAB_CHECK(!result.error().message.empty());
}

}  // namespace
}  // namespace schedlab::scenarios

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(bytes, bytes + size);
  const auto scenario = schedlab::scenarios::ParseScenario(text);
  if (scenario) {
    schedlab::scenarios::Execute(*scenario);
  } else {
    SCHEDLAB_CHECK(!scenario.error().message.empty());
  }
  return 0;
}
