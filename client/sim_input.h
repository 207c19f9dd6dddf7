#pragma once

#include <cstdint>
#include <string>

#include "client/commands/commands.h"
#include "core/catalog.h"
#include "core/policy_spec.h"
#include "core/result.h"
#include "core/scenario.h"
#include "core/workload_document.h"

namespace schedlab::client {

// What one simulated run needs.
struct SimInput {
  Scenario scenario;
  PolicySpec policy;
  std::uint64_t seed = 0;
  WorkloadDocument document{};  // of the workload
  std::int64_t event_limit = sim::kDefaultEventLimit;
};

// Looks up every name that the options of a `schedlab sim` command give. kInvalidArgument and
// kNotFound name what is wrong.
Result<SimInput> ResolveSimInput(const Catalog& catalog, const SimRunOptions& options);

// The policy with its revision, or where none is named, the newest one whose switches are those
// that it has: "linux-fair, no revision named: its switches are those of v3.11".
std::string DescribePolicy(const Catalog& catalog, const PolicySpec& policy);

// "kvm-16x1 fs_mark linux-fair@v3.11 seed 1": what was run, in the words of its options.
std::string DescribeSimInput(const SimRunOptions& options);

}  // namespace schedlab::client
