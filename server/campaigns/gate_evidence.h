#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/job.h"
#include "server/campaigns/failed_runs.h"
#include "server/campaigns/gate_suite.h"
#include "server/comparison_rows.h"
#include "server/store/campaign_store.h"

namespace schedlab::server {

struct MeasuredRun {
  std::int32_t round = 0;
  std::int32_t repetition = 0;
  const CampaignRun* run = nullptr;
};

// What is known of one side of an arm.
struct SideEvidence {
  std::vector<MeasuredRun> measured;  // in the order in which rounds asked for them
  std::int32_t asked_count = 0;       // repetitions that were asked for, from the first on
  std::int64_t failed_count = 0;      // tries, not repetitions
  std::string first_failure;
};

struct ArmEvidence {
  std::array<SideEvidence, 2> sides;

  bool is_given_up() const;
  // Why, where it is.
  std::string WhyGivenUp() const;
};

// Parallel to the arms of the suite; borrows the runs. Runs of another catalog or engine have keys
// that are none of the suite's, and count for nothing.
std::vector<ArmEvidence> EvidenceOf(const GateSuite& suite, const std::vector<CampaignRun>& runs);

// The values of a metric in the order of the runs; in kPaired mode those of repetitions that both
// sides have, in order of repetition. A run without the metric is left out.
Sides SamplesOf(const ArmEvidence& arm, const std::string& metric, SeedMode mode);

// Whether both sides have runs, and none of them reports the metric: the scenario has no such
// result.
bool IsReportedNowhere(const ArmEvidence& arm, const std::string& metric);

// Whether some run succeeded without reporting the metric.
bool IsUnreported(const ArmEvidence& arm, const std::string& metric);

}  // namespace schedlab::server
