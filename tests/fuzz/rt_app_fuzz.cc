#include <cstddef>
#include <cstdint>
#include <string>

#include "core/check.h"
#include "ingest/rt_app.h"
#include "sim/run.h"
#include "sim/workloads/task_script.h"
#include "tests/support/topologies.h"

namespace schedlab {
namespace {

// Larger runs would be slow, not other.
constexpr std::int64_t kMaxTasks = 64;
constexpr std::int64_t kMaxEvents = 20'000;
constexpr std::int32_t kCpuCount = 4;

bool FitsTheMachine(const TaskScript& script) {
  for (const ScriptThread& thread : script.threads) {
    for (const ScriptPhase& phase : thread.phases) {
      for (const std::int32_t cpu : phase.cpus) {
        if (cpu >= kCpuCount) return false;
      }
    }
  }
  return true;
}

// Whatever was accepted can be executed.
void Execute(const TaskScript& script) {
  const sim::Parameters parameters = sim::Parameters::Resolve({.name = "rt_app", .parameters = {}},
                                                              sim::TaskScriptWorkload::kRules)
                                         .value();
  sim::TaskScriptWorkload workload(script, parameters);
  if (workload.Demand().count > kMaxTasks || !FitsTheMachine(script)) return;
  const Topology topology = testing::FreeTopology("numa:2 core:2");
  const PolicySpec policy{.name = "linux-fair", .revision = "", .variant = "", .switches = {}};
  const Result<RunResult> result = sim::Run({.topology = topology,
                                             .policy = policy,
                                             .duration = sim::SimDuration(20'000'000),
                                             .event_limit = kMaxEvents},
                                            workload, {});
  SCHEDLAB_CHECK(result.has_value());
}

}  // namespace
}  // namespace schedlab

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(bytes, bytes + size);
  const auto file = schedlab::ingest::ParseRtApp(text);
  if (file) {
    schedlab::Execute(file->script);
  } else {
    SCHEDLAB_CHECK(file.error().code == schedlab::ErrorCode::kInvalidArgument);
    SCHEDLAB_CHECK(!file.error().message.empty());
  }
  return 0;
}
