#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/bisection.h"
#include "core/limits.h"
#include "core/result.h"
#include "stats/interval.h"

namespace schedlab::stats {

// A commit of the range, in history order. The first of them is the good end and the last the bad
// end; every commit but the first may be the culprit.
struct BisectionCommit {
  double prior_weight = 1;  // relative to the others; > 0
  bool is_skipped = false;  // cannot be built or booted: may be the culprit, is never probed
  bool is_merge = false;    // hides a line of commits of its own
};

using schedlab::BisectionOutcome;
using schedlab::BisectionStage;
using schedlab::ChangeDirection;
using schedlab::ProbePurpose;

// A measured run. Runs of one round are taken at about the same time on the same machines.
struct BisectionRun {
  std::int64_t commit = 0;
  std::int64_t round = 0;
  ProbePurpose purpose = {};
  double value = 0;
};

struct BisectionOptions {
  std::int64_t worker_count = 1;  // runs that are carried out at the same time
  double confidence = 0.95;       // of the commit, and of the set of commits
  double significance = 0.05;     // of "reproduced" and of "confirmed"
  std::int64_t run_budget = 400;  // runs in all, those of the history not counted
  double minimum_effect = 0;      // relative: a smaller difference of the ends is none
  double smallest_effect_sd = 1;  // the smallest difference, in sd of a run, to look for
  ChangeDirection direction = ChangeDirection::kEither;  // from the good end to the bad end
};

// All that a bisection is. Nothing else is remembered between two steps.
struct BisectionState {
  std::vector<BisectionCommit> commits = {};
  std::vector<BisectionRun> runs = {};  // in any order
  BisectionOptions options = {};
};

struct Culprit {
  std::int64_t commit = 0;                 // the likeliest
  std::vector<std::int64_t> candidates;    // that building cannot tell from it, itself included
  std::vector<std::int64_t> smallest_set;  // holds the culprit with the confidence asked for
  double probability = 0;                  // of the candidates together
  bool is_confirmed = false;               // by fresh runs
  bool is_merge = false;
  double step = 0;         // on the scale of judgement: of logarithms if all values are positive
  Interval step_interval;  // 95 %
  double share = 0;        // of the whole difference between the ends
};

// How probable each shape of the history is by all runs, each as likely as the others beforehand.
struct ShapeProbabilities {
  double flat = 0;
  double one_step = 0;
  double two_steps = 0;
  double drift = 0;
};

struct BisectionAnswer {
  BisectionOutcome outcome = BisectionOutcome::kUndecided;
  std::vector<Culprit> culprits;           // in history order
  std::vector<std::int64_t> smallest_set;  // of the first bad commit; always given
  std::string reason;                      // one clause for people
  bool descends_into_merge = false;        // the culprit is a merge: bisect the line that it merged
};

struct Probe {
  std::int64_t commit = 0;
  ProbePurpose purpose = {};

  friend bool operator==(const Probe&, const Probe&) = default;
};

// What to do next: either a batch of probes, in the order in which to start them, or an answer.
struct BisectionStep {
  std::vector<Probe> batch;  // empty if and only if there is an answer
  std::int64_t round = 0;    // of the batch
  std::optional<BisectionAnswer> answer;

  // Progress, with either.
  std::vector<double> probabilities;  // of each commit to be the first bad one; sums to 1
  ShapeProbabilities shapes;
  double difference = 0;       // bad end - good end on the scale of judgement
  double difference_sd = 0;    // in standard deviations of a run
  bool is_logarithmic = true;  // the scale of judgement; else values relative to the good end
};

// A pure function of the state: resuming is calling it again. Asks for at most
// max(worker_count, 2) runs at a time and for at most run_budget in all.
// kInvalidArgument for fewer than 2 commits, a skipped end, weights, options or values that are not
// finite or out of range, a run of an unknown commit.
Result<BisectionStep> NextBisectionStep(const BisectionState& state);

}  // namespace schedlab::stats
