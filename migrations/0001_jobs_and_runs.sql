-- What is submitted and what executes it: jobs, runs, the live queue with its leases, workers.
--
-- Dimensions (policies, scenarios, revisions, metrics) are stored once and named by small ids.
-- A run is written twice, at its creation and at its end; in between it lives in live_runs, which
-- holds queued and leased runs only and so stays small however many runs there have been.
-- Every write to a leased run is fenced by its primary key, attempt and token, never by a state.
-- The bulk tables have no foreign keys: rows are inserted together with what they refer to, by one
-- transaction of server/store/, and never deleted alone; a check a row would double their cost.

CREATE TABLE policies (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest text NOT NULL UNIQUE,
  name text NOT NULL,
  revision text NOT NULL,
  variant text NOT NULL,
  spec_json text NOT NULL
);

CREATE TABLE scenarios (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest text NOT NULL UNIQUE,
  topology text NOT NULL,
  workload text NOT NULL,
  spec_json text NOT NULL
);

-- One commit as it was last submitted. The revision is '' for a policy without a history.
CREATE TABLE revisions (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project text NOT NULL,
  policy text NOT NULL,
  revision text NOT NULL,
  ordinal bigint NOT NULL,
  aliases text[] NOT NULL,
  subject text NOT NULL,
  date text NOT NULL,
  UNIQUE (project, policy, revision)
);

-- The catalog's metrics as they were last submitted; a series keeps those it started with.
CREATE TABLE metrics (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  unit text NOT NULL,
  direction text NOT NULL CHECK (direction IN ('higher_is_better', 'lower_is_better')),
  minimum_effect double precision NOT NULL,
  meaning text NOT NULL
);

-- Runs that have ended are counted here by the transactions that end them; how many are leased is
-- counted in live_runs, and the rest are queued.
CREATE TABLE jobs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_id text NOT NULL UNIQUE,
  content_digest text NOT NULL,
  project text NOT NULL,
  suite text NOT NULL,
  spec_json text NOT NULL,
  judged_metrics text[] NOT NULL,
  state text NOT NULL CHECK (state IN ('running', 'succeeded', 'failed', 'cancelled')),
  run_count bigint NOT NULL DEFAULT 0,
  succeeded_count bigint NOT NULL DEFAULT 0,
  failed_count bigint NOT NULL DEFAULT 0,
  cancelled_count bigint NOT NULL DEFAULT 0,
  cached_run_count bigint NOT NULL DEFAULT 0,
  first_failure text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  analyzed_at timestamptz,
  analysis_claimed_until timestamptz,
  analysis_token uuid,
  analysis_try_count integer NOT NULL DEFAULT 0,
  analysis_failure text NOT NULL DEFAULT '',
  CHECK (succeeded_count + failed_count + cancelled_count <= run_count),
  CHECK ((state = 'running') = (finished_at IS NULL))
) WITH (fillfactor = 70);

CREATE INDEX jobs_by_project ON jobs (project, id);
CREATE INDEX jobs_to_analyze ON jobs (id) WHERE finished_at IS NOT NULL AND analyzed_at IS NULL;

-- The header of a run. The outcome is NULL while the run is in live_runs; its attempt, token, worker
-- and the time of its lease are those of the attempt that ended it.
CREATE TABLE runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL,
  job_id bigint NOT NULL,
  policy_id integer NOT NULL,
  scenario_id integer NOT NULL,
  revision_id integer NOT NULL,
  executor text NOT NULL,
  engine_version text NOT NULL,
  repetition integer NOT NULL,
  seed bigint NOT NULL,
  outcome text CHECK (outcome IN ('succeeded', 'failed', 'cancelled')),
  attempt integer NOT NULL DEFAULT 0,
  token uuid,
  worker_name text,
  failure text NOT NULL DEFAULT '',
  leased_at timestamptz,
  finished_at timestamptz
) WITH (fillfactor = 85);

-- The result cache: at most one run of a key is live or has succeeded.
CREATE UNIQUE INDEX runs_shared_key ON runs (key) WHERE outcome IS NULL OR outcome = 'succeeded';

-- Which runs a job is made of, in the order of expansion. A run may belong to many jobs.
CREATE TABLE job_runs (
  job_id bigint NOT NULL,
  position integer NOT NULL,
  run_id bigint NOT NULL,
  PRIMARY KEY (job_id, position)
);

CREATE INDEX job_runs_by_run ON job_runs (run_id, job_id);

-- The live queue: a row is queued while worker_name is NULL, else leased. There is no index on
-- lease_until: the leases are few, and an index would be written at every renewal.
CREATE TABLE live_runs (
  run_id bigint PRIMARY KEY,
  job_id bigint NOT NULL,
  position integer NOT NULL,
  executor text NOT NULL,
  engine_version text NOT NULL,
  queued_at timestamptz NOT NULL DEFAULT now(),
  attempt integer NOT NULL DEFAULT 0,
  token uuid,
  worker_name text,
  incarnation text,
  leased_at timestamptz,
  lease_until timestamptz,
  CHECK ((worker_name IS NULL) = (token IS NULL)),
  CHECK ((worker_name IS NULL) = (leased_at IS NULL)),
  CHECK ((worker_name IS NULL) = (lease_until IS NULL))
) WITH (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 200,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX live_runs_queued ON live_runs (executor, engine_version, job_id, position)
  WHERE worker_name IS NULL;
CREATE INDEX live_runs_leased ON live_runs (worker_name) WHERE worker_name IS NOT NULL;

-- The ranked result of a run that succeeded, by run. 0002 has the same values by series.
CREATE TABLE run_results (
  run_id bigint PRIMARY KEY,
  digest bigint NOT NULL,
  event_count bigint NOT NULL,
  simulated_ns bigint NOT NULL,
  metric_ids integer[] NOT NULL,
  metric_values double precision[] NOT NULL
);

-- Reports that did not end their run: failures that were retried, and orphans (reports of a lost
-- lease), which are kept for audit and never counted.
CREATE TABLE unranked_reports (
  run_id bigint NOT NULL,
  attempt integer NOT NULL,
  token text NOT NULL,
  worker_name text NOT NULL,
  disposition text NOT NULL CHECK (disposition IN ('retried', 'orphaned')),
  failure text NOT NULL,
  digest bigint,
  metric_names text[],
  metric_values double precision[],
  reported_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, attempt, token)
);

-- The earlier incarnations are those that a newer process of the same name has superseded, the latest
-- first, as far as they are remembered.
CREATE TABLE workers (
  name text PRIMARY KEY,
  incarnation text NOT NULL,
  earlier_incarnations text[] NOT NULL DEFAULT '{}',
  build_version text NOT NULL,
  executors text[] NOT NULL,
  engine_version text NOT NULL,
  slot_count integer NOT NULL,
  is_draining boolean NOT NULL,
  first_seen_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 70);
