#include "server/store/alert_events.h"

#include <fmt/format.h>

#include "core/check.h"
#include "server/store/alert_rows.h"
#include "server/store/analysis_store.h"
#include "server/store/sql_values.h"
#include "server/store/transact.h"

namespace schedlab::server {
namespace {

constexpr const char* kInsertEvent = R"sql(
  INSERT INTO alert_events (alert_id, from_state, to_state, who, why, request_id)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (request_id) DO NOTHING
)sql";

constexpr const char* kReadHistory = R"sql(
  SELECT (extract(epoch FROM happened_at) * 1000000)::bigint, from_state, to_state, who, why
  FROM (SELECT * FROM alert_events WHERE alert_id = $1 ORDER BY id DESC LIMIT $2) newest
  ORDER BY id
)sql";

constexpr const char* kReadPrecision = R"sql(
  SELECT project,
    count(*) FILTER (WHERE outcome = 'open'), count(*) FILTER (WHERE outcome = 'acknowledged'),
    count(*) FILTER (WHERE outcome = 'resolved'), count(*) FILTER (WHERE outcome = 'recovered'),
    count(*) FILTER (WHERE outcome = 'dismissed'), count(*) FILTER (WHERE outcome = 'withdrawn')
  FROM reporting.alert_outcomes
  WHERE ($1 = '' OR project = $1) AND ($2 = 0 OR time >= now() - $2 * interval '1 day')
  GROUP BY project ORDER BY project
)sql";

void SetState(pqxx::work& transaction, AlertId id, AlertState state) {
  transaction.exec_params("UPDATE alerts SET state = $2, updated_at = now() WHERE id = $1",
                          id.value, std::string(ToString(state)));
}

// Whether the request was carried out before. kAlreadyExists: another one had its id.
Result<bool> WasDone(pqxx::work& transaction, const AlertStateChange& change) {
  const pqxx::result rows = transaction.exec_params(
      "SELECT alert_id = $2 AND to_state = $3 AND who = $4 AND why = $5, alert_id "
      "FROM alert_events WHERE request_id = $1",
      change.request_id, change.alert.value, std::string(ToString(change.to)), change.who,
      change.why);
  if (rows.empty()) return false;
  if (rows[0][0].as<bool>()) return true;
  return Fail(ErrorCode::kAlreadyExists,
              fmt::format("request '{}' changed alert {} in another way: choose a new request id",
                          change.request_id, rows[0][1].as<std::int64_t>()));
}

// The state of an alert that may be changed. Holds its row.
Result<AlertState> LockAlert(pqxx::work& transaction, AlertId id) {
  const pqxx::result rows =
      transaction.exec_params("SELECT state FROM alerts WHERE id = $1 FOR NO KEY UPDATE", id.value);
  if (rows.empty()) return Fail(ErrorCode::kNotFound, fmt::format("no alert {}", id.value));
  return AlertStateOf(rows[0][0].c_str());
}

Status CheckMayChange(pqxx::work& transaction, const AlertStateChange& change, AlertState from) {
  const pqxx::row row = transaction.exec_params1("SELECT merged_into_id FROM alerts WHERE id = $1",
                                                 change.alert.value);
  if (!row[0].is_null()) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("alert {} was merged into alert {}: change that one",
                            change.alert.value, row[0].as<std::int64_t>()));
  }
  Status checked = CheckChange(from, change.to);
  if (checked) return checked;
  return Fail(checked.error().code,
              fmt::format("alert {}: {}", change.alert.value, checked.error().message));
}

Status ChangeState(pqxx::work& transaction, const AlertStateChange& change) {
  const Result<AlertState> from = LockAlert(transaction, change.alert);
  if (!from) return Fail(from.error());
  const Result<bool> was_done = WasDone(transaction, change);
  if (!was_done) return Fail(was_done.error());
  if (*was_done) return {};
  if (Status checked = CheckMayChange(transaction, change, *from); !checked) return checked;
  const pqxx::result added = transaction.exec_params(
      kInsertEvent, change.alert.value, std::string(ToString(*from)),
      std::string(ToString(change.to)), change.who, change.why, change.request_id);
  if (added.affected_rows() == 0) {
    return Fail(ErrorCode::kAlreadyExists,
                fmt::format("request '{}' changed another alert meanwhile: choose a new request id",
                            change.request_id));
  }
  // A person's word outlives what was withdrawn before.
  transaction.exec_params("UPDATE alerts SET withdrawn_sample_count = NULL WHERE id = $1",
                          change.alert.value);
  SetState(transaction, change.alert, change.to);
  return {};
}

}  // namespace

AlertState AlertStateOf(std::string_view text) {
  for (const AlertState state : kAlertStates) {
    if (ToString(state) == text) return state;
  }
  SCHEDLAB_CHECK(false && "the CHECK of alerts.state lists the states");
  return AlertState::kOpen;
}

AlertState ReadState(pqxx::work& transaction, AlertId id) {
  const pqxx::row row =
      transaction.exec_params1("SELECT state FROM alerts WHERE id = $1", id.value);
  return AlertStateOf(row[0].c_str());
}

bool WasChangedByPerson(pqxx::work& transaction, AlertId id) {
  const pqxx::result rows = transaction.exec_params(
      "SELECT request_id IS NOT NULL FROM alert_events WHERE alert_id = $1 ORDER BY id DESC LIMIT "
      "1",
      id.value);
  return !rows.empty() && rows[0][0].as<bool>();
}

void MoveAlert(pqxx::work& transaction, AlertId id, std::optional<AlertState> from, AlertState to,
               const std::string& why) {
  const std::optional<std::string> from_text =
      from ? std::optional(std::string(ToString(*from))) : std::nullopt;
  transaction.exec_params(kInsertEvent, id.value, from_text, std::string(ToString(to)),
                          std::string(kBySchedlab), why, std::optional<std::string>());
  SetState(transaction, id, to);
}

std::vector<AlertEvent> ReadHistory(pqxx::work& transaction, AlertId id) {
  std::vector<AlertEvent> history;
  for (const pqxx::row& row :
       transaction.exec_params(kReadHistory, id.value, std::int64_t{kMaxEventsPerAlert})) {
    AlertEvent event;
    event.at = TimeOf(row[0]);
    if (!row[1].is_null()) event.from = AlertStateOf(row[1].c_str());
    event.to = AlertStateOf(row[2].c_str());
    event.who = row[3].c_str();
    event.why = row[4].c_str();
    history.push_back(std::move(event));
  }
  return history;
}

Result<Alert> AnalysisStore::ChangeAlertState(const AlertStateChange& change) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<Alert> {
    if (Status changed = ChangeState(transaction, change); !changed) return Fail(changed.error());
    return ReadWholeAlert(transaction, change.alert);
  });
}

Result<std::vector<AlertPrecision>> AnalysisStore::ReadPrecision(const std::string& project,
                                                                 std::int64_t day_count) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<std::vector<AlertPrecision>> {
    std::vector<AlertPrecision> answer;
    for (const pqxx::row& row : transaction.exec_params(kReadPrecision, project, day_count)) {
      answer.push_back({.project = row[0].c_str(),
                        .open_count = row[1].as<std::int64_t>(),
                        .acknowledged_count = row[2].as<std::int64_t>(),
                        .resolved_count = row[3].as<std::int64_t>(),
                        .recovered_count = row[4].as<std::int64_t>(),
                        .dismissed_count = row[5].as<std::int64_t>(),
                        .withdrawn_count = row[6].as<std::int64_t>()});
    }
    return answer;
  });
}

}  // namespace schedlab::server
