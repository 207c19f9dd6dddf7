#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/comparison.h"
#include "core/job.h"
#include "core/metric.h"
#include "core/series.h"

namespace schedlab {

enum class BisectionStage {
  kHistory,    // measured before and for another purpose: used, but no test rests on it
  kReproduce,  // do the two ends of the range differ at all?
  kSearch,     // where is the step?
  kConfirm,    // fresh runs of culprit and parent
  kSurvey,     // evenly over the range: is it a step at all?
};

// "history", "reproduce", "search", "confirm" or "survey".
std::string_view ToString(BisectionStage stage);

// Why a run was asked for. Stored with the run and given back with it.
struct ProbePurpose {
  BisectionStage stage = BisectionStage::kHistory;
  std::int64_t first = 0;  // the range that it serves, by its ends
  std::int64_t last = 0;
  std::int64_t claim = 0;    // kConfirm: the commit that is suspected
  std::int64_t attempt = 0;  // kConfirm: 1, 2, ... within the range

  friend bool operator==(const ProbePurpose&, const ProbePurpose&) = default;
};

enum class BisectionOutcome {
  kCulprit,
  kSkippedRange,   // the culprit is one of several that cannot be told apart by building them
  kSeveral,        // more than one step makes up the difference
  kGradual,        // no single commit: a drift fits better than any step
  kNotReproduced,  // the ends do not differ
  kUndecided,      // the budget ended first
};

// "culprit", "skipped_range", "several", "gradual", "not_reproduced" or "undecided".
std::string_view ToString(BisectionOutcome outcome);

// From the good end to the bad end.
enum class ChangeDirection { kIncrease, kDecrease, kEither };

// "increase", "decrease" or "either".
std::string_view ToString(ChangeDirection direction);

// Which commit between two revisions changed a metric?
struct BisectionQuestion {
  // What a probe runs: one policy, one topology, one workload. The policy's revisions, repetitions,
  // metrics and yardsticks are not read.
  JobSpec probe;
  std::string metric;
  std::string good;               // one revision, as in PolicySelection::revisions
  std::string bad;                // likewise, later
  std::int64_t worker_count = 0;  // runs of a round
  ChangeDirection direction = ChangeDirection::kEither;
  double minimum_effect = 0;              // relative; 0 = the metric's own
  std::vector<std::string> skipped = {};  // revisions that are never run

  friend bool operator==(const BisectionQuestion&, const BisectionQuestion&) = default;
};

// What a bisection searches: settled once, when it is created.
struct BisectionRange {
  RevisionRef good;
  RevisionRef bad;
  std::int64_t commit_count = 0;  // both ends included
  std::string unit;
  Direction metric_direction = Direction::kHigherIsBetter;
  double minimum_effect = 0;

  friend bool operator==(const BisectionRange&, const BisectionRange&) = default;
};

struct BisectionCampaign {
  BisectionQuestion question;
  BisectionRange range;

  friend bool operator==(const BisectionCampaign&, const BisectionCampaign&) = default;
};

struct BisectionCulprit {
  RevisionRef revision;                        // the likeliest
  std::vector<RevisionRef> candidates = {};    // that running cannot tell from it, itself included
  std::vector<RevisionRef> smallest_set = {};  // holds the culprit with 95 %
  double probability = 0;                      // of the candidates together
  bool is_confirmed = false;                   // by fresh runs
  bool is_merge = false;
  double step = 0;                    // relative
  ChangeInterval step_interval = {};  // 95 %
  double share = 0;                   // of the whole difference between the ends

  friend bool operator==(const BisectionCulprit&, const BisectionCulprit&) = default;
};

struct CommitProbability {
  RevisionRef revision;
  double probability = 0;  // to be the first bad one

  friend bool operator==(const CommitProbability&, const CommitProbability&) = default;
};

// What was run of one commit.
struct CommitRuns {
  RevisionRef revision;
  std::int64_t count = 0;         // that were measured
  double mean = 0;                // of these; 0 without any
  std::int64_t failed_count = 0;  // tries
  bool is_skipped = false;        // never run, or not any more
  std::string failure = {};       // of the first that failed

  friend bool operator==(const CommitRuns&, const CommitRuns&) = default;
};

// A run that was asked for. Where it failed and is asked for again, the last purpose holds.
struct PlannedProbe {
  std::int64_t commit = 0;  // index in the range
  std::int32_t repetition = 0;
  ProbePurpose purpose = {};

  friend bool operator==(const PlannedProbe&, const PlannedProbe&) = default;
};

// What a bisection found, so far or in the end.
struct BisectionAnswer {
  std::optional<BisectionOutcome> outcome = std::nullopt;  // absent while it goes on
  std::string reason = {};                                 // one clause for people
  bool descends_into_merge = false;  // the culprit is a merge: bisect the line that it merged
  std::vector<BisectionCulprit> culprits = {};    // in history order
  std::vector<RevisionRef> smallest_set = {};     // of the first bad commit, with 95 %
  std::vector<CommitProbability> likeliest = {};  // a few, the likeliest first
  double difference = 0;                          // of the ends, relative
  double difference_sd = 0;                       // in standard deviations of a run
  std::vector<CommitRuns> runs = {};              // in history order
  std::vector<PlannedProbe> probes = {};          // what the next step needs to know

  friend bool operator==(const BisectionAnswer&, const BisectionAnswer&) = default;
};

}  // namespace schedlab
