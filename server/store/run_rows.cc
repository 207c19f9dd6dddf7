#include "server/store/run_rows.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "core/spec_json.h"
#include "server/store/job_rows.h"

namespace schedlab::server {
namespace {

// metric_names is parallel to metric_values.
constexpr const char* kReadRuns = R"sql(
  SELECT jr.position, r.id, p.name, p.revision, p.variant, s.topology, s.workload, r.repetition,
    r.seed,
    coalesce(r.outcome, CASE WHEN q.worker_name IS NULL THEN 'queued' ELSE 'leased' END),
    coalesce(q.attempt, r.attempt), r.failure,
    rr.digest, rr.event_count, rr.simulated_ns, rr.metric_values,
    (SELECT array_agg(m.name ORDER BY i.ordinality)
     FROM unnest(rr.metric_ids) WITH ORDINALITY AS i(id, ordinality)
     JOIN metrics m ON m.id = i.id) AS metric_names
  FROM job_runs jr
  JOIN runs r ON r.id = jr.run_id
  JOIN policies p ON p.id = r.policy_id
  JOIN scenarios s ON s.id = r.scenario_id
  LEFT JOIN live_runs q ON q.run_id = r.id
  LEFT JOIN run_results rr ON rr.run_id = r.id
  WHERE jr.job_id = $1 AND jr.position > $2
  ORDER BY jr.position LIMIT $3
)sql";

constexpr const char* kEndRuns = R"sql(
  WITH ended AS (
    DELETE FROM live_runs WHERE run_id = ANY($1::bigint[]) 
    RETURNING run_id, attempt, leased_at
  )
  UPDATE runs r SET
    outcome = e.outcome,
    attempt = CASE WHEN e.attempt = 0 THEN l.attempt ELSE e.attempt END,
    token = nullif(e.token, '')::uuid,
    worker_name = nullif(e.worker_name, ''),
    failure = e.failure,
    leased_at = l.leased_at,
    finished_at = now()
  FROM unnest($1::bigint[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::text[])
    AS e(run_id, outcome, attempt, token, worker_name, failure)
  JOIN ended l ON l.run_id = e.run_id
  WHERE r.id = e.run_id
)sql";

RunResult ResultOf(const pqxx::row& row) {
  RunResult result;
  result.digest = static_cast<std::uint64_t>(row[12].as<std::int64_t>());
  result.event_count = row[13].as<std::int64_t>();
  result.simulated_ns = row[14].as<std::int64_t>();
  const std::vector<double> values = DoublesOf(row[15]);
  std::vector<std::string> names;
  if (!row[16].is_null()) names = StringsOf(row[16]);
  SCHEDLAB_CHECK(names.size() == values.size());
  for (std::size_t i = 0; i < names.size(); ++i) result.metrics.emplace(names[i], values[i]);
  return result;
}

Run RunOf(const pqxx::row& row) {
  Run run;
  run.id = {row[1].as<std::int64_t>()};
  run.policy = row[2].c_str();
  run.revision = row[3].c_str();
  run.variant = row[4].c_str();
  run.topology = row[5].c_str();
  run.workload = row[6].c_str();
  run.repetition = row[7].as<std::int32_t>();
  run.seed = row[8].as<std::int64_t>();
  run.state = RunStateOf(row[9].c_str());
  run.attempt = row[10].as<std::int32_t>();
  run.failure = row[11].c_str();
  if (!row[12].is_null()) run.result = ResultOf(row);
  return run;
}

// Texts by id: many runs of a batch share their policy and scenario, and parsing one is dear.
std::map<std::int64_t, std::string> ReadTexts(pqxx::work& transaction, const std::string& table,
                                              const SqlArray& ids) {
  std::map<std::int64_t, std::string> texts;
  SqlArray copy = ids;
  const pqxx::result rows = transaction.exec_params(
      "SELECT id, spec_json FROM " + table + " WHERE id = ANY($1::integer[])", copy.text());
  for (const pqxx::row& row : rows) texts.emplace(row[0].as<std::int64_t>(), row[1].c_str());
  return texts;
}

template <class T>
Result<std::map<std::int64_t, T>> ParseTexts(const std::map<std::int64_t, std::string>& texts,
                                             Result<T> (*parse)(std::string_view)) {
  std::map<std::int64_t, T> values;
  for (const auto& [id, text] : texts) {
    Result<T> value = parse(text);
    if (!value) {
      return Fail(ErrorCode::kInternal,
                  fmt::format("stored spec {} cannot be read: {}", id, value.error().message));
    }
    values.emplace(id, std::move(*value));
  }
  return values;
}

}  // namespace

RunState RunStateOf(std::string_view text) {
  for (const RunState state : {RunState::kQueued, RunState::kLeased, RunState::kSucceeded,
                               RunState::kFailed, RunState::kCancelled}) {
    if (ToString(state) == text) return state;
  }
  SCHEDLAB_CHECK(false && "the CHECK of runs.outcome lists the states");
  return RunState::kQueued;
}

std::vector<PositionedRun> ReadRuns(pqxx::work& transaction, const RunRange& range) {
  std::vector<PositionedRun> runs;
  const pqxx::result rows =
      transaction.exec_params(kReadRuns, range.job.value, range.after, range.limit);
  for (const pqxx::row& row : rows) runs.push_back({row[0].as<std::int64_t>(), RunOf(row)});
  return runs;
}

Result<std::vector<RunSpec>> ReadSpecs(pqxx::work& transaction, std::span<const RunId> runs) {
  const pqxx::result rows = transaction.exec_params(
      "SELECT r.executor, r.engine_version, r.seed, r.policy_id, r.scenario_id "
      "FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted(id, ordinality) "
      "JOIN runs r ON r.id = wanted.id ORDER BY wanted.ordinality",
      ArrayOfIds(runs).text());
  SCHEDLAB_CHECK(static_cast<std::size_t>(rows.size()) == runs.size());
  SqlArray policy_ids;
  SqlArray scenario_ids;
  for (const pqxx::row& row : rows) {
    policy_ids.Add(row[3].as<std::int64_t>());
    scenario_ids.Add(row[4].as<std::int64_t>());
  }
  const auto policies =
      ParseTexts(ReadTexts(transaction, "policies", policy_ids), &PolicySpecFromJson);
  if (!policies) return Fail(policies.error());
  const auto scenarios =
      ParseTexts(ReadTexts(transaction, "scenarios", scenario_ids), &ScenarioFromJson);
  if (!scenarios) return Fail(scenarios.error());
  std::vector<RunSpec> specs;
  for (const pqxx::row& row : rows) {
    const Result<Executor> executor = ExecutorOf(row[0].c_str());
    if (!executor) return Fail(executor.error());
    specs.push_back({.executor = *executor,
                     .engine_version = row[1].c_str(),
                     .policy = policies->at(row[3].as<std::int64_t>()),
                     .scenario = scenarios->at(row[4].as<std::int64_t>()),
                     .seed = row[2].as<std::int64_t>()});
  }
  return specs;
}

void EndRuns(pqxx::work& transaction, std::span<const EndedRun> ended) {
  if (ended.empty()) return;
  std::vector<RunId> runs;
  SqlArray outcomes;
  SqlArray attempts;
  SqlArray tokens;
  SqlArray workers;
  SqlArray failures;
  for (const EndedRun& end : ended) {
    runs.push_back(end.run);
    outcomes.Add(ToString(end.outcome));
    attempts.Add(std::int64_t{end.attempt});
    tokens.Add(std::string_view(end.token));
    workers.Add(std::string_view(end.worker_name));
    failures.Add(std::string_view(end.failure));
  }
  const pqxx::result done =
      transaction.exec_params(kEndRuns, ArrayOfIds<RunId>(runs).text(), outcomes.text(),
                              attempts.text(), tokens.text(), workers.text(), failures.text());
  SCHEDLAB_CHECK(static_cast<std::size_t>(done.affected_rows()) == ended.size());
  CountEndedRuns(transaction, runs);
}

std::vector<RunId> LockLiveRunsOf(pqxx::work& transaction, JobId job) {
  std::vector<RunId> runs;
  const pqxx::result rows = transaction.exec_params(
      "SELECT run_id FROM live_runs "
      "WHERE run_id IN (SELECT run_id FROM job_runs WHERE job_id = $1) "
      "ORDER BY run_id FOR UPDATE",
      job.value);
  for (const pqxx::row& row : rows) runs.push_back({row[0].as<std::int64_t>()});
  return runs;
}

void RequeueRuns(pqxx::work& transaction, std::span<const RunId> runs) {
  if (runs.empty()) return;
  transaction.exec_params(
      "UPDATE live_runs SET token = NULL, worker_name = NULL, incarnation = NULL, "
      "leased_at = NULL, lease_until = NULL, queued_at = now() WHERE run_id = ANY($1::bigint[])",
      ArrayOfIds(runs).text());
}

}  // namespace schedlab::server
