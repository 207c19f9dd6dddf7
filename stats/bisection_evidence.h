#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/result.h"
#include "stats/bisection.h"
#include "stats/bisection_posterior.h"
#include "stats/sequential_test.h"

namespace schedlab::stats {

// A run at a place, on the scale of judgement, turned so that the bad end lies higher.
struct EvidenceRun {
  std::size_t place = 0;
  std::size_t round = 0;  // dense
  double value = 0;
  ProbePurpose purpose;
};

// Places of the history, both ends included.
struct PlaceRange {
  std::size_t first = 0;
  std::size_t last = 0;

  bool Contains(std::size_t place) const { return first <= place && place <= last; }
  friend bool operator==(const PlaceRange&, const PlaceRange&) = default;
};

// Values further out than this are moved to it.
struct ClipLimits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  double Apply(double value) const { return value < low ? low : (value > high ? high : value); }
};

// 1.5 robust standard deviations outside the medians of the two sides; no limits for sides of fewer
// than 4 runs, or without any noise.
ClipLimits LimitsOf(std::span<const double> one_end, std::span<const double> other_end);

// The checked state of a bisection. Its places are the commits that can be probed: a skipped commit
// cannot be told from the next one that can, and its weight is added to that one's. Runs of skipped
// commits count for the budget alone.
class BisectionEvidence {
 public:
  // Errors: see NextBisectionStep().
  static Result<BisectionEvidence> Make(const BisectionState& state);

  std::size_t place_count() const { return places_.size(); }
  std::int64_t commit_of(std::size_t place) const { return places_[place]; }
  // The first of the commits that cannot be told from the one at the place. Requires: place > 0.
  std::int64_t first_candidate_of(std::size_t place) const { return places_[place - 1] + 1; }
  std::span<const double> weights(PlaceRange range) const;
  // Sorted by round, place and value.
  std::span<const EvidenceRun> runs() const { return runs_; }
  // No place: place_count().
  std::size_t PlaceOf(std::int64_t commit) const;
  std::int64_t next_round() const { return next_round_; }
  std::int64_t spent_run_count() const { return spent_run_count_; }
  double minimum_shift() const { return minimum_shift_; }
  double sign() const { return sign_; }
  // Else values are relative to the median of the good end.
  bool is_logarithmic() const { return is_logarithmic_; }

  // What a run of this stage within the range is tagged with.
  ProbePurpose PurposeOf(BisectionStage stage, PlaceRange range) const;

  // Clipped values within the range of rounds before `end_round`, sorted by place, places counted
  // from the range's first, rounds dense.
  std::vector<PlacedValue> ValuesOf(PlaceRange range, std::size_t end_round) const;

  // The runs of the purpose at two places, round by round.
  std::vector<SequentialRound> RoundsOf(const ProbePurpose& purpose, std::size_t baseline,
                                        std::size_t candidate) const;

 private:
  void AddPlaces(const std::vector<BisectionCommit>& commits);
  void AddRuns(const BisectionState& state);

  std::vector<std::int64_t> places_;
  std::vector<double> weights_;
  std::vector<EvidenceRun> runs_;
  std::int64_t next_round_ = 0;
  std::int64_t spent_run_count_ = 0;
  double minimum_shift_ = 0;
  double sign_ = 1;
  bool is_logarithmic_ = true;
};

}  // namespace schedlab::stats
