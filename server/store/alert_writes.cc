#include <fmt/format.h>

#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "server/store/alert_events.h"
#include "server/store/alert_rows.h"
#include "server/store/change_rows.h"
#include "server/store/sql_values.h"

namespace schedlab::server {
namespace {

// The alert whose change has the same first revision, and is not another's already.
constexpr const char* kFindSameRevision = R"sql(
  SELECT id FROM alerts
  WHERE project = $1 AND policy = $2 AND revision_id = $3 AND merged_into_id IS NULL
    AND NOT id = ANY($4::bigint[])
  ORDER BY id LIMIT 1 FOR NO KEY UPDATE
)sql";

// The alert that has the most revisions in common, and is not another's already. One that is closed
// is the same change only where it has a series in common: else it would hide another change.
constexpr const char* kFindOverlap = R"sql(
  SELECT id FROM alerts a
  WHERE project = $1 AND policy = $2 AND first_ordinal <= $4 AND last_ordinal >= $3
    AND merged_into_id IS NULL AND NOT id = ANY($5::bigint[])
    AND (state IN ('open', 'acknowledged') OR EXISTS (
      SELECT FROM alert_cells c WHERE c.alert_id = a.id AND c.series_id = ANY($6::integer[])))
  ORDER BY least(last_ordinal, $4) - greatest(first_ordinal, $3) DESC, id
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

// What all cells of an alert that got worse make of it, whichever analysis stored them. Where their
// intervals have no revision in common, the interval and revision stay. Answers whether all have
// recovered, by which revision, whether that is news, and the state.
constexpr const char* kDeriveHeader = R"sql(
  WITH cells AS (
    SELECT c.*, r.ordinal AS ordinal, f.ordinal AS first_ordinal, l.ordinal AS last_ordinal,
      e.ordinal AS recovered_ordinal
    FROM alert_cells c
    JOIN revisions r ON r.id = c.revision_id
    JOIN revisions f ON f.id = c.interval_first_id
    JOIN revisions l ON l.id = c.interval_last_id
    LEFT JOIN revisions e ON e.id = c.recovered_id
    WHERE c.alert_id = $1 AND c.is_regression
  ), common AS (
    SELECT max(first_ordinal) AS first_ordinal, min(last_ordinal) AS last_ordinal,
      (array_agg(interval_first_id ORDER BY first_ordinal DESC))[1] AS first_id,
      (array_agg(interval_last_id ORDER BY last_ordinal))[1] AS last_id,
      bool_and(recovered_id IS NOT NULL) AS is_recovered,
      (array_agg(recovered_id ORDER BY recovered_ordinal DESC))[1] AS recovered_id
    FROM cells
  ), strongest AS (
    SELECT c.revision_id, c.previous_id, s.variant
    FROM cells c JOIN series s ON s.id = c.series_id CROSS JOIN common m
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
    recovered_id = CASE WHEN m.is_recovered THEN m.recovered_id END,
    revision_id = n.revision_id, previous_id = n.previous_id, interval_first_id = n.first_id,
    interval_last_id = n.last_id, first_ordinal = n.first_ordinal, last_ordinal = n.last_ordinal,
    variant = s.variant, updated_at = now()
  FROM common m CROSS JOIN located n CROSS JOIN strongest s
  CROSS JOIN (SELECT recovered_id FROM alerts WHERE id = $1) o
  WHERE a.id = $1
  RETURNING m.is_recovered, (SELECT revision FROM revisions WHERE id = m.recovered_id),
    a.recovered_id IS DISTINCT FROM o.recovered_id, a.state
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

// Alerts that were not found again, though all their series that got worse were analysed: `lost`.
constexpr const char* kLost = R"sql(
  a.project = $1 AND a.state <> 'dismissed' AND NOT a.id = ANY($2::bigint[])
    AND EXISTS (SELECT FROM alert_cells c WHERE c.alert_id = a.id AND c.is_regression
                AND c.series_id = ANY($3::integer[]))
    AND NOT EXISTS (SELECT FROM alert_cells c WHERE c.alert_id = a.id AND c.is_regression
                    AND NOT c.series_id = ANY($3::integer[]))
)sql";

// Lost alerts whose change is now a cell of an alert that was found.
std::string MergedQuery() {
  return fmt::format(R"sql(
  SELECT DISTINCT ON (a.id) a.id, a.state, b.id, b.state
  FROM alerts a
  JOIN alert_cells c ON c.alert_id = a.id AND c.is_regression
  JOIN revisions f ON f.id = c.interval_first_id
  JOIN revisions l ON l.id = c.interval_last_id
  JOIN alert_cells d ON d.series_id = c.series_id AND d.is_regression
    AND d.alert_id = ANY($2::bigint[])
  JOIN revisions g ON g.id = d.interval_first_id AND g.ordinal <= l.ordinal
  JOIN revisions m ON m.id = d.interval_last_id AND m.ordinal >= f.ordinal
  JOIN alerts b ON b.id = d.alert_id
  WHERE {} ORDER BY a.id, b.id
)sql",
                     kLost);
}

// Lost alerts that no person has had in hand.
std::string WithdrawnQuery() {
  return fmt::format(R"sql(
  SELECT a.id, a.state FROM alerts a
  WHERE a.state IN ('open', 'resolved') AND {} AND NOT EXISTS (
    SELECT FROM alert_events e WHERE e.alert_id = a.id AND e.request_id IS NOT NULL)
  ORDER BY a.id
)sql",
                     kLost);
}

// How much has been measured in the series of an alert.
constexpr const char* kCountSamples = R"sql(
  SELECT count(*) FROM alert_cells c JOIN samples s ON s.series_id = c.series_id
  WHERE c.alert_id = $1
)sql";

// Cells of analysed series in alerts that were not found again, but live on in other series.
constexpr const char* kPruneLost = R"sql(
  WITH pruned AS (
    DELETE FROM alert_cells c USING alerts a
    WHERE a.id = c.alert_id AND a.project = $1 AND a.state <> 'dismissed'
      AND NOT a.id = ANY($2::bigint[]) AND c.series_id = ANY($3::integer[])
      AND EXISTS (SELECT FROM alert_cells o WHERE o.alert_id = a.id AND o.is_regression
                  AND NOT o.series_id = ANY($3::integer[]))
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
  AlertId id;  // 0: a new one
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
      matched.push_back({.alert = &alert, .revisions = *revisions, .id = {}});
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
    MergeLost();
    WithdrawLost();
    const pqxx::result pruned =
        transaction_.exec_params(kPruneLost, project_, SqlArray(stored_).text(), analysed_);
    for (const pqxx::row& row : pruned) {
      Derive({row[0].as<std::int64_t>()}, IsFoundElsewhere::kNo);
    }
  }

 private:
  // Whether an alert has a cell that got worse and did not recover in a series that it had not.
  enum class IsFoundElsewhere { kNo, kYes };

  void MatchByRevision(MatchedAlert& matched) {
    Take(transaction_.exec_params(kFindSameRevision, project_, matched.alert->policy,
                                  matched.revisions.revision, SqlArray(stored_).text()),
         matched);
  }

  void MatchByInterval(MatchedAlert& matched) {
    if (matched.id.value != 0) return;
    const Alert& alert = *matched.alert;
    SqlArray series;
    for (const AlertCell& cell : alert.cells) series.Add(cell.series.id.value);
    Take(transaction_.exec_params(kFindOverlap, project_, alert.policy,
                                  alert.interval_first.ordinal, alert.interval_last.ordinal,
                                  SqlArray(stored_).text(), series.text()),
         matched);
  }

  void Take(const pqxx::result& found, MatchedAlert& matched) {
    if (found.empty()) return;
    matched.id = {found[0][0].as<std::int64_t>()};
    stored_.Add(matched.id.value);
    OpenIfWithdrawn(matched.id);
  }

  // An alert that was withdrawn, and not by a person, is open again where there are more results
  // than there were then; without its old cells.
  void OpenIfWithdrawn(AlertId id) {
    const pqxx::result rows = transaction_.exec_params(
        "SELECT withdrawn_sample_count FROM alerts WHERE id = $1 AND state = 'dismissed' "
        "AND withdrawn_sample_count IS NOT NULL",
        id.value);
    if (rows.empty() || rows[0][0].as<std::int64_t>() >= SampleCountOf(id)) return;
    transaction_.exec_params(
        "UPDATE alerts SET withdrawn_sample_count = NULL, recovered_id = NULL WHERE id = $1",
        id.value);
    MoveAlert(transaction_, id, AlertState::kDismissed, AlertState::kOpen,
              "found again in more results");
    transaction_.exec_params("DELETE FROM alert_cells WHERE alert_id = $1", id.value);
    transaction_.exec_params("DELETE FROM alert_unchanged_cells WHERE alert_id = $1", id.value);
  }

  std::int64_t SampleCountOf(AlertId id) {
    return transaction_.exec_params1(kCountSamples, id.value)[0].as<std::int64_t>();
  }

  // An alert that somebody had acknowledged takes that along.
  void MergeLost() {
    const pqxx::result merged =
        transaction_.exec_params(MergedQuery(), project_, SqlArray(stored_).text(), analysed_);
    for (const pqxx::row& row : merged) {
      const AlertId lost{row[0].as<std::int64_t>()};
      const AlertId into{row[2].as<std::int64_t>()};
      transaction_.exec_params("UPDATE alerts SET merged_into_id = $2 WHERE id = $1", lost.value,
                               into.value);
      const AlertState state = AlertStateOf(row[1].c_str());
      MoveAlert(transaction_, lost, state, AlertState::kDismissed,
                fmt::format("merged into alert {}", into.value));
      if (state != AlertState::kAcknowledged) continue;
      if (ReadState(transaction_, into) != AlertState::kOpen) continue;
      MoveAlert(transaction_, into, AlertState::kOpen, AlertState::kAcknowledged,
                fmt::format("acknowledged as alert {}", lost.value));
    }
  }

  void WithdrawLost() {
    const pqxx::result withdrawn =
        transaction_.exec_params(WithdrawnQuery(), project_, SqlArray(stored_).text(), analysed_);
    for (const pqxx::row& row : withdrawn) {
      const AlertId id{row[0].as<std::int64_t>()};
      transaction_.exec_params("UPDATE alerts SET withdrawn_sample_count = $2 WHERE id = $1",
                               id.value, SampleCountOf(id));
      MoveAlert(transaction_, id, AlertStateOf(row[1].c_str()), AlertState::kDismissed,
                "later results do not show it");
    }
  }

  Status StoreOne(MatchedAlert& matched) {
    StoreHeader(matched);
    const IsFoundElsewhere is_elsewhere = FindElsewhere(matched);
    DropAnalysedCells(matched.id.value);
    if (Status status = StoreCells(matched.id.value, *matched.alert); !status) return status;
    StoreCounters(matched.id.value, *matched.alert);
    StoreUnchanged(matched.id.value, *matched.alert);
    Derive(matched.id, is_elsewhere);
    return {};
  }

  void StoreHeader(MatchedAlert& matched) {
    const Alert& alert = *matched.alert;
    const AlertRevisions& revisions = matched.revisions;
    if (matched.id.value != 0) {
      transaction_.exec_params(kUpdateAlert, matched.id.value, revisions.revision,
                               revisions.previous, revisions.interval_first,
                               revisions.interval_last, alert.interval_first.ordinal,
                               alert.interval_last.ordinal);
      return;
    }
    matched.id = {transaction_
                      .exec_params1(kInsertAlert, project_, alert.policy,
                                    alert.cells.front().series.key.variant, revisions.revision,
                                    revisions.previous, revisions.interval_first,
                                    revisions.interval_last, alert.interval_first.ordinal,
                                    alert.interval_last.ordinal)[0]
                      .as<std::int64_t>()};
    stored_.Add(matched.id.value);
    MoveAlert(transaction_, matched.id, std::nullopt, AlertState::kOpen, "raised");
  }

  IsFoundElsewhere FindElsewhere(const MatchedAlert& matched) {
    std::set<SeriesId> known;
    for (const pqxx::row& row : transaction_.exec_params(
             "SELECT series_id FROM alert_cells WHERE alert_id = $1", matched.id.value)) {
      known.insert({row[0].as<std::int64_t>()});
    }
    for (const AlertCell& cell : matched.alert->cells) {
      if (cell.change.is_regression && !cell.recovered && known.count(cell.series.id) == 0) {
        return IsFoundElsewhere::kYes;
      }
    }
    return IsFoundElsewhere::kNo;
  }

  // A recovery resolves an alert once: somebody who opens it again is not contradicted by the same
  // results. What recovered is open again only where the change is found elsewhere.
  void Derive(AlertId id, IsFoundElsewhere is_elsewhere) {
    const pqxx::row row = transaction_.exec_params1(kDeriveHeader, id.value);
    const bool is_recovered = row[0].as<bool>();
    const AlertState state = AlertStateOf(row[3].c_str());
    const bool is_in_work = state == AlertState::kOpen || state == AlertState::kAcknowledged;
    if (is_recovered && row[2].as<bool>() && is_in_work) {
      MoveAlert(transaction_, id, state, AlertState::kResolved,
                fmt::format("recovered by {}", row[1].c_str()));
    } else if (!is_recovered && is_elsewhere == IsFoundElsewhere::kYes &&
               state == AlertState::kResolved && !WasChangedByPerson(transaction_, id)) {
      MoveAlert(transaction_, id, state, AlertState::kOpen,
                "found in another series, which has not recovered");
    }
  }

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
    for (const CellBeside& cell : alert.unchanged) {
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
