#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "server/store/alert_rows.h"
#include "server/store/change_rows.h"
#include "server/store/sql_values.h"

namespace schedlab::server {
namespace {

// The alert whose change has the same first revision, and is not another's already.
constexpr const char* kFindSameRevision = R"sql(
  SELECT id, state FROM alerts
  WHERE project = $1 AND policy = $2 AND variant = $3 AND revision_id = $4
    AND NOT id = ANY($5::bigint[])
  ORDER BY id LIMIT 1 FOR NO KEY UPDATE
)sql";

// The alert that has the most revisions in common, and is not another's already.
constexpr const char* kFindOverlap = R"sql(
  SELECT id, state FROM alerts
  WHERE project = $1 AND policy = $2 AND variant = $3 AND first_ordinal <= $5
    AND last_ordinal >= $4 AND NOT id = ANY($6::bigint[])
  ORDER BY least(last_ordinal, $5) - greatest(first_ordinal, $4) DESC, id
  LIMIT 1 FOR NO KEY UPDATE
)sql";

constexpr const char* kInsertAlert = R"sql(
  INSERT INTO alerts (project, policy, variant, state, revision_id, previous_id,
    interval_first_id, interval_last_id, first_ordinal, last_ordinal)
  VALUES ($1, $2, $3, 'open', $4, $5, $6, $7, $8, $9)
  RETURNING id
)sql";

constexpr const char* kUpdateAlert = R"sql(
  UPDATE alerts SET revision_id = $2, previous_id = $3, interval_first_id = $4,
    interval_last_id = $5, first_ordinal = $6, last_ordinal = $7
  WHERE id = $1
)sql";

// What all cells of an alert make of it, whichever analysis stored them. Where their intervals have
// no revision in common, the interval and revision stay.
constexpr const char* kDeriveHeader = R"sql(
  WITH cells AS (
    SELECT c.*, r.ordinal AS ordinal, f.ordinal AS first_ordinal, l.ordinal AS last_ordinal,
      e.ordinal AS recovered_ordinal
    FROM alert_cells c
    JOIN revisions r ON r.id = c.revision_id
    JOIN revisions f ON f.id = c.interval_first_id
    JOIN revisions l ON l.id = c.interval_last_id
    LEFT JOIN revisions e ON e.id = c.recovered_id
    WHERE c.alert_id = $1
  ), common AS (
    SELECT max(first_ordinal) AS first_ordinal, min(last_ordinal) AS last_ordinal,
      (array_agg(interval_first_id ORDER BY first_ordinal DESC))[1] AS first_id,
      (array_agg(interval_last_id ORDER BY last_ordinal))[1] AS last_id,
      bool_and(recovered_id IS NOT NULL) AS is_recovered,
      (array_agg(recovered_id ORDER BY recovered_ordinal DESC))[1] AS recovered_id
    FROM cells
  ), strongest AS (
    SELECT c.revision_id, c.previous_id FROM cells c, common m
    ORDER BY c.ordinal BETWEEN m.first_ordinal AND m.last_ordinal DESC, abs(c.effect_sd) DESC,
      c.series_id
    LIMIT 1
  ), located AS (
    SELECT m.first_id, m.last_id, m.first_ordinal, m.last_ordinal, s.revision_id, s.previous_id
    FROM common m, strongest s WHERE m.first_ordinal <= m.last_ordinal
    UNION ALL
    SELECT a.interval_first_id, a.interval_last_id, a.first_ordinal, a.last_ordinal,
      a.revision_id, a.previous_id
    FROM alerts a, common m WHERE a.id = $1 AND m.first_ordinal > m.last_ordinal
  )
  UPDATE alerts a SET
    state = CASE WHEN m.is_recovered THEN 'resolved'
                 WHEN a.state = 'acknowledged' THEN 'acknowledged' ELSE 'open' END,
    recovered_id = CASE WHEN m.is_recovered THEN m.recovered_id END,
    revision_id = n.revision_id, previous_id = n.previous_id, interval_first_id = n.first_id,
    interval_last_id = n.last_id, first_ordinal = n.first_ordinal, last_ordinal = n.last_ordinal,
    updated_at = now()
  FROM common m, located n
  WHERE a.id = $1
)sql";

constexpr const char* kInsertCells = R"sql(
  INSERT INTO alert_cells (alert_id, series_id, revision_id, previous_id, interval_first_id,
    interval_last_id, relative_change, effect_sd, p_value, is_regression, before, after,
    recovered_id, recovered_relative_change)
  SELECT $1, n.series_id, n.revision_id, n.previous_id, n.interval_first_id, n.interval_last_id,
    n.relative_change, n.effect_sd, n.p_value, n.is_regression, n.before::sample_summary,
    n.after::sample_summary, n.recovered_id, n.recovered_relative_change
  FROM unnest($2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::integer[],
    $7::double precision[], $8::double precision[], $9::double precision[], $10::boolean[],
    $11::text[], $12::text[], $13::integer[], $14::double precision[])
    AS n(series_id, revision_id, previous_id, interval_first_id, interval_last_id,
      relative_change, effect_sd, p_value, is_regression, before, after, recovered_id,
      recovered_relative_change)
)sql";

constexpr const char* kInsertCounters = R"sql(
  INSERT INTO alert_counters (alert_id, series_id, position, metric, unit, before, after,
    relative_change, effect_sd)
  SELECT $1, n.* FROM unnest($2::integer[], $3::integer[], $4::text[], $5::text[],
    $6::double precision[], $7::double precision[], $8::double precision[],
    $9::double precision[]) AS n
)sql";

constexpr const char* kInsertUnchanged = R"sql(
  INSERT INTO alert_unchanged_cells (alert_id, series_id, relative_change, before, after)
  SELECT $1, n.series_id, n.relative_change, n.before::sample_summary, n.after::sample_summary
  FROM unnest($2::integer[], $3::double precision[], $4::text[], $5::text[])
    AS n(series_id, relative_change, before, after)
)sql";

// Alerts that were not found again though all their series were analysed. The cells stay, to tell
// what it was.
constexpr const char* kDismissLost = R"sql(
  UPDATE alerts a SET state = 'dismissed', updated_at = now()
  WHERE a.project = $1 AND a.state IN ('open', 'resolved') AND NOT a.id = ANY($2::bigint[])
    AND EXISTS (SELECT FROM alert_cells c
                WHERE c.alert_id = a.id AND c.series_id = ANY($3::integer[]))
    AND NOT EXISTS (SELECT FROM alert_cells c
                    WHERE c.alert_id = a.id AND NOT c.series_id = ANY($3::integer[]))
)sql";

// Cells of analysed series in alerts that were not found again, but live on in other series.
constexpr const char* kPruneLost = R"sql(
  WITH pruned AS (
    DELETE FROM alert_cells c USING alerts a
    WHERE a.id = c.alert_id AND a.project = $1 AND a.state <> 'dismissed'
      AND NOT a.id = ANY($2::bigint[]) AND c.series_id = ANY($3::integer[])
      AND EXISTS (SELECT FROM alert_cells o
                  WHERE o.alert_id = a.id AND NOT o.series_id = ANY($3::integer[]))
    RETURNING c.alert_id
  )
  SELECT DISTINCT alert_id FROM pruned ORDER BY alert_id
)sql";

void AddOptional(const std::optional<double>& value, SqlArray& column) {
  if (value) {
    column.Add(*value);
  } else {
    column.AddNull();
  }
}

// The ids of an alert's own revisions.
struct AlertRevisions {
  std::int64_t revision = 0;
  std::int64_t previous = 0;
  std::int64_t interval_first = 0;
  std::int64_t interval_last = 0;
};

Result<AlertRevisions> FindRevisions(const Alert& alert, const RevisionIds& ids) {
  AlertRevisions found;
  const std::pair<std::int64_t*, const RevisionRef*> columns[] = {
      {&found.revision, &alert.revision},
      {&found.previous, &alert.previous},
      {&found.interval_first, &alert.interval_first},
      {&found.interval_last, &alert.interval_last}};
  for (const auto& [column, revision] : columns) {
    const Result<std::int64_t> id = ids.Find(alert.policy, *revision);
    if (!id) return Fail(id.error());
    *column = *id;
  }
  return found;
}

// An alert to be stored, and the stored one that it is.
struct MatchedAlert {
  const Alert* alert = nullptr;
  AlertRevisions revisions;
  std::int64_t id = 0;  // 0: a new one
};

class AlertWriter {
 public:
  AlertWriter(pqxx::work& transaction, const std::string& project,
              std::span<const SeriesId> analysed)
      : transaction_(transaction),
        project_(project),
        analysed_(ArrayOfIds(analysed).text()),
        revisions_(RevisionIds::Read(transaction, project)) {}

  Status Store(std::span<const Alert> alerts) {
    std::vector<MatchedAlert> matched;
    for (const Alert& alert : alerts) {
      if (alert.cells.empty()) {
        return Fail(ErrorCode::kInvalidArgument,
                    fmt::format("the alert at {} has no cell", alert.revision.id));
      }
      const Result<AlertRevisions> revisions = FindRevisions(alert, revisions_);
      if (!revisions) return Fail(revisions.error());
      matched.push_back({.alert = &alert, .revisions = *revisions, .id = 0});
    }
    for (MatchedAlert& one : matched) MatchByRevision(one);
    for (MatchedAlert& one : matched) MatchByInterval(one);
    for (MatchedAlert& one : matched) {
      if (Status status = StoreOne(one); !status) return status;
    }
    return {};
  }

  // What the analysed series do not show any more.
  void RemoveLost() {
    transaction_.exec_params(kDismissLost, project_, SqlArray(stored_).text(), analysed_);
    const pqxx::result pruned =
        transaction_.exec_params(kPruneLost, project_, SqlArray(stored_).text(), analysed_);
    for (const pqxx::row& row : pruned) DeriveHeader(row[0].as<std::int64_t>());
  }

 private:
  static const std::string& VariantOf(const Alert& alert) {
    return alert.cells.front().series.key.variant;
  }

  void MatchByRevision(MatchedAlert& matched) {
    const Alert& alert = *matched.alert;
    Take(transaction_.exec_params(kFindSameRevision, project_, alert.policy, VariantOf(alert),
                                  matched.revisions.revision, SqlArray(stored_).text()),
         matched);
  }

  void MatchByInterval(MatchedAlert& matched) {
    if (matched.id != 0) return;
    const Alert& alert = *matched.alert;
    Take(transaction_.exec_params(kFindOverlap, project_, alert.policy, VariantOf(alert),
                                  alert.interval_first.ordinal, alert.interval_last.ordinal,
                                  SqlArray(stored_).text()),
         matched);
  }

  // A dismissed alert that is found again is open again, without its old cells.
  void Take(const pqxx::result& found, MatchedAlert& matched) {
    if (found.empty()) return;
    matched.id = found[0][0].as<std::int64_t>();
    stored_.Add(matched.id);
    if (found[0][1].c_str() != ToString(AlertState::kDismissed)) return;
    transaction_.exec_params("DELETE FROM alert_cells WHERE alert_id = $1", matched.id);
    transaction_.exec_params("DELETE FROM alert_unchanged_cells WHERE alert_id = $1", matched.id);
  }

  Status StoreOne(MatchedAlert& matched) {
    StoreHeader(matched);
    DropAnalysedCells(matched.id);
    if (Status status = StoreCells(matched.id, *matched.alert); !status) return status;
    StoreCounters(matched.id, *matched.alert);
    StoreUnchanged(matched.id, *matched.alert);
    DeriveHeader(matched.id);
    return {};
  }

  void StoreHeader(MatchedAlert& matched) {
    const Alert& alert = *matched.alert;
    const AlertRevisions& revisions = matched.revisions;
    if (matched.id != 0) {
      transaction_.exec_params(kUpdateAlert, matched.id, revisions.revision, revisions.previous,
                               revisions.interval_first, revisions.interval_last,
                               alert.interval_first.ordinal, alert.interval_last.ordinal);
      return;
    }
    matched.id = transaction_
                     .exec_params1(kInsertAlert, project_, alert.policy, VariantOf(alert),
                                   revisions.revision, revisions.previous, revisions.interval_first,
                                   revisions.interval_last, alert.interval_first.ordinal,
                                   alert.interval_last.ordinal)[0]
                     .as<std::int64_t>();
    stored_.Add(matched.id);
  }

  void DeriveHeader(std::int64_t id) { transaction_.exec_params(kDeriveHeader, id); }

  void DropAnalysedCells(std::int64_t id) {
    transaction_.exec_params(
        "DELETE FROM alert_cells WHERE alert_id = $1 AND series_id = ANY($2::integer[])", id,
        analysed_);
    transaction_.exec_params(
        "DELETE FROM alert_unchanged_cells WHERE alert_id = $1 AND series_id = ANY($2::integer[])",
        id, analysed_);
  }

  Status StoreCells(std::int64_t id, const Alert& alert) {
    ChangeArrays changes;
    SqlArray recovered;
    SqlArray recovered_changes;
    for (const AlertCell& cell : alert.cells) {
      if (Status status = changes.Add(cell.series, cell.change, revisions_); !status) {
        return status;
      }
      if (!cell.recovered) {
        recovered.AddNull();
      } else {
        const Result<std::int64_t> found = revisions_.Find(alert.policy, *cell.recovered);
        if (!found) return Fail(found.error());
        recovered.Add(*found);
      }
      AddOptional(cell.recovered_relative_change, recovered_changes);
    }
    transaction_.exec_params(kInsertCells, id, changes.series.text(), changes.revisions.text(),
                             changes.previous.text(), changes.interval_firsts.text(),
                             changes.interval_lasts.text(), changes.relative_changes.text(),
                             changes.effects.text(), changes.p_values.text(),
                             changes.regressions.text(), changes.befores.text(),
                             changes.afters.text(), recovered.text(), recovered_changes.text());
    return {};
  }

  void StoreCounters(std::int64_t id, const Alert& alert) {
    SqlArray series;
    SqlArray positions;
    SqlArray metrics;
    SqlArray units;
    SqlArray befores;
    SqlArray afters;
    SqlArray changes;
    SqlArray effects;
    for (const AlertCell& cell : alert.cells) {
      std::int64_t position = 0;
      for (const CounterChange& counter : cell.counters) {
        series.Add(cell.series.id.value);
        positions.Add(position++);
        metrics.Add(std::string_view(counter.metric));
        units.Add(std::string_view(counter.unit));
        befores.Add(counter.before);
        afters.Add(counter.after);
        AddOptional(counter.relative_change, changes);
        effects.Add(counter.effect_sd);
      }
    }
    transaction_.exec_params(kInsertCounters, id, series.text(), positions.text(), metrics.text(),
                             units.text(), befores.text(), afters.text(), changes.text(),
                             effects.text());
  }

  void StoreUnchanged(std::int64_t id, const Alert& alert) {
    SqlArray series;
    SqlArray changes;
    SqlArray befores;
    SqlArray afters;
    for (const UnchangedCell& cell : alert.unchanged) {
      series.Add(cell.series.id.value);
      changes.Add(cell.relative_change);
      befores.Add(std::string_view(SummaryText(cell.before)));
      afters.Add(std::string_view(SummaryText(cell.after)));
    }
    transaction_.exec_params(kInsertUnchanged, id, series.text(), changes.text(), befores.text(),
                             afters.text());
  }

  pqxx::work& transaction_;
  const std::string& project_;
  const std::string analysed_;
  const RevisionIds revisions_;
  SqlArray stored_;  // alerts of this outcome
};

}  // namespace

Status StoreAlerts(pqxx::work& transaction, const std::string& project,
                   std::span<const Alert> alerts, std::span<const SeriesId> analysed) {
  AlertWriter writer(transaction, project, analysed);
  if (Status status = writer.Store(alerts); !status) return status;
  writer.RemoveLost();
  return {};
}

}  // namespace schedlab::server
