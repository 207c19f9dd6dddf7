#pragma once

#include <string>
#include <string_view>

#include "core/job.h"
#include "core/policy_spec.h"
#include "core/result.h"
#include "core/run.h"
#include "core/scenario.h"

namespace schedlab {

// The canonical JSON of a value: keys in order, no white space, so that equal values have equal
// text. It is what is stored, and what digests are taken of. Parsing fails with kInvalidArgument.
std::string ToJson(const Topology& topology);
std::string ToJson(const Scenario& scenario);
std::string ToJson(const PolicySpec& policy);
std::string ToJson(const JobSpec& spec);

Result<Scenario> ScenarioFromJson(std::string_view text);
Result<PolicySpec> PolicySpecFromJson(std::string_view text);
Result<JobSpec> JobSpecFromJson(std::string_view text);

// SHA-256 of `text` as 64 hex digits.
std::string Sha256Hex(std::string_view text);

// Digest of a whole scenario; part of a series' key.
std::string ScenarioDigest(const Scenario& scenario);

// The key under which a run's result is cached: digest of everything that determines it.
struct RunKeySource {
  Executor executor = Executor::kSim;
  std::string_view engine_version;
  std::string_view policy_json;      // ToJson(PolicySpec)
  std::string_view scenario_digest;  // ScenarioDigest()
  std::int64_t seed = 0;
};
std::string RunKey(const RunKeySource& source);

}  // namespace schedlab
