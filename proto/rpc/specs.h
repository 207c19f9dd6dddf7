#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/disturbance.h"
#include "core/executor.h"
#include "core/policy_spec.h"
#include "core/result.h"
#include "core/run.h"
#include "core/run_result.h"
#include "core/scenario.h"
#include "core/topology.h"
#include "schedlab/v1/specs.pb.h"

namespace schedlab::rpc {

// Every Decode of this folder fails with kInvalidArgument; the message begins with the path of the
// field, as in "job.repetitions must be from 1 to 1000, is 0". Decode(Encode(x)) is x, up to what
// the wire leaves out; a header says where that is so.

v1::Executor Encode(Executor executor);
Result<Executor> Decode(v1::Executor wire);

v1::PolicySpec Encode(const PolicySpec& policy);
Result<PolicySpec> Decode(const v1::PolicySpec& wire);

// Decode also checks what Validate(Topology) does.
v1::Topology Encode(const Topology& topology);
Result<Topology> Decode(const v1::Topology& wire);

v1::WorkloadSpec Encode(const WorkloadSpec& workload);
Result<WorkloadSpec> Decode(const v1::WorkloadSpec& wire);

// Whether they fit a topology is for the Validate() of the lists.
v1::HotplugEvent Encode(const HotplugEvent& event);
Result<HotplugEvent> Decode(const v1::HotplugEvent& wire);
v1::IrqSource Encode(const IrqSource& source);
Result<IrqSource> Decode(const v1::IrqSource& wire);

v1::Scenario Encode(const Scenario& scenario);
Result<Scenario> Decode(const v1::Scenario& wire);

v1::RunSpec Encode(const RunSpec& spec);
Result<RunSpec> Decode(const v1::RunSpec& wire);

v1::RunResult Encode(const RunResult& result);
Result<RunResult> Decode(const v1::RunResult& wire);

// A result's digest as 16 lower-case hex digits.
std::string DigestToHex(std::uint64_t digest);
Result<std::uint64_t> DigestFromHex(std::string_view text);

}  // namespace schedlab::rpc
