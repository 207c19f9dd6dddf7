-- The life of alerts: who changed their state, when and why. Rows are only ever added.

-- `from_state` is NULL where the alert was raised; `request_id` where no person changed it.
CREATE TABLE alert_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  alert_id bigint NOT NULL REFERENCES alerts,
  happened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  from_state text CHECK (from_state IN ('open', 'acknowledged', 'resolved', 'dismissed')),
  to_state text NOT NULL CHECK (to_state IN ('open', 'acknowledged', 'resolved', 'dismissed')),
  who text NOT NULL,
  why text NOT NULL,
  request_id text UNIQUE
);

CREATE INDEX alert_events_by_alert ON alert_events (alert_id, id);

CREATE FUNCTION refuse_change_of_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the history of alerts is only added to';
END
$$;

CREATE TRIGGER alert_events_are_kept BEFORE UPDATE OR DELETE ON alert_events
FOR EACH ROW EXECUTE FUNCTION refuse_change_of_history();

-- `merged_into_id`: the alert that has the cells of this one now. `withdrawn_sample_count`: how many
-- samples its series had when later results did not show its change any more. No more of them, no
-- new finding. `variant` is from now on that of the strongest cell: one change of a policy is one
-- alert, whatever switches were set by hand.
ALTER TABLE alerts
  ADD COLUMN merged_into_id bigint REFERENCES alerts,
  ADD COLUMN withdrawn_sample_count bigint;

INSERT INTO alert_events (alert_id, happened_at, from_state, to_state, who, why)
SELECT id, created_at, NULL, 'open', 'schedlab', 'raised' FROM alerts ORDER BY id;

INSERT INTO alert_events (alert_id, happened_at, from_state, to_state, who, why)
SELECT a.id, a.updated_at, 'open', a.state, 'schedlab',
  coalesce('recovered by ' || r.revision, 'before there was a history')
FROM alerts a LEFT JOIN revisions r ON r.id = a.recovered_id
WHERE a.state <> 'open' ORDER BY a.id;

-- The same columns as before: what got better is no cell of the count, and no change of the alert.
CREATE OR REPLACE VIEW reporting.alerts AS
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
  (SELECT count(*) FROM alert_cells c WHERE c.alert_id = a.id AND c.is_regression) AS cell_count,
  (SELECT c.relative_change FROM alert_cells c WHERE c.alert_id = a.id AND c.is_regression
   ORDER BY abs(c.effect_sd) DESC, c.series_id LIMIT 1) AS relative_change,
  a.updated_at,
  a.merged_into_id
FROM alerts a
JOIN revisions r ON r.id = a.revision_id
JOIN revisions p ON p.id = a.previous_id
JOIN revisions f ON f.id = a.interval_first_id
JOIN revisions l ON l.id = a.interval_last_id
LEFT JOIN revisions e ON e.id = a.recovered_id;

CREATE VIEW reporting.alert_events AS
SELECT e.alert_id, e.happened_at AS time, a.project, e.from_state, e.to_state, e.who, e.why
FROM alert_events e JOIN alerts a ON a.id = e.alert_id;

-- What became of each alert, by its state and by whether a person brought it there.
CREATE VIEW reporting.alert_outcomes AS
SELECT
  a.id AS alert_id,
  a.created_at AS time,
  a.project,
  a.policy,
  CASE WHEN a.state = 'resolved' AND e.request_id IS NULL THEN 'recovered'
       WHEN a.state = 'dismissed' AND e.request_id IS NULL THEN 'withdrawn'
       ELSE a.state END AS outcome
FROM alerts a
JOIN LATERAL (
  SELECT request_id FROM alert_events WHERE alert_id = a.id ORDER BY id DESC LIMIT 1
) e ON true
WHERE a.merged_into_id IS NULL;

-- Of the alerts that are decided, the share that was not dismissed; NULL where none is.
CREATE VIEW reporting.alert_precision AS
SELECT
  project,
  count(*) AS alert_count,
  count(*) FILTER (WHERE outcome = 'open') AS open_count,
  count(*) FILTER (WHERE outcome = 'acknowledged') AS acknowledged_count,
  count(*) FILTER (WHERE outcome = 'resolved') AS resolved_count,
  count(*) FILTER (WHERE outcome = 'recovered') AS recovered_count,
  count(*) FILTER (WHERE outcome = 'dismissed') AS dismissed_count,
  count(*) FILTER (WHERE outcome = 'withdrawn') AS withdrawn_count,
  (count(*) FILTER (WHERE outcome IN ('acknowledged', 'resolved', 'recovered')))::double precision
    / nullif(count(*) FILTER (WHERE outcome <> 'open'), 0) AS precision
FROM reporting.alert_outcomes
GROUP BY project;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'schedlab_reader') THEN
    GRANT SELECT ON reporting.alert_events, reporting.alert_outcomes, reporting.alert_precision
      TO schedlab_reader;
  END IF;
END
$$;
