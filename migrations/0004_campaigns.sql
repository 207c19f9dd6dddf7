-- Campaigns: questions whose number of runs depends on their results. A campaign asks for its runs in
-- rounds of jobs. Its row, the jobs of a round and what is known by then change in one transaction,
-- fenced by the token of whoever has claimed the campaign.

-- The question and the answer are JSON with a version of their own. The round is the last that was
-- asked for; run_count counts the runs that the campaign's jobs brought, not those that existed.
CREATE TABLE campaigns (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_id text NOT NULL UNIQUE,
  content_digest text NOT NULL,
  project text NOT NULL,
  kind text NOT NULL,
  question_json text NOT NULL,
  answer_json text NOT NULL DEFAULT '',
  state text NOT NULL CHECK (state IN ('running', 'finished', 'cancelled', 'failed')),
  failure text NOT NULL DEFAULT '',
  round integer NOT NULL DEFAULT 0,
  run_budget bigint NOT NULL,
  run_count bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  claimed_until timestamptz,
  claim_token uuid,
  try_count integer NOT NULL DEFAULT 0,
  CHECK (run_count <= run_budget),
  CHECK ((state = 'running') = (finished_at IS NULL))
) WITH (fillfactor = 70);

CREATE INDEX campaigns_by_project ON campaigns (project, id);
CREATE INDEX campaigns_running ON campaigns (id) WHERE state = 'running';

CREATE TABLE campaign_jobs (
  campaign_id bigint NOT NULL REFERENCES campaigns,
  round integer NOT NULL,
  job_id bigint NOT NULL REFERENCES jobs,
  PRIMARY KEY (campaign_id, round, job_id)
);

CREATE INDEX campaign_jobs_by_job ON campaign_jobs (job_id);

CREATE VIEW reporting.campaigns AS
SELECT
  c.id AS campaign_id,
  c.created_at AS time,
  c.project,
  c.kind,
  c.state,
  c.round,
  c.run_count,
  c.run_budget,
  (SELECT count(*) FROM campaign_jobs j WHERE j.campaign_id = c.id) AS job_count,
  c.failure,
  c.updated_at,
  c.finished_at,
  extract(epoch FROM coalesce(c.finished_at, now()) - c.created_at)::double precision
    AS duration_seconds
FROM campaigns c;

-- What each gate says of each headline metric, by its last round.
CREATE VIEW reporting.gate_verdicts AS
SELECT
  c.id AS campaign_id,
  c.created_at AS time,
  c.project,
  c.state,
  c.question_json::jsonb #>> '{sides,candidate,id}' AS revision,
  c.question_json::jsonb #>> '{sides,baseline,id}' AS baseline_revision,
  c.question_json::jsonb #>> '{sides,rule_taken}' AS baseline_rule,
  c.question_json::jsonb #>> '{question,suite,suite}' AS suite,
  v.row #>> '{series,policy}' AS policy,
  v.row #>> '{series,variant}' AS variant,
  v.row #>> '{series,topology}' AS topology,
  v.row #>> '{series,workload}' AS workload,
  v.row #>> '{series,metric}' AS metric,
  v.row ->> 'verdict' AS verdict,
  (v.row ->> 'relative_change')::double precision AS relative_change,
  (v.row ->> 'p_value')::double precision AS p_value,
  (v.row #>> '{baseline,count}')::bigint AS baseline_n,
  (v.row #>> '{candidate,count}')::bigint AS candidate_n,
  (v.row #>> '{series,id}')::bigint AS series_id
FROM campaigns c
CROSS JOIN LATERAL jsonb_array_elements(c.answer_json::jsonb #> '{answer,rows}') AS v(row)
WHERE c.kind = 'gate' AND c.answer_json <> '';

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'schedlab_reader') THEN
    GRANT SELECT ON reporting.campaigns, reporting.gate_verdicts TO schedlab_reader;
  END IF;
END
$$;
