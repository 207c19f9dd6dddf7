-- What dashboards read: the schema `reporting` and the role schedlab_reader, which sees nothing
-- else. To let a login role read it, as a superuser or the database's owner:
--
--   GRANT schedlab_reader TO grafana;
--   ALTER ROLE grafana SET statement_timeout = '30s';
--   ALTER ROLE grafana SET default_transaction_read_only = on;
--
-- The settings must be given to the login role itself, since PostgreSQL does not inherit them; those
-- of schedlab_reader hold when it is given LOGIN. A role belongs to the whole cluster: where this
-- server's role may not create roles, create it once by hand (CREATE ROLE schedlab_reader NOLOGIN)
-- and run the GRANTs at the end of this file.

CREATE SCHEMA reporting;

-- The instant of a commit's date: ISO 8601, with "~" appended where it is approximate. NULL where
-- there is none.
CREATE FUNCTION reporting.instant(date text) RETURNS timestamptz
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN CASE
    WHEN date ~ '^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:?\d{2})~?$'
      THEN rtrim(date, '~')::timestamptz
    WHEN date ~ '^\d{4}-\d{2}-\d{2}~?$'
      THEN rtrim(date, '~')::date::timestamp AT TIME ZONE 'UTC'
    WHEN date ~ '^\d{4}-\d{2}~?$'
      THEN (rtrim(date, '~') || '-01')::date::timestamp AT TIME ZONE 'UTC'
  END;

CREATE VIEW reporting.series AS
SELECT
  s.id AS series_id,
  s.project,
  s.policy,
  s.variant,
  c.topology,
  c.workload,
  m.name AS metric,
  s.unit,
  s.direction,
  s.role,
  s.executor,
  s.engine_version,
  c.digest AS scenario_digest
FROM series s
JOIN scenarios c ON c.id = s.scenario_id
JOIN metrics m ON m.id = s.metric_id;

-- One row a revision of a series; time is the commit's. A stddev is over n - 1, NULL for n = 1.
CREATE VIEW reporting.series_points AS
SELECT
  reporting.instant(r.date) AS time,
  s.project,
  s.policy,
  s.variant,
  s.topology,
  s.workload,
  s.metric,
  s.unit,
  s.direction,
  s.role,
  r.revision,
  r.ordinal,
  r.subject,
  p.mean,
  p.stddev,
  p.n,
  p.minimum,
  p.maximum,
  p.recorded_at,
  s.series_id,
  s.executor,
  s.engine_version,
  s.scenario_digest
FROM reporting.series s
JOIN points q ON q.series_id = s.series_id
JOIN revisions r ON r.id = q.revision_id
-- By point, so that a filter on the series reaches the samples: they are never read all.
CROSS JOIN LATERAL (
  SELECT
    avg(value) AS mean,
    stddev_samp(value) AS stddev,
    count(*) AS n,
    min(value) AS minimum,
    max(value) AS maximum,
    max(recorded_at) AS recorded_at
  FROM samples
  WHERE samples.series_id = q.series_id AND samples.revision_id = q.revision_id
    AND samples.policy_id = (
      SELECT w.policy_id FROM revision_policies w
      WHERE w.revision_id = q.revision_id AND w.variant = s.variant)
  HAVING count(*) > 0
) p;

CREATE VIEW reporting.change_points AS
SELECT
  reporting.instant(r.date) AS time,
  s.project,
  s.policy,
  s.variant,
  s.topology,
  s.workload,
  s.metric,
  s.unit,
  s.direction,
  r.revision,
  r.ordinal,
  r.subject,
  c.relative_change,
  c.effect_sd,
  c.p_value,
  c.is_regression,
  c.found_at,
  c.series_id
FROM change_points c
JOIN reporting.series s ON s.series_id = c.series_id
JOIN revisions r ON r.id = c.revision_id;

CREATE VIEW reporting.alerts AS
SELECT
  a.id AS alert_id,
  a.created_at AS time,
  a.project,
  a.policy,
  a.variant,
  a.state,
  r.revision,
  r.subject,
  p.revision AS previous_revision,
  f.revision AS interval_first,
  l.revision AS interval_last,
  e.revision AS recovered_revision,
  (SELECT count(*) FROM alert_cells c WHERE c.alert_id = a.id) AS cell_count,
  (SELECT c.relative_change FROM alert_cells c WHERE c.alert_id = a.id
   ORDER BY abs(c.effect_sd) DESC, c.series_id LIMIT 1) AS relative_change,
  a.updated_at
FROM alerts a
JOIN revisions r ON r.id = a.revision_id
JOIN revisions p ON p.id = a.previous_id
JOIN revisions f ON f.id = a.interval_first_id
JOIN revisions l ON l.id = a.interval_last_id
LEFT JOIN revisions e ON e.id = a.recovered_id;

-- What an alert touched, one row a series. A stddev is over n - 1, NULL for n = 1.
CREATE VIEW reporting.alert_cells AS
SELECT
  c.alert_id,
  s.project,
  s.policy,
  s.variant,
  s.topology,
  s.workload,
  s.metric,
  s.unit,
  s.direction,
  r.revision,
  r.ordinal,
  r.subject,
  c.relative_change,
  c.effect_sd,
  c.p_value,
  c.is_regression,
  (c.before).mean AS before_mean,
  (c.before).stddev AS before_stddev,
  (c.before).sample_count AS before_n,
  (c.after).mean AS after_mean,
  (c.after).stddev AS after_stddev,
  (c.after).sample_count AS after_n,
  e.revision AS recovered_revision,
  e.subject AS recovered_subject,
  c.recovered_relative_change,
  c.series_id
FROM alert_cells c
JOIN reporting.series s ON s.series_id = c.series_id
JOIN revisions r ON r.id = c.revision_id
LEFT JOIN revisions e ON e.id = c.recovered_id;

-- Always two rows, one a state.
CREATE VIEW reporting.queue AS
SELECT
  q.state,
  q.count,
  q.oldest_age_seconds
FROM (
  SELECT
    'queued' AS state,
    count(*) AS count,
    coalesce(extract(epoch FROM now() - min(queued_at)), 0)::double precision AS oldest_age_seconds
  FROM live_runs WHERE worker_name IS NULL
  UNION ALL
  SELECT
    'leased',
    count(*),
    coalesce(extract(epoch FROM now() - min(queued_at)), 0)::double precision
  FROM live_runs WHERE worker_name IS NOT NULL
) q;

CREATE VIEW reporting.workers AS
SELECT
  w.name AS worker,
  w.build_version,
  w.engine_version,
  w.executors,
  w.slot_count,
  (SELECT count(*) FROM live_runs l WHERE l.worker_name = w.name) AS leased_count,
  w.is_draining,
  w.first_seen_at,
  w.last_seen_at,
  extract(epoch FROM now() - w.last_seen_at)::double precision AS last_seen_age_seconds
FROM workers w;

CREATE VIEW reporting.jobs AS
SELECT
  j.id AS job_id,
  j.created_at AS time,
  j.project,
  j.suite,
  j.state,
  j.run_count,
  j.succeeded_count,
  j.failed_count,
  j.cancelled_count,
  j.run_count - j.succeeded_count - j.failed_count - j.cancelled_count AS live_count,
  j.cached_run_count,
  j.first_failure,
  j.finished_at,
  extract(epoch FROM coalesce(j.finished_at, now()) - j.created_at)::double precision
    AS duration_seconds,
  j.analyzed_at IS NOT NULL AS is_analyzed
FROM jobs j;

-- Runs that have ended, except those that were never leased. queue_wait_seconds is the time from the
-- submission of the job to the lease of the attempt that ended the run, earlier attempts included.
CREATE VIEW reporting.run_waits AS
SELECT
  r.id AS run_id,
  r.job_id,
  r.leased_at AS time,
  r.attempt,
  r.outcome,
  r.worker_name AS worker,
  extract(epoch FROM r.leased_at - j.created_at)::double precision AS queue_wait_seconds,
  extract(epoch FROM r.finished_at - r.leased_at)::double precision AS execution_seconds
FROM runs r
JOIN jobs j ON j.id = r.job_id
WHERE r.leased_at IS NOT NULL;

-- Another database of the same cluster may create the role at the same moment.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'schedlab_reader') THEN
    CREATE ROLE schedlab_reader NOLOGIN;
    ALTER ROLE schedlab_reader SET statement_timeout = '30s';
    ALTER ROLE schedlab_reader SET default_transaction_read_only = on;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN
    NULL;
  WHEN insufficient_privilege THEN
    RAISE WARNING 'role schedlab_reader was not created: % may not create roles', current_user;
END
$$;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'schedlab_reader') THEN
    GRANT USAGE ON SCHEMA reporting TO schedlab_reader;
    GRANT SELECT ON ALL TABLES IN SCHEMA reporting TO schedlab_reader;
  END IF;
END
$$;
