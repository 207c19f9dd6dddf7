#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/result.h"
#include "core/scenario.h"
#include "core/workload_document.h"
#include "sim/parameters.h"
#include "sim/workload.h"

namespace schedlab::sim {

// The generator that `spec` names; `document` is what that carries, parsed. kInvalidArgument names
// what is unknown, missing or out of bounds.
Result<std::unique_ptr<Workload>> MakeWorkload(const WorkloadSpec& spec, std::uint64_t seed,
                                               std::int32_t cpu_count,
                                               const WorkloadDocument& document = {});

// The parameters of a workload; empty where there is no such workload.
std::span<const ParameterRule> ParameterRulesOf(std::string_view workload);

}  // namespace schedlab::sim
