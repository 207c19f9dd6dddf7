#include "sim/make_workload.h"

#include <fmt/format.h>

#include "sim/workloads/fs_mark.h"
#include "sim/workloads/hackbench.h"
#include "sim/workloads/replay.h"
#include "sim/workloads/spinners.h"

namespace schedlab::sim {

std::span<const ParameterRule> ParameterRulesOf(std::string_view workload) {
  if (workload == "fs_mark") return FsMark::kRules;
  if (workload == "hackbench") return Hackbench::kRules;
  if (workload == "replay") return Replay::kRules;
  if (workload == "spinners") return Spinners::kRules;
  return {};
}

Result<std::unique_ptr<Workload>> MakeWorkload(const WorkloadSpec& spec, std::uint64_t seed,
                                               std::int32_t cpu_count) {
  const std::span<const ParameterRule> rules = ParameterRulesOf(spec.name);
  if (rules.empty()) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("there is no workload '{}'; the simulator has fs_mark, hackbench, replay "
                    "and spinners",
                    spec.name));
  }
  const Result<Parameters> parameters = Parameters::Resolve(spec, rules);
  if (!parameters) return Fail(parameters.error());
  if (spec.name == "fs_mark") return std::make_unique<FsMark>(*parameters, seed, cpu_count);
  if (spec.name == "hackbench") return std::make_unique<Hackbench>(*parameters, seed);
  if (spec.name == "replay") return MakeReplay(*parameters, spec.document);
  return std::make_unique<Spinners>(*parameters, cpu_count);
}

}  // namespace schedlab::sim
