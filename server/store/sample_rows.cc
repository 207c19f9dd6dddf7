#include "server/store/sample_rows.h"

#include <string_view>

#include "server/store/sql_values.h"

namespace schedlab::server {
namespace {

constexpr const char* kInsertResults = R"sql(
  INSERT INTO run_results (run_id, digest, event_count, simulated_ns, metric_ids, metric_values)
  SELECT n.run_id, n.digest, n.event_count, n.simulated_ns, n.ids::integer[],
    n.numbers::double precision[]
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[])
    AS n(run_id, digest, event_count, simulated_ns, ids, numbers)
)sql";

// Skips series that exist before it inserts, and inserts in order of the key: two batches that
// bring the same series wait for each other in one direction.
constexpr const char* kInsertSeries = R"sql(
  INSERT INTO series (project, policy, variant, scenario_id, executor, engine_version, metric_id,
    unit, direction, role, minimum_effect)
  SELECT DISTINCT ON (v.project, p.name, p.variant, r.scenario_id, r.executor, r.engine_version,
      m.id)
    v.project, p.name, p.variant, r.scenario_id, r.executor, r.engine_version, m.id,
    m.unit, m.direction,
    CASE WHEN m.name = ANY(j.judged_metrics) THEN 'headline' ELSE 'counter' END, m.minimum_effect
  FROM unnest($1::bigint[], $2::integer[]) AS n(run_id, metric_id)
  JOIN runs r ON r.id = n.run_id
  JOIN jobs j ON j.id = r.job_id
  JOIN policies p ON p.id = r.policy_id
  JOIN revisions v ON v.id = r.revision_id
  JOIN metrics m ON m.id = n.metric_id
  WHERE NOT EXISTS (
    SELECT FROM series s
    WHERE s.project = v.project AND s.policy = p.name AND s.variant = p.variant
      AND s.scenario_id = r.scenario_id AND s.executor = r.executor
      AND s.engine_version = r.engine_version AND s.metric_id = m.id)
  ORDER BY v.project, p.name, p.variant, r.scenario_id, r.executor, r.engine_version, m.id, r.job_id
  ON CONFLICT DO NOTHING
)sql";

constexpr const char* kInsertSamples = R"sql(
  WITH added AS (
    INSERT INTO samples (series_id, revision_id, policy_id, run_id, repetition, value)
    SELECT s.id, r.revision_id, r.policy_id, r.id, r.repetition, n.value
    FROM unnest($1::bigint[], $2::integer[], $3::double precision[]) AS n(run_id, metric_id, value)
    JOIN runs r ON r.id = n.run_id
    JOIN policies p ON p.id = r.policy_id
    JOIN revisions v ON v.id = r.revision_id
    JOIN series s ON s.project = v.project AND s.policy = p.name AND s.variant = p.variant
      AND s.scenario_id = r.scenario_id AND s.executor = r.executor
      AND s.engine_version = r.engine_version AND s.metric_id = n.metric_id
    RETURNING series_id, revision_id
  )
  INSERT INTO points (series_id, revision_id)
  SELECT DISTINCT a.series_id, a.revision_id FROM added a
  WHERE NOT EXISTS (
    SELECT FROM points p WHERE p.series_id = a.series_id AND p.revision_id = a.revision_id)
  ORDER BY a.series_id, a.revision_id
  ON CONFLICT DO NOTHING
)sql";

void InsertResults(pqxx::work& transaction, const MetricIds& metric_ids,
                   std::span<const MeasuredRun> measured) {
  SqlArray runs;
  SqlArray digests;
  SqlArray event_counts;
  SqlArray simulated;
  SqlArray id_arrays;
  SqlArray value_arrays;
  for (const MeasuredRun& run : measured) {
    SqlArray ids;
    SqlArray values;
    for (const auto& [name, value] : run.result->metrics) {
      ids.Add(metric_ids.at(name));
      values.Add(value);
    }
    runs.Add(run.run.value);
    digests.Add(static_cast<std::int64_t>(run.result->digest));
    event_counts.Add(run.result->event_count);
    simulated.Add(run.result->simulated_ns);
    id_arrays.Add(std::string_view(ids.text()));
    value_arrays.Add(std::string_view(values.text()));
  }
  transaction.exec_params(kInsertResults, runs.text(), digests.text(), event_counts.text(),
                          simulated.text(), id_arrays.text(), value_arrays.text());
}

void InsertSamples(pqxx::work& transaction, const MetricIds& metric_ids,
                   std::span<const MeasuredRun> measured) {
  SqlArray runs;
  SqlArray ids;
  SqlArray values;
  for (const MeasuredRun& run : measured) {
    for (const auto& [name, value] : run.result->metrics) {
      runs.Add(run.run.value);
      ids.Add(metric_ids.at(name));
      values.Add(value);
    }
  }
  transaction.exec_params(kInsertSeries, runs.text(), ids.text());
  transaction.exec_params(kInsertSamples, runs.text(), ids.text(), values.text());
}

}  // namespace

MetricIds ReadMetricIds(pqxx::work& transaction) {
  MetricIds ids;
  const pqxx::result rows = transaction.exec("SELECT name, id FROM metrics");
  for (const pqxx::row& row : rows) ids.emplace(row[0].c_str(), row[1].as<std::int64_t>());
  return ids;
}

void StoreResults(pqxx::work& transaction, const MetricIds& metric_ids,
                  std::span<const MeasuredRun> measured) {
  if (measured.empty()) return;
  InsertResults(transaction, metric_ids, measured);
  InsertSamples(transaction, metric_ids, measured);
}

}  // namespace schedlab::server
