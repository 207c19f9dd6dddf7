-- Results by series, what was found in them, and the alerts about it.
--
-- A sample carries ids only; its primary key holds the value too, so that a whole series is read
-- from one range of one index. Change points and alerts name revisions by id, never by position.

CREATE TYPE sample_summary AS (
  sample_count bigint,
  mean double precision,
  stddev double precision,
  median double precision,
  minimum double precision,
  maximum double precision
);

-- Unit, direction, role and minimum effect are those of the first run that was stored.
CREATE TABLE series (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project text NOT NULL,
  policy text NOT NULL,
  variant text NOT NULL,
  scenario_id integer NOT NULL REFERENCES scenarios,
  executor text NOT NULL,
  engine_version text NOT NULL,
  metric_id integer NOT NULL REFERENCES metrics,
  unit text NOT NULL,
  direction text NOT NULL CHECK (direction IN ('higher_is_better', 'lower_is_better')),
  role text NOT NULL CHECK (role IN ('headline', 'counter')),
  minimum_effect double precision NOT NULL,
  UNIQUE (project, policy, variant, scenario_id, executor, engine_version, metric_id)
);

CREATE INDEX series_by_scenario ON series (scenario_id);

-- Which revisions a series has samples of.
CREATE TABLE points (
  series_id integer NOT NULL,
  revision_id integer NOT NULL,
  PRIMARY KEY (series_id, revision_id)
);

CREATE INDEX points_by_revision ON points (revision_id, series_id);

-- The switches of a revision as they were last submitted, by variant. Catalogs may differ in them,
-- and samples of two policies are never one point: the point of a revision is its samples of this
-- policy, and those of others are kept but not read.
CREATE TABLE revision_policies (
  revision_id integer NOT NULL REFERENCES revisions,
  variant text NOT NULL,
  policy_id integer NOT NULL REFERENCES policies,
  PRIMARY KEY (revision_id, variant)
);

CREATE TABLE samples (
  series_id integer NOT NULL,
  revision_id integer NOT NULL,
  policy_id integer NOT NULL,
  run_id bigint NOT NULL,
  repetition integer NOT NULL,
  value double precision NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (series_id, revision_id, run_id) INCLUDE (policy_id, repetition, value)
);

CREATE INDEX samples_by_time ON samples USING brin (recorded_at);

-- How many analyses of a project have been stored. An analysis of what was read before the last of
-- them is refused: it might put back what that one had replaced.
CREATE TABLE analysis_generations (
  project text PRIMARY KEY,
  generation bigint NOT NULL
);

CREATE TABLE change_points (
  series_id integer NOT NULL REFERENCES series,
  revision_id integer NOT NULL REFERENCES revisions,
  previous_id integer NOT NULL REFERENCES revisions,
  interval_first_id integer NOT NULL REFERENCES revisions,
  interval_last_id integer NOT NULL REFERENCES revisions,
  relative_change double precision NOT NULL,
  effect_sd double precision NOT NULL,
  p_value double precision NOT NULL,
  is_regression boolean NOT NULL,
  before sample_summary NOT NULL,
  after sample_summary NOT NULL,
  found_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (series_id, revision_id)
);

-- One change of one policy and variant. The ordinals repeat the interval's ends, for the search of
-- overlapping intervals by which an alert is recognised when it is found again.
CREATE TABLE alerts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project text NOT NULL,
  policy text NOT NULL,
  variant text NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'acknowledged', 'resolved', 'dismissed')),
  revision_id integer NOT NULL REFERENCES revisions,
  previous_id integer NOT NULL REFERENCES revisions,
  interval_first_id integer NOT NULL REFERENCES revisions,
  interval_last_id integer NOT NULL REFERENCES revisions,
  first_ordinal bigint NOT NULL,
  last_ordinal bigint NOT NULL,
  recovered_id integer REFERENCES revisions,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX alerts_by_interval ON alerts (project, policy, variant, first_ordinal);

CREATE TABLE alert_cells (
  alert_id bigint NOT NULL REFERENCES alerts,
  series_id integer NOT NULL REFERENCES series,
  revision_id integer NOT NULL REFERENCES revisions,
  previous_id integer NOT NULL REFERENCES revisions,
  interval_first_id integer NOT NULL REFERENCES revisions,
  interval_last_id integer NOT NULL REFERENCES revisions,
  relative_change double precision NOT NULL,
  effect_sd double precision NOT NULL,
  p_value double precision NOT NULL,
  is_regression boolean NOT NULL,
  before sample_summary NOT NULL,
  after sample_summary NOT NULL,
  recovered_id integer REFERENCES revisions,
  recovered_relative_change double precision,
  PRIMARY KEY (alert_id, series_id)
);

CREATE TABLE alert_counters (
  alert_id bigint NOT NULL,
  series_id integer NOT NULL,
  position integer NOT NULL,
  metric text NOT NULL,
  unit text NOT NULL,
  before double precision NOT NULL,
  after double precision NOT NULL,
  relative_change double precision,
  effect_sd double precision NOT NULL,
  PRIMARY KEY (alert_id, series_id, position),
  FOREIGN KEY (alert_id, series_id) REFERENCES alert_cells ON DELETE CASCADE
);

CREATE TABLE alert_unchanged_cells (
  alert_id bigint NOT NULL REFERENCES alerts,
  series_id integer NOT NULL REFERENCES series,
  relative_change double precision NOT NULL,
  before sample_summary NOT NULL,
  after sample_summary NOT NULL,
  PRIMARY KEY (alert_id, series_id)
);
