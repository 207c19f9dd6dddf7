#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "server/store/alert_rows.h"
#include "server/store/change_rows.h"
#include "server/store/sql_values.h"

namespace schedlab::server {
namespace {

constexpr const char* kFindAlert = R"sql(
  SELECT id, state FROM alerts
  WHERE project = $1 AND policy = $2 AND variant = $3 AND first_ordinal <= $5
    AND last_ordinal >= $4 AND NOT id = ANY($6::bigint[])
  ORDER BY id LIMIT 1 FOR NO KEY UPDATE
)sql";

constexpr const char* kInsertAlert = R"sql(
  INSERT INTO alerts (project, policy, variant, state, revision_id, previous_id,
    interval_first_id, interval_last_id, recovered_id, first_ordinal, last_ordinal)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  RETURNING id
)sql";

constexpr const char* kUpdateAlert = R"sql(
  UPDATE alerts SET state = $2, revision_id = $3, previous_id = $4, interval_first_id = $5,
    interval_last_id = $6, recovered_id = $7, first_ordinal = $8, last_ordinal = $9,
    updated_at = now()
  WHERE id = $1
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

constexpr const char* kDismissLost = R"sql(
  UPDATE alerts a SET state = 'dismissed', updated_at = now()
  WHERE a.project = $1 AND a.state IN ('open', 'resolved') AND NOT a.id = ANY($2::bigint[])
    AND EXISTS (SELECT FROM alert_cells c
                WHERE c.alert_id = a.id AND c.series_id = ANY($3::integer[]))
    AND NOT EXISTS (SELECT FROM alert_cells c
                    WHERE c.alert_id = a.id AND NOT c.series_id = ANY($3::integer[]))
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
  std::string recovered;  // empty: none

  const char* recovered_or_null() const { return recovered.empty() ? nullptr : recovered.c_str(); }
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
  if (alert.recovered) {
    const Result<std::int64_t> id = ids.Find(alert.policy, *alert.recovered);
    if (!id) return Fail(id.error());
    found.recovered = fmt::format("{}", *id);
  }
  return found;
}

// Only a re-analysis dismisses, so an alert that is found again is open again.
AlertState NextState(std::string_view stored, const Alert& alert) {
  if (alert.recovered) return AlertState::kResolved;
  return stored == ToString(AlertState::kAcknowledged) ? AlertState::kAcknowledged
                                                       : AlertState::kOpen;
}

class AlertWriter {
 public:
  AlertWriter(pqxx::work& transaction, const std::string& project,
              std::span<const SeriesId> analysed)
      : transaction_(transaction),
        project_(project),
        analysed_(ArrayOfIds(analysed).text()),
        revisions_(RevisionIds::Read(transaction, project)) {}

  Status Store(const Alert& alert) {
    if (alert.cells.empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("the alert at {} has no cell", alert.revision.id));
    }
    const Result<AlertRevisions> revisions = FindRevisions(alert, revisions_);
    if (!revisions) return Fail(revisions.error());
    const std::int64_t id = StoreHeader(alert, *revisions);
    stored_.Add(id);
    DropAnalysedCells(id);
    if (Status status = StoreCells(id, alert); !status) return status;
    StoreCounters(id, alert);
    StoreUnchanged(id, alert);
    return {};
  }

  void DismissLost() {
    transaction_.exec_params(kDismissLost, project_, SqlArray(stored_).text(), analysed_);
  }

 private:
  std::int64_t StoreHeader(const Alert& alert, const AlertRevisions& revisions) {
    const std::string& variant = alert.cells.front().series.key.variant;
    const pqxx::result found = transaction_.exec_params(
        kFindAlert, project_, alert.policy, variant, alert.interval_first.ordinal,
        alert.interval_last.ordinal, SqlArray(stored_).text());
    const std::string state(ToString(NextState(found.empty() ? "" : found[0][1].c_str(), alert)));
    if (found.empty()) {
      return transaction_
          .exec_params1(kInsertAlert, project_, alert.policy, variant, state, revisions.revision,
                        revisions.previous, revisions.interval_first, revisions.interval_last,
                        revisions.recovered_or_null(), alert.interval_first.ordinal,
                        alert.interval_last.ordinal)[0]
          .as<std::int64_t>();
    }
    const auto id = found[0][0].as<std::int64_t>();
    transaction_.exec_params(kUpdateAlert, id, state, revisions.revision, revisions.previous,
                             revisions.interval_first, revisions.interval_last,
                             revisions.recovered_or_null(), alert.interval_first.ordinal,
                             alert.interval_last.ordinal);
    return id;
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
  for (const Alert& alert : alerts) {
    if (Status status = writer.Store(alert); !status) return status;
  }
  writer.DismissLost();
  return {};
}

}  // namespace schedlab::server
