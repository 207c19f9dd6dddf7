-- What A/A evaluations found: gates that compare a revision with itself under other noise. Whatever
-- they call worse or better is a false alarm.

-- Of one that has finished: how many headline metrics it judged, and how many of them it called worse
-- or better. NULL for every other campaign.
ALTER TABLE campaigns
  ADD COLUMN aa_cell_count integer,
  ADD COLUMN aa_false_count integer,
  ADD CHECK ((aa_cell_count IS NULL) = (aa_false_count IS NULL));

CREATE INDEX campaigns_aa ON campaigns (project, finished_at) WHERE aa_cell_count IS NOT NULL;

CREATE VIEW reporting.aa_evaluations AS
SELECT
  c.id AS campaign_id,
  c.finished_at AS time,
  c.project,
  c.question_json::jsonb #>> '{question,suite,suite}' AS suite,
  c.question_json::jsonb #>> '{sides,candidate,id}' AS revision,
  c.run_count,
  c.aa_cell_count AS cell_count,
  c.aa_false_count AS false_count
FROM campaigns c
WHERE c.aa_cell_count IS NOT NULL;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'schedlab_reader') THEN
    GRANT SELECT ON reporting.aa_evaluations TO schedlab_reader;
  END IF;
END
$$;
