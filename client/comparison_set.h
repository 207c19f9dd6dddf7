#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/comparison.h"
#include "core/result.h"

namespace schedlab::client {

// A revision of a comparison, and what the columns of tables call it: as it was asked for, cut to
// ten characters.
struct ComparedRevision {
  RevisionRef revision;
  std::string label;
};

std::string LabelOf(const std::string& reference);

// What one revision's runs of a series come to against one baseline.
struct Judged {
  std::optional<double> relative_change;
  std::optional<ChangeInterval> interval;
  std::optional<double> p_value;
  Verdict verdict = Verdict::kNone;
  std::int32_t more_runs_needed = 0;
};

// The runs of a series at one revision.
struct ComparedSide {
  SampleSummary summary;
  std::vector<double> samples;
  std::vector<std::optional<Judged>> against = {};  // of a candidate: by baseline
};

// A series over every revision of a comparison. Absent is what has no results together with another
// side.
struct ComparedSeries {
  Series series;
  std::vector<std::optional<ComparedSide>> baselines;
  std::vector<std::optional<ComparedSide>> candidates;
};

// A pair as it was judged. Several policies make several pairs of the same revisions.
struct ComparedPair {
  std::size_t baseline = 0;   // in ComparisonSet::baselines
  std::size_t candidate = 0;  // in ComparisonSet::candidates
  RevisionComparison comparison;
};

// Any number of candidates against any number of baselines, of which the first is the one that
// changes are told against.
struct ComparisonSet {
  std::vector<ComparedRevision> baselines;
  std::vector<ComparedRevision> candidates;
  std::vector<ComparedPair> pairs;
  std::vector<ComparedSeries> series;  // headline metrics first, then by topology, workload, metric
};

// The revisions as they were asked for, and every pair of them that has results. kInvalidArgument:
// a name that is one revision of one policy and another one of another. Requires: each revision is
// in a pair.
Result<ComparisonSet> MergePairs(const std::vector<std::string>& baselines,
                                 const std::vector<std::string>& candidates,
                                 std::vector<ComparedPair> pairs);

// One baseline, one candidate: what fits a row.
bool IsOfTwo(const ComparisonSet& set);

// The side of the first baseline; nullptr where there is none.
const ComparedSide* BaselineOf(const ComparedSeries& series);

// "fs_mark.files_per_sec".
std::string MetricName(const Series& series);
// "linux-fair", or "linux-fair/wakeup_preemption=false" with switches set by hand.
std::string PolicyName(const SeriesKey& key);

enum class Grouping { kNone, kTopology, kWorkload, kPolicy };

using SeriesList = std::vector<const ComparedSeries*>;

struct ComparisonGroup {
  std::string name;  // "topology kvm-16x1"; empty without a grouping
  SeriesList series;
};

// In the order in which they first occur; one group without a grouping.
std::vector<ComparisonGroup> GroupsOf(const ComparisonSet& set, Grouping grouping);

// The name of the group of a series.
std::string GroupNameOf(const SeriesKey& key, Grouping grouping);

// Leaves out what is neither worse nor better against any baseline.
void KeepChanged(ComparisonSet& set);

// How the judged metrics of a list came out for one pair.
struct VerdictCounts {
  std::size_t worse = 0;
  std::size_t better = 0;
  std::size_t no_change = 0;
  std::size_t undecided = 0;
  std::size_t ratio_count = 0;
  // Of candidate / baseline, or its inverse where lower is better: above 1 is better.
  std::optional<double> geometric_mean;
};

VerdictCounts CountVerdicts(const SeriesList& list, std::size_t baseline, std::size_t candidate);

// A line for each pair: what got worse, better, did not change, is undecided.
std::string RenderSummary(const ComparisonSet& set, const ComparisonGroup& group);

}  // namespace schedlab::client
