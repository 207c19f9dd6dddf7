#include "client/comparison_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "client/number_format.h"
#include "client/terminal.h"

namespace schedlab::client {
namespace {

constexpr std::size_t kLabelLength = 10;

Judged JudgedOf(const ComparisonRow& row) {
  return {.relative_change = row.relative_change,
          .interval = row.interval,
          .p_value = row.p_value,
          .verdict = row.verdict,
          .more_runs_needed = row.more_runs_needed};
}

// Where each series is in the set.
using Places = std::map<SeriesKey, std::size_t>;

ComparedSeries& SeriesIn(ComparisonSet& set, Places& places, const Series& series) {
  const auto [place, is_new] = places.try_emplace(series.key, set.series.size());
  if (is_new) {
    ComparedSeries& added = set.series.emplace_back();
    added.series = series;
    added.baselines.resize(set.baselines.size());
    added.candidates.resize(set.candidates.size());
  }
  return set.series[place->second];
}

void AddRow(ComparisonSet& set, Places& places, const ComparedPair& pair,
            const ComparisonRow& row) {
  ComparedSeries& series = SeriesIn(set, places, row.series);
  std::optional<ComparedSide>& baseline = series.baselines[pair.baseline];
  if (!baseline) baseline = ComparedSide{row.baseline, row.baseline_samples};
  std::optional<ComparedSide>& candidate = series.candidates[pair.candidate];
  if (!candidate) candidate = ComparedSide{row.candidate, row.candidate_samples};
  candidate->against.resize(set.baselines.size());
  candidate->against[pair.baseline] = JudgedOf(row);
}

// Of all policies' pairs.
Status Settle(ComparedRevision& revision, const RevisionRef& found, const ComparedPair& pair) {
  if (revision.revision.id.empty()) revision.revision = found;
  if (revision.revision.id == found.id) return {};
  const std::string policy =
      pair.comparison.rows.empty() ? "" : pair.comparison.rows.front().series.key.policy;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("'{}' is revision {} of one policy and {} of '{}': compare one policy at "
                          "a time, or name the revision by its id",
                          revision.label, revision.revision.id, found.id, policy));
}

std::vector<ComparedRevision> Labelled(const std::vector<std::string>& references) {
  std::vector<ComparedRevision> revisions;
  for (const std::string& reference : references) revisions.push_back({{}, LabelOf(reference)});
  return revisions;
}

auto OrderOf(const ComparedSeries& one) {
  const SeriesKey& key = one.series.key;
  return std::tie(key.topology, key.workload, key.metric, key.policy, key.variant,
                  key.scenario_digest);
}

void Count(VerdictCounts& counts, Verdict verdict) {
  switch (verdict) {
    case Verdict::kNone:
      return;
    case Verdict::kWorse:
      ++counts.worse;
      return;
    case Verdict::kBetter:
      ++counts.better;
      return;
    case Verdict::kNoChange:
      ++counts.no_change;
      return;
    case Verdict::kUndecided:
      ++counts.undecided;
      return;
  }
}

const Judged* JudgementOf(const ComparedSeries& series, std::size_t baseline,
                          std::size_t candidate) {
  const std::optional<ComparedSide>& side = series.candidates[candidate];
  if (!side || !side->against[baseline]) return nullptr;
  return &*side->against[baseline];
}

bool HasChanged(const ComparedSeries& series) {
  return std::any_of(series.candidates.begin(), series.candidates.end(), [](const auto& side) {
    return side && std::any_of(side->against.begin(), side->against.end(), [](const auto& one) {
             return one && (one->verdict == Verdict::kWorse || one->verdict == Verdict::kBetter);
           });
  });
}

}  // namespace

std::string LabelOf(const std::string& reference) {
  return EscapeControls(reference.substr(0, kLabelLength));
}

Result<ComparisonSet> MergePairs(const std::vector<std::string>& baselines,
                                 const std::vector<std::string>& candidates,
                                 std::vector<ComparedPair> pairs) {
  ComparisonSet set{.baselines = Labelled(baselines),
                    .candidates = Labelled(candidates),
                    .pairs = std::move(pairs),
                    .series = {}};
  Places places;
  for (const ComparedPair& pair : set.pairs) {
    const RevisionComparison& comparison = pair.comparison;
    Status settled = Settle(set.baselines[pair.baseline], comparison.baseline, pair);
    if (settled) settled = Settle(set.candidates[pair.candidate], comparison.candidate, pair);
    if (!settled) return Fail(settled.error());
    for (const ComparisonRow& row : comparison.rows) AddRow(set, places, pair, row);
  }
  std::stable_sort(set.series.begin(), set.series.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.series.role == MetricRole::kCounter, OrderOf(a)) <
           std::tuple(b.series.role == MetricRole::kCounter, OrderOf(b));
  });
  return set;
}

bool IsOfTwo(const ComparisonSet& set) {
  return set.baselines.size() == 1 && set.candidates.size() == 1;
}

const ComparedSide* BaselineOf(const ComparedSeries& series) {
  return series.baselines.front() ? &*series.baselines.front() : nullptr;
}

std::string MetricName(const Series& series) {
  return fmt::format("{}.{}", series.key.workload, series.key.metric);
}

std::string PolicyName(const SeriesKey& key) {
  return key.variant.empty() ? key.policy : fmt::format("{}/{}", key.policy, key.variant);
}

std::string GroupNameOf(const SeriesKey& key, Grouping grouping) {
  switch (grouping) {
    case Grouping::kNone:
      return "";
    case Grouping::kTopology:
      return "topology " + key.topology;
    case Grouping::kWorkload:
      return "workload " + key.workload;
    case Grouping::kPolicy:
      return "policy " + PolicyName(key);
  }
  return "";
}

std::vector<ComparisonGroup> GroupsOf(const ComparisonSet& set, Grouping grouping) {
  std::vector<ComparisonGroup> groups;
  for (const ComparedSeries& one : set.series) {
    const std::string name = GroupNameOf(one.series.key, grouping);
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&name](const auto& group) { return group.name == name; });
    if (found == groups.end()) found = groups.insert(groups.end(), {.name = name, .series = {}});
    found->series.push_back(&one);
  }
  return groups;
}

void KeepChanged(ComparisonSet& set) {
  std::erase_if(set.series, [](const ComparedSeries& one) { return !HasChanged(one); });
  std::set<SeriesKey> kept;
  for (const ComparedSeries& one : set.series) kept.insert(one.series.key);
  for (ComparedPair& pair : set.pairs) {
    std::erase_if(pair.comparison.rows,
                  [&kept](const ComparisonRow& row) { return !kept.contains(row.series.key); });
  }
}

VerdictCounts CountVerdicts(const SeriesList& list, std::size_t baseline, std::size_t candidate) {
  VerdictCounts counts;
  double sum_of_logarithms = 0;
  for (const ComparedSeries* one : list) {
    const Judged* judged = JudgementOf(*one, baseline, candidate);
    if (judged == nullptr || one->series.role != MetricRole::kHeadline) continue;
    Count(counts, judged->verdict);
    const double ratio = 1 + judged->relative_change.value_or(-1);
    if (!(ratio > 0) || !std::isfinite(ratio)) continue;
    const bool is_higher_better = one->series.direction == Direction::kHigherIsBetter;
    sum_of_logarithms += is_higher_better ? std::log(ratio) : -std::log(ratio);
    ++counts.ratio_count;
  }
  if (counts.ratio_count > 0) {
    counts.geometric_mean = std::exp(sum_of_logarithms / static_cast<double>(counts.ratio_count));
  }
  return counts;
}

std::string RenderSummary(const ComparisonSet& set, const ComparisonGroup& group) {
  std::string text;
  for (std::size_t candidate = 0; candidate < set.candidates.size(); ++candidate) {
    for (std::size_t baseline = 0; baseline < set.baselines.size(); ++baseline) {
      const VerdictCounts counts = CountVerdicts(group.series, baseline, candidate);
      text += fmt::format("{}{} against {}: {} worse, {} better, {} no change, {} undecided",
                          group.name.empty() ? "" : EscapeControls(group.name) + ", ",
                          set.candidates[candidate].label, set.baselines[baseline].label,
                          counts.worse, counts.better, counts.no_change, counts.undecided);
      if (counts.geometric_mean) {
        text +=
            fmt::format("; geometric mean of {} ratio{} {}", counts.ratio_count,
                        counts.ratio_count == 1 ? "" : "s", FormatNumber(*counts.geometric_mean));
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace schedlab::client
