#include <fmt/format.h>

#include <map>
#include <utility>

#include "server/store/alert_events.h"
#include "server/store/alert_rows.h"
#include "server/store/change_rows.h"
#include "server/store/own_requests.h"
#include "server/store/sql_values.h"

namespace schedlab::server {
namespace {

// What is told of where a change was not looked for.
constexpr std::int64_t kMaxNotRunPerAlert = 200;
// What is compared beside the cells of an alert.
constexpr std::int64_t kMaxSeriesBeside = 400;

constexpr const char* kReadAlerts = R"sql(
  SELECT id, revision_id, previous_id, interval_first_id, interval_last_id, recovered_id, project,
    policy, state, (extract(epoch FROM created_at) * 1000000)::bigint, merged_into_id
  FROM alerts WHERE id = ANY($1::bigint[])
)sql";

constexpr const char* kReadCounters = R"sql(
  SELECT alert_id, series_id, metric, unit, before, after, relative_change, effect_sd
  FROM alert_counters WHERE alert_id = ANY($1::bigint[])
  ORDER BY alert_id, series_id, position
)sql";

// Judged series `s` of the alert's policy and of its cells' engines; `f` is its first bad revision.
constexpr const char* kJudgedBeside = R"sql(
  FROM alerts a
  JOIN revisions f ON f.id = a.revision_id
  JOIN series s ON s.project = a.project AND s.policy = a.policy AND s.role = 'headline'
    AND (s.executor, s.engine_version) IN (
      SELECT t.executor, t.engine_version
      FROM alert_cells c JOIN series t ON t.id = c.series_id WHERE c.alert_id = a.id)
)sql";

// Those that have results before the change and none since, with the newest revision that has.
std::string NotRunQuery() {
  return fmt::format(R"sql(
  SELECT s.id, last.revision_id {}
  JOIN LATERAL (
    SELECT p.revision_id, r.ordinal FROM points p JOIN revisions r ON r.id = p.revision_id
    WHERE p.series_id = s.id ORDER BY r.ordinal DESC LIMIT 1
  ) last ON last.ordinal < f.ordinal
  WHERE a.id = $1
  ORDER BY s.id LIMIT $2
)sql",
                     kJudgedBeside);
}

// Those that have results before the change and since, and of which the alert says nothing.
std::string BesideQuery() {
  return fmt::format(R"sql(
  SELECT s.id {}
  WHERE a.id = $1
    AND EXISTS (SELECT FROM points p JOIN revisions r ON r.id = p.revision_id
                WHERE p.series_id = s.id AND r.ordinal < f.ordinal)
    AND EXISTS (SELECT FROM points p JOIN revisions r ON r.id = p.revision_id
                WHERE p.series_id = s.id AND r.ordinal >= f.ordinal)
    AND NOT EXISTS (SELECT FROM alert_cells c WHERE c.alert_id = a.id AND c.series_id = s.id)
    AND NOT EXISTS (SELECT FROM alert_unchanged_cells c
                    WHERE c.alert_id = a.id AND c.series_id = s.id)
  ORDER BY s.id LIMIT $2
)sql",
                     kJudgedBeside);
}

constexpr const char* kReadUnchanged = R"sql(
  SELECT alert_id, series_id, relative_change,
    (before).sample_count, (before).mean, (before).stddev, (before).median, (before).minimum,
    (before).maximum,
    (after).sample_count, (after).mean, (after).stddev, (after).median, (after).minimum,
    (after).maximum
  FROM alert_unchanged_cells WHERE alert_id = ANY($1::bigint[])
  ORDER BY alert_id, series_id
)sql";

// One run of either side of each cell: the one of the lowest repetition.
constexpr const char* kReadExampleRuns = R"sql(
  SELECT DISTINCT ON (c.alert_id, c.series_id, s.revision_id)
    c.alert_id, c.series_id, s.revision_id = a.revision_id, r.job_id, r.seed
  FROM alert_cells c
  JOIN alerts a ON a.id = c.alert_id
  JOIN samples s ON s.series_id = c.series_id AND s.revision_id IN (a.revision_id, a.previous_id)
  JOIN runs r ON r.id = s.run_id
  JOIN policies p ON p.id = s.policy_id
  JOIN revision_policies w ON w.revision_id = s.revision_id AND w.variant = p.variant
    AND w.policy_id = s.policy_id
  WHERE c.alert_id = ANY($1::bigint[])
  ORDER BY c.alert_id, c.series_id, s.revision_id, s.repetition, s.run_id
)sql";

// What got worse first, then what got better; the largest effect first.
std::string CellsQuery() {
  return std::string("SELECT ") + kChangeColumns +
         ", alert_id, recovered_id, recovered_relative_change FROM alert_cells "
         "WHERE alert_id = ANY($1::bigint[]) ORDER BY alert_id, "
         "is_regression DESC, abs(effect_sd) DESC, series_id";
}

constexpr int kCellAlert = kChangeColumnCount;
constexpr int kCellRecovered = kChangeColumnCount + 1;
constexpr int kCellRecoveredChange = kChangeColumnCount + 2;

// The rows of a batch of alerts, and what they refer to.
struct AlertRows {
  pqxx::result alerts;
  pqxx::result cells;
  pqxx::result counters;
  pqxx::result example_runs;
  pqxx::result unchanged;
  RevisionsById revisions;
  SeriesById series;
};

using CountersByCell = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<CounterChange>>;

void ReadRevisionsOf(pqxx::work& transaction, AlertRows& rows) {
  SqlArray ids;
  for (const pqxx::row& row : rows.alerts) {
    AddRevisionIds(row, ids);
    if (!row[5].is_null()) ids.Add(row[5].as<std::int64_t>());
  }
  for (const pqxx::row& row : rows.cells) {
    AddRevisionIds(row, ids);
    if (!row[kCellRecovered].is_null()) ids.Add(row[kCellRecovered].as<std::int64_t>());
  }
  rows.revisions = ReadRevisions(transaction, ids);
}

Status ReadSeriesOf(pqxx::work& transaction, AlertRows& rows) {
  std::vector<SeriesId> ids;
  for (const pqxx::row& row : rows.cells) ids.push_back({row[0].as<std::int64_t>()});
  for (const pqxx::row& row : rows.unchanged) ids.push_back({row[1].as<std::int64_t>()});
  Result<SeriesById> series = ReadSeriesRows(transaction, ids);
  if (!series) return Fail(series.error());
  rows.series = std::move(*series);
  return {};
}

CountersByCell CountersOf(const pqxx::result& rows) {
  CountersByCell counters;
  for (const pqxx::row& row : rows) {
    CounterChange counter;
    counter.metric = row[2].c_str();
    counter.unit = row[3].c_str();
    counter.before = DoubleOf(row[4]);
    counter.after = DoubleOf(row[5]);
    if (!row[6].is_null()) counter.relative_change = DoubleOf(row[6]);
    counter.effect_sd = DoubleOf(row[7]);
    counters[{row[0].as<std::int64_t>(), row[1].as<std::int64_t>()}].push_back(std::move(counter));
  }
  return counters;
}

AlertCell CellOf(const pqxx::row& row, const AlertRows& rows, CountersByCell& counters) {
  AlertCell cell;
  cell.series = rows.series.at({row[0].as<std::int64_t>()});
  cell.change = ChangeOf(row, rows.revisions);
  if (!row[kCellRecovered].is_null()) {
    cell.recovered = rows.revisions.at(row[kCellRecovered].as<std::int64_t>());
  }
  if (!row[kCellRecoveredChange].is_null()) {
    cell.recovered_relative_change = DoubleOf(row[kCellRecoveredChange]);
  }
  cell.counters = std::move(counters[{row[kCellAlert].as<std::int64_t>(), cell.series.id.value}]);
  return cell;
}

void AddExampleRuns(const pqxx::result& rows, std::map<AlertId, Alert>& alerts) {
  for (const pqxx::row& row : rows) {
    const SeriesId series{row[1].as<std::int64_t>()};
    const ExampleRun run{{row[3].as<std::int64_t>()}, row[4].as<std::int64_t>()};
    for (AlertCell& cell : alerts.at({row[0].as<std::int64_t>()}).cells) {
      if (cell.series.id != series) continue;
      (row[2].as<bool>() ? cell.revision_run : cell.previous_run) = run;
    }
  }
}

CellBeside UnchangedOf(const pqxx::row& row, const AlertRows& rows) {
  CellBeside cell;
  cell.series = rows.series.at({row[1].as<std::int64_t>()});
  cell.relative_change = DoubleOf(row[2]);
  cell.before = SummaryOf(row, 3);
  cell.after = SummaryOf(row, 9);
  return cell;
}

Alert HeaderOf(const pqxx::row& row, const RevisionsById& revisions) {
  Alert alert;
  alert.id = {row[0].as<std::int64_t>()};
  alert.revision = revisions.at(row[1].as<std::int64_t>());
  alert.previous = revisions.at(row[2].as<std::int64_t>());
  alert.interval_first = revisions.at(row[3].as<std::int64_t>());
  alert.interval_last = revisions.at(row[4].as<std::int64_t>());
  if (!row[5].is_null()) alert.recovered = revisions.at(row[5].as<std::int64_t>());
  alert.project = row[6].c_str();
  alert.policy = row[7].c_str();
  alert.state = AlertStateOf(row[8].c_str());
  alert.created_at = TimeOf(row[9]);
  if (!row[10].is_null()) alert.merged_into = AlertId{row[10].as<std::int64_t>()};
  return alert;
}

std::map<AlertId, Alert> Assemble(const AlertRows& rows) {
  std::map<AlertId, Alert> alerts;
  for (const pqxx::row& row : rows.alerts) {
    Alert alert = HeaderOf(row, rows.revisions);
    alerts.emplace(alert.id, std::move(alert));
  }
  CountersByCell counters = CountersOf(rows.counters);
  for (const pqxx::row& row : rows.cells) {
    Alert& alert = alerts.at({row[kCellAlert].as<std::int64_t>()});
    alert.cells.push_back(CellOf(row, rows, counters));
  }
  AddExampleRuns(rows.example_runs, alerts);
  for (const pqxx::row& row : rows.unchanged) {
    alerts.at({row[0].as<std::int64_t>()}).unchanged.push_back(UnchangedOf(row, rows));
  }
  return alerts;
}

Result<std::vector<NotRunCell>> ReadNotRun(pqxx::work& transaction, AlertId id) {
  const pqxx::result rows = transaction.exec_params(NotRunQuery(), id.value, kMaxNotRunPerAlert);
  std::vector<SeriesId> series_ids;
  SqlArray revision_ids;
  for (const pqxx::row& row : rows) {
    series_ids.push_back({row[0].as<std::int64_t>()});
    revision_ids.Add(row[1].as<std::int64_t>());
  }
  const Result<SeriesById> series = ReadSeriesRows(transaction, series_ids);
  if (!series) return Fail(series.error());
  const RevisionsById revisions = ReadRevisions(transaction, revision_ids);
  std::vector<NotRunCell> cells;
  for (const pqxx::row& row : rows) {
    cells.push_back({.series = series->at({row[0].as<std::int64_t>()}),
                     .last = revisions.at(row[1].as<std::int64_t>())});
  }
  return cells;
}

std::optional<CampaignId> ReadBackfill(pqxx::work& transaction, AlertId id) {
  const pqxx::result rows =
      transaction.exec_params("SELECT id FROM campaigns WHERE request_id = $1",
                              fmt::format("{}{}", kBackfillRequestPrefix, id.value));
  if (rows.empty()) return std::nullopt;
  return CampaignId{rows[0][0].as<std::int64_t>()};
}

}  // namespace

Result<Alert> ReadWholeAlert(pqxx::work& transaction, AlertId id) {
  Result<std::vector<Alert>> alerts = ReadAlerts(transaction, {&id, 1});
  if (!alerts) return Fail(alerts.error());
  if (alerts->empty()) return Fail(ErrorCode::kNotFound, fmt::format("no alert {}", id.value));
  Alert& alert = alerts->front();
  Result<std::vector<NotRunCell>> not_run = ReadNotRun(transaction, id);
  if (!not_run) return Fail(not_run.error());
  alert.not_run = std::move(*not_run);
  alert.history = ReadHistory(transaction, id);
  alert.backfill = ReadBackfill(transaction, id);
  return std::move(alert);
}

std::vector<SeriesId> FindSeriesBeside(pqxx::work& transaction, AlertId id) {
  std::vector<SeriesId> series;
  for (const pqxx::row& row : transaction.exec_params(BesideQuery(), id.value, kMaxSeriesBeside)) {
    series.push_back({row[0].as<std::int64_t>()});
  }
  return series;
}

Result<std::vector<Alert>> ReadAlerts(pqxx::work& transaction, std::span<const AlertId> ids) {
  SqlArray wanted = ArrayOfIds(ids);
  AlertRows rows;
  rows.alerts = transaction.exec_params(kReadAlerts, wanted.text());
  rows.cells = transaction.exec_params(CellsQuery(), wanted.text());
  rows.counters = transaction.exec_params(kReadCounters, wanted.text());
  rows.example_runs = transaction.exec_params(kReadExampleRuns, wanted.text());
  rows.unchanged = transaction.exec_params(kReadUnchanged, wanted.text());
  ReadRevisionsOf(transaction, rows);
  if (Status status = ReadSeriesOf(transaction, rows); !status) return Fail(status.error());
  std::map<AlertId, Alert> found = Assemble(rows);
  std::vector<Alert> alerts;
  for (const AlertId id : ids) {
    const auto alert = found.find(id);
    if (alert != found.end()) alerts.push_back(std::move(alert->second));
  }
  return alerts;
}

}  // namespace schedlab::server
