#include "sim/make_workload.h"

#include <fmt/format.h>

#include "sim/workloads/fs_mark.h"
#include "sim/workloads/hackbench.h"
#include "sim/workloads/replay.h"
#include "sim/workloads/spinners.h"
#include "sim/workloads/task_script.h"

namespace schedlab::sim {

namespace {

Status CheckCpus(const TaskScript& script, std::int32_t cpu_count) {
  for (const ScriptThread& thread : script.threads) {
    for (const ScriptPhase& phase : thread.phases) {
      for (const std::int32_t cpu : phase.cpus) {
        if (cpu < cpu_count) continue;
        return Fail(ErrorCode::kInvalidArgument,
                    fmt::format("thread '{}' of the script is to run on CPU {}; the machine has "
                                "CPUs 0 to {}",
                                thread.name, cpu, cpu_count - 1));
      }
    }
  }
  return {};
}

Result<std::unique_ptr<Workload>> MakeScript(const WorkloadDocument& document,
                                             const Parameters& parameters, std::int32_t cpu_count) {
  const TaskScript* const script = std::get_if<TaskScript>(&document);
  if (script == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "workload rt_app needs a script");
  }
  const Status on_machine = CheckCpus(*script, cpu_count);
  if (!on_machine) return Fail(on_machine.error());
  return std::make_unique<TaskScriptWorkload>(*script, parameters);
}

Result<std::unique_ptr<Workload>> MakeReplay(const WorkloadDocument& document,
                                             const Parameters& parameters) {
  const WorkloadTrace* const trace = std::get_if<WorkloadTrace>(&document);
  if (trace == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "workload replay needs a recorded trace");
  }
  return std::make_unique<Replay>(parameters, *trace);
}

}  // namespace

std::span<const ParameterRule> ParameterRulesOf(std::string_view workload) {
  if (workload == "fs_mark") return FsMark::kRules;
  if (workload == "hackbench") return Hackbench::kRules;
  if (workload == "replay") return Replay::kRules;
  if (workload == "rt_app") return TaskScriptWorkload::kRules;
  if (workload == "spinners") return Spinners::kRules;
  return {};
}

Result<std::unique_ptr<Workload>> MakeWorkload(const WorkloadSpec& spec, std::uint64_t seed,
                                               std::int32_t cpu_count,
                                               const WorkloadDocument& document) {
  const std::span<const ParameterRule> rules = ParameterRulesOf(spec.name);
  if (rules.empty()) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("there is no workload '{}'; the simulator has fs_mark, hackbench, replay, "
                    "rt_app and spinners",
                    spec.name));
  }
  const Result<Parameters> parameters = Parameters::Resolve(spec, rules);
  if (!parameters) return Fail(parameters.error());
  if (spec.name == "fs_mark") return std::make_unique<FsMark>(*parameters, seed, cpu_count);
  if (spec.name == "hackbench") return std::make_unique<Hackbench>(*parameters, seed);
  if (spec.name == "replay") return MakeReplay(document, *parameters);
  if (spec.name == "rt_app") return MakeScript(document, *parameters, cpu_count);
  return std::make_unique<Spinners>(*parameters, cpu_count);
}

}  // namespace schedlab::sim
