#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/bisection.h"
#include "core/clock.h"
#include "core/comparison.h"
#include "core/ids.h"
#include "core/job.h"
#include "core/series.h"

namespace schedlab {

// How a gate finds the revision that a candidate is compared with.
enum class BaselineRule { kMergeBase, kParent, kNewestMeasured, kExplicit };

// "merge-base", "parent", "newest" or "explicit".
std::string_view ToString(BaselineRule rule);

// Is the candidate worse than its baseline anywhere in the suite? The suite's repetitions, its
// yardsticks and the revisions of its policies are not read; policies without a history are left
// out.
struct GateQuestion {
  JobSpec suite;
  std::string candidate;  // one revision, as in PolicySelection::revisions
  BaselineRule baseline_rule = BaselineRule::kMergeBase;
  std::string baseline = {};  // kExplicit alone
  double false_discovery_rate = 0.05;

  friend bool operator==(const GateQuestion&, const GateQuestion&) = default;
};

// Which revisions a gate compares: settled once, when it is created.
struct GateSides {
  RevisionRef baseline;
  RevisionRef candidate;
  BaselineRule rule_taken = BaselineRule::kParent;
  std::int64_t commits_back = 0;  // from the candidate to the baseline

  friend bool operator==(const GateSides&, const GateSides&) = default;
};

struct GateCampaign {
  GateQuestion question;
  GateSides sides;

  friend bool operator==(const GateCampaign&, const GateCampaign&) = default;
};

// A headline metric of a scenario without samples of both sides, and why.
struct UnmeasuredCell {
  std::string policy;
  std::string variant;
  std::string topology;
  std::string workload;
  std::string metric;
  bool has_failed = false;  // else it was not run
  std::string reason;

  friend bool operator==(const UnmeasuredCell&, const UnmeasuredCell&) = default;
};

// Why a gate asks for no more runs; kOpen while it does.
enum class GateEnd { kOpen, kDecided, kLooksUsed, kBudgetSpent };

// "open", "decided", "looks used" or "budget spent".
std::string_view ToString(GateEnd end);

// What a gate found, so far or in the end.
struct GateAnswer {
  GateEnd end = GateEnd::kOpen;
  std::vector<ComparisonRow> rows = {};  // headline metrics, by topology, workload and metric
  std::vector<UnmeasuredCell> unmeasured = {};

  friend bool operator==(const GateAnswer&, const GateAnswer&) = default;
};

// Kinds of campaigns, parallel to one another: the question, and the answer to it.
using CampaignQuestion = std::variant<GateCampaign, BisectionCampaign>;
using CampaignAnswer = std::variant<GateAnswer, BisectionAnswer>;

// "gate" or "bisection".
std::string_view KindOf(const CampaignQuestion& question);

enum class CampaignState { kRunning, kFinished, kCancelled, kFailed };

// "running", "finished", "cancelled" or "failed".
std::string_view ToString(CampaignState state);

struct CampaignJob {
  std::int32_t round = 0;  // from 1
  JobId job;

  friend bool operator==(const CampaignJob&, const CampaignJob&) = default;
};

// A question whose number of runs depends on its results: jobs in rounds, until there is an answer.
struct Campaign {
  CampaignId id;
  std::string project;
  CampaignQuestion question;
  CampaignState state = CampaignState::kRunning;
  std::int32_t round = 0;       // how many rounds have been asked for
  std::int64_t run_budget = 0;  // how many runs its jobs may bring
  std::int64_t run_count = 0;   // how many they have brought; those of the cache are free
  RunCounts round_runs;         // of the jobs of the last round
  std::optional<CampaignAnswer> answer;
  std::string failure;
  std::vector<CampaignJob> jobs;  // by round
  WallTime created_at;
  WallTime updated_at;
  std::optional<WallTime> finished_at;

  friend bool operator==(const Campaign&, const Campaign&) = default;
};

}  // namespace schedlab
