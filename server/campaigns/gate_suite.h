#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/campaign.h"
#include "core/catalog.h"
#include "core/expansion.h"
#include "core/job.h"
#include "core/result.h"

namespace schedlab::server {

// Repetitions that a gate may ask for of one side: those of its last look, and repeats of outlying
// runs.
inline constexpr std::int32_t kMaxGateRepetitions = 16;

enum GateSide : std::size_t { kBaselineSide = 0, kCandidateSide = 1 };

// One policy in one scenario: the runs of its two sides measure all of its metrics.
struct GateArm {
  std::size_t policy_index = 0;    // of GateSuite::spec
  std::size_t topology_index = 0;  // likewise
  std::size_t workload_index = 0;  // likewise
  std::string variant;
  std::string scenario_digest;
  std::array<std::vector<std::string>, 2> keys;  // of its runs, by side and repetition
  std::vector<std::string> metrics;              // that are judged
};

// What a gate runs, with every name looked up.
struct GateSuite {
  JobSpec spec;  // policies without revisions
  std::string engine_version;
  std::vector<MetricSpec> metrics;
  std::vector<GateArm> arms;  // by policy, topology, workload
};

// The suite as one side runs it: an A/A evaluation's candidate differs from its baseline in its
// noise alone.
JobSpec SpecOfSide(const JobSpec& suite, const GateSides& sides, GateSide side);

// Those that have one. kInvalidArgument where there is none: nothing could be compared.
Result<std::vector<PolicySelection>> PoliciesWithHistory(const Catalog& catalog,
                                                         const JobSpec& suite);

// Errors are those of Expand(). kResourceExhausted: more than kMaxGateCells cells.
Result<GateSuite> ExpandGate(const Catalog& catalog, const GateCampaign& gate);

}  // namespace schedlab::server
