#include "server/group_alerts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "core/check.h"
#include "server/cells_beside.h"
#include "server/series_segments.h"
#include "stats/change_points.h"

namespace schedlab::server {
namespace {

// What may remain of a step for it to count as recovered.
constexpr double kRecoveredShare = 0.25;

// One change and where it was found.
struct FoundChange {
  const SeriesPoints* series = nullptr;
  std::span<const StoredChangePoint> change_points;  // of the same series
  const StoredChangePoint* change = nullptr;
};

// Regressions whose intervals have [first, last] in common, and the improvements that lie there.
struct Group {
  std::vector<FoundChange> regressions;
  std::vector<FoundChange> improvements;
  RevisionRef first;
  RevisionRef last;
};

// Whose commits. Switches set by hand make other series of the same commits.
auto OwnerOf(const SeriesKey& key) { return std::tie(key.project, key.policy); }

double Strength(const FoundChange& found) { return std::abs(found.change->effect_sd); }

// How much worse `level` is than `reference`, in the metric's unit; negative where it is better.
double Worsening(Direction direction, double reference, double level) {
  return direction == Direction::kLowerIsBetter ? level - reference : reference - level;
}

std::vector<FoundChange> ChangesOf(std::span<const SeriesPoints> series,
                                   std::span<const SeriesChangePoints> change_points,
                                   stats::ChangeKind kind) {
  const bool is_regression = kind == stats::ChangeKind::kRegression;
  std::vector<FoundChange> changes;
  for (std::size_t i = 0; i < series.size(); ++i) {
    for (const StoredChangePoint& change : change_points[i].change_points) {
      if (change.is_regression != is_regression) continue;
      changes.push_back({&series[i], change_points[i].change_points, &change});
    }
  }
  std::stable_sort(changes.begin(), changes.end(), [](const FoundChange& a, const FoundChange& b) {
    return std::tuple(OwnerOf(a.series->series.key), a.change->interval_first.ordinal) <
           std::tuple(OwnerOf(b.series->series.key), b.change->interval_first.ordinal);
  });
  return changes;
}

bool HasCellOf(const Group& group, SeriesId series) {
  const auto is_of = [series](const FoundChange& one) { return one.series->series.id == series; };
  return std::any_of(group.regressions.begin(), group.regressions.end(), is_of) ||
         std::any_of(group.improvements.begin(), group.improvements.end(), is_of);
}

// A series has one cell in an alert: its next regression is another alert, even where the
// intervals overlap.
bool Belongs(const Group& group, const FoundChange& regression) {
  return OwnerOf(group.regressions.front().series->series.key) ==
             OwnerOf(regression.series->series.key) &&
         regression.change->interval_first.ordinal <= group.last.ordinal &&
         !HasCellOf(group, regression.series->series.id);
}

bool HasRevision(const Group& group, const RevisionRef& revision) {
  return std::any_of(
      group.regressions.begin(), group.regressions.end(),
      [&revision](const FoundChange& one) { return one.change->revision == revision; });
}

// Of several groups, the first that has the same first revision after the change, else the first.
Group* FindGroup(std::vector<Group>& groups, const FoundChange& regression) {
  Group* found = nullptr;
  for (Group& group : groups) {
    if (!Belongs(group, regression)) continue;
    if (HasRevision(group, regression.change->revision)) return &group;
    if (found == nullptr) found = &group;
  }
  return found;
}

// Requires: regressions are ordered by owner, then by the start of their interval. What all
// intervals of a group have in common then begins where the newest member's does.
std::vector<Group> GroupsOf(const std::vector<FoundChange>& regressions) {
  std::vector<Group> groups;
  for (const FoundChange& regression : regressions) {
    const StoredChangePoint& change = *regression.change;
    Group* group = FindGroup(groups, regression);
    if (group == nullptr) {
      groups.push_back({.regressions = {regression},
                        .improvements = {},
                        .first = change.interval_first,
                        .last = change.interval_last});
      continue;
    }
    group->regressions.push_back(regression);
    group->first = change.interval_first;
    if (change.interval_last.ordinal < group->last.ordinal) group->last = change.interval_last;
  }
  return groups;
}

// What got better in the interval of a group; of several changes of a series, the first.
void AddImprovements(const std::vector<FoundChange>& improvements, Group& group) {
  const SeriesKey& key = group.regressions.front().series->series.key;
  for (const FoundChange& improvement : improvements) {
    const StoredChangePoint& change = *improvement.change;
    if (OwnerOf(improvement.series->series.key) != OwnerOf(key) ||
        change.interval_first.ordinal > group.last.ordinal ||
        change.interval_last.ordinal < group.first.ordinal ||
        HasCellOf(group, improvement.series->series.id)) {
      continue;
    }
    group.improvements.push_back(improvement);
  }
}

// The first later improvement that brings the level back.
const StoredChangePoint* FindRecovery(const FoundChange& regression) {
  const StoredChangePoint& change = *regression.change;
  const Series& series = regression.series->series;
  const double before = change.before.median;
  const double step = Worsening(series.direction, before, change.after.median);
  const double tolerance =
      std::max(kRecoveredShare * step, series.minimum_effect * std::abs(before));
  const StoredChangePoint* recovery = nullptr;
  for (const StoredChangePoint& later : regression.change_points) {
    if (later.revision.ordinal <= change.revision.ordinal || later.is_regression) continue;
    if (Worsening(series.direction, before, later.after.median) > tolerance) continue;
    if (recovery == nullptr || later.revision.ordinal < recovery->revision.ordinal) {
      recovery = &later;
    }
  }
  return recovery;
}

AlertCell CellOf(const FoundChange& found) {
  AlertCell cell{.series = found.series->series,
                 .change = *found.change,
                 .recovered = std::nullopt,
                 .recovered_relative_change = std::nullopt,
                 .counters = {},
                 .previous_run = std::nullopt,
                 .revision_run = std::nullopt};
  if (!found.change->is_regression) return cell;
  if (const StoredChangePoint* recovery = FindRecovery(found)) {
    const double before = found.change->before.median;
    cell.recovered = recovery->revision;
    if (before != 0) cell.recovered_relative_change = recovery->after.median / before - 1;
  }
  return cell;
}

// The strongest regression whose change lies in what the group has in common, or else the
// strongest. Requires: the strongest stand first.
const FoundChange& Representative(const Group& group) {
  for (const FoundChange& regression : group.regressions) {
    const std::int64_t ordinal = regression.change->revision.ordinal;
    if (ordinal >= group.first.ordinal && ordinal <= group.last.ordinal) return regression;
  }
  return group.regressions.front();
}

// Whether the group touches the same metric and workload somewhere else, or with other switches.
bool HasSibling(const Group& group, const SeriesPoints& series) {
  const SeriesKey& key = series.series.key;
  return std::any_of(group.regressions.begin(), group.regressions.end(),
                     [&key](const FoundChange& one) {
                       const SeriesKey& other = one.series->series.key;
                       return OwnerOf(other) == OwnerOf(key) && other.metric == key.metric &&
                              other.workload == key.workload && other.executor == key.executor;
                     });
}

// Series of the group's owner that have no cell in it, those with a sibling first.
std::vector<const SeriesPoints*> Others(const Group& group, std::span<const SeriesPoints> series) {
  const SeriesKey& key = group.regressions.front().series->series.key;
  std::vector<const SeriesPoints*> others;
  for (const SeriesPoints& other : series) {
    const bool is_comparable =
        OwnerOf(other.series.key) == OwnerOf(key) && other.series.key.executor == key.executor;
    if (is_comparable && !HasCellOf(group, other.series.id)) others.push_back(&other);
  }
  std::stable_partition(others.begin(), others.end(),
                        [&group](const SeriesPoints* other) { return HasSibling(group, *other); });
  return others;
}

// Set where every cell that got worse recovered: the revision by which the last of them had.
std::optional<RevisionRef> RecoveryOf(const std::vector<AlertCell>& cells) {
  std::optional<RevisionRef> latest;
  for (const AlertCell& cell : cells) {
    if (!cell.change.is_regression) continue;
    if (!cell.recovered) return std::nullopt;
    if (!latest || latest->ordinal < cell.recovered->ordinal) latest = cell.recovered;
  }
  return latest;
}

Alert AlertOf(const Group& group, std::span<const SeriesPoints> series) {
  const FoundChange& strongest = Representative(group);
  const StoredChangePoint& change = *strongest.change;
  Alert alert;
  alert.project = strongest.series->series.key.project;
  alert.policy = strongest.series->series.key.policy;
  alert.revision = change.revision;
  alert.previous = change.previous;
  alert.interval_first = group.first;
  alert.interval_last = group.last;
  for (const FoundChange& regression : group.regressions) alert.cells.push_back(CellOf(regression));
  for (const FoundChange& better : group.improvements) alert.cells.push_back(CellOf(better));
  const SegmentPair segments = SegmentsAround(strongest.change_points, change);
  alert.unchanged = CompareBeside(Others(group, series), segments).unchanged;
  alert.recovered = RecoveryOf(alert.cells);
  alert.state = alert.recovered ? AlertState::kResolved : AlertState::kOpen;
  return alert;
}

}  // namespace

std::vector<Alert> GroupAlerts(std::span<const SeriesPoints> series,
                               std::span<const SeriesChangePoints> change_points) {
  SCHEDLAB_CHECK(series.size() == change_points.size());
  std::vector<Group> groups =
      GroupsOf(ChangesOf(series, change_points, stats::ChangeKind::kRegression));
  const std::vector<FoundChange> improvements =
      ChangesOf(series, change_points, stats::ChangeKind::kImprovement);
  const auto is_stronger = [](const FoundChange& a, const FoundChange& b) {
    return Strength(a) > Strength(b);
  };
  std::vector<Alert> alerts;
  for (Group& group : groups) {
    AddImprovements(improvements, group);
    std::stable_sort(group.regressions.begin(), group.regressions.end(), is_stronger);
    std::stable_sort(group.improvements.begin(), group.improvements.end(), is_stronger);
    alerts.push_back(AlertOf(group, series));
  }
  return alerts;
}

}  // namespace schedlab::server
