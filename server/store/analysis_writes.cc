// What the analysis of finished jobs claims and stores.

#include <fmt/format.h>

#include <set>
#include <utility>

#include "core/limits.h"
#include "server/store/alert_rows.h"
#include "server/store/analysis_store.h"
#include "server/store/change_rows.h"
#include "server/store/job_rows.h"
#include "server/store/series_rows.h"
#include "server/store/transact.h"

namespace schedlab::server {
namespace {

constexpr const char* kClaim = R"sql(
  UPDATE jobs SET analysis_claimed_until = now() + $1 * interval '1 second',
    analysis_token = gen_random_uuid()
  WHERE id = (
    SELECT id FROM jobs
    WHERE finished_at IS NOT NULL AND analyzed_at IS NULL
      AND (analysis_claimed_until IS NULL OR analysis_claimed_until < now())
    ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
  RETURNING id, analysis_token
)sql";

constexpr const char* kRelease = R"sql(
  UPDATE jobs SET analysis_claimed_until = NULL, analysis_token = NULL,
    analysis_try_count = analysis_try_count + 1,
    analyzed_at = CASE WHEN analysis_try_count + 1 >= $3 THEN now() END,
    analysis_failure = CASE WHEN analysis_try_count + 1 >= $3 THEN left($4, $5::integer) ELSE '' END
  WHERE id = $1 AND analysis_token = $2::uuid AND analyzed_at IS NULL
  RETURNING analyzed_at IS NOT NULL
)sql";

constexpr const char* kNextGeneration = R"sql(
  INSERT INTO analysis_generations AS g (project, generation) VALUES ($1, 1)
  ON CONFLICT (project) DO UPDATE SET generation = g.generation + 1
)sql";

constexpr const char* kInsertChanges = R"sql(
  INSERT INTO change_points (series_id, revision_id, previous_id, interval_first_id,
    interval_last_id, relative_change, effect_sd, p_value, is_regression, before, after)
  SELECT n.series_id, n.revision_id, n.previous_id, n.interval_first_id, n.interval_last_id,
    n.relative_change, n.effect_sd, n.p_value, n.is_regression, n.before::sample_summary,
    n.after::sample_summary
  FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[], $5::integer[],
    $6::double precision[], $7::double precision[], $8::double precision[], $9::boolean[],
    $10::text[], $11::text[])
    AS n(series_id, revision_id, previous_id, interval_first_id, interval_last_id,
      relative_change, effect_sd, p_value, is_regression, before, after)
)sql";

// Two analyses of one project at once would each miss the other's alerts.
void LockAnalysisOf(pqxx::work& transaction, const std::string& project) {
  transaction.exec_params("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
                          "schedlab analysis of " + project);
}

// Of the outcome, with those of its alerts' cells.
std::vector<SeriesId> AnalysedSeries(const AnalysisOutcome& outcome) {
  std::set<SeriesId> ids;
  for (const SeriesChangePoints& series : outcome.change_points) ids.insert(series.series);
  for (const Alert& alert : outcome.alerts) {
    for (const AlertCell& cell : alert.cells) ids.insert(cell.series.id);
    for (const CellBeside& cell : alert.unchanged) ids.insert(cell.series.id);
  }
  return {ids.begin(), ids.end()};
}

Status StoreChangePoints(pqxx::work& transaction, const std::string& project,
                         const AnalysisOutcome& outcome, const SeriesById& known) {
  const RevisionIds revisions = RevisionIds::Read(transaction, project);
  ChangeArrays rows;
  SqlArray replaced;
  for (const SeriesChangePoints& series : outcome.change_points) {
    replaced.Add(series.series.value);
    for (const StoredChangePoint& change : series.change_points) {
      Status added = rows.Add(known.at(series.series), change, revisions);
      if (!added) return added;
    }
  }
  transaction.exec_params("DELETE FROM change_points WHERE series_id = ANY($1::integer[])",
                          replaced.text());
  transaction.exec_params(kInsertChanges, rows.series.text(), rows.revisions.text(),
                          rows.previous.text(), rows.interval_firsts.text(),
                          rows.interval_lasts.text(), rows.relative_changes.text(),
                          rows.effects.text(), rows.p_values.text(), rows.regressions.text(),
                          rows.befores.text(), rows.afters.text());
  return {};
}

Status StoreOutcome(pqxx::work& transaction, const std::string& project,
                    const AnalysisOutcome& outcome) {
  const std::vector<SeriesId> analysed = AnalysedSeries(outcome);
  const Result<SeriesById> known = ReadSeriesRows(transaction, analysed);
  if (!known) return Fail(known.error());
  if (known->size() != analysed.size()) {
    return Fail(ErrorCode::kInvalidArgument, "the outcome names a series that is not stored");
  }
  Status changes = StoreChangePoints(transaction, project, outcome, *known);
  if (!changes) return changes;
  return StoreAlerts(transaction, project, outcome.alerts, analysed);
}

struct ClaimedJob {
  std::string project;
  bool is_analyzed = false;
};

Result<ClaimedJob> FindClaimed(pqxx::work& transaction, const AnalysisClaim& claim) {
  const pqxx::result rows = transaction.exec_params(
      "SELECT project, analyzed_at IS NOT NULL, analysis_token::text = $2 FROM jobs WHERE id = $1",
      claim.job.id.value, claim.token);
  if (rows.empty()) return Fail(ErrorCode::kNotFound, fmt::format("no job {}", claim.job.id.value));
  if (rows[0][2].is_null() || !rows[0][2].as<bool>()) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("job {} is claimed by another analysis", claim.job.id.value));
  }
  return ClaimedJob{rows[0][0].c_str(), rows[0][1].as<bool>()};
}

// Requires: the project's analysis is locked.
Status AdvanceGeneration(pqxx::work& transaction, const std::string& project,
                         std::int64_t generation) {
  const std::int64_t stored = ReadGeneration(transaction, project);
  if (stored != generation) {
    return Fail(ErrorCode::kAborted,
                fmt::format("project '{}' was analysed meanwhile: generation {}, not {}", project,
                            stored, generation));
  }
  transaction.exec_params(kNextGeneration, project);
  return {};
}

}  // namespace

AnalysisStore::AnalysisStore(ConnectionPool& pool) : pool_(pool) {}

Result<std::optional<AnalysisClaim>> AnalysisStore::ClaimFinishedJob() {
  return Transact(pool_, [](pqxx::work& transaction) -> Result<std::optional<AnalysisClaim>> {
    const pqxx::result rows =
        transaction.exec_params(kClaim, static_cast<std::int64_t>(kAnalysisClaim.count()));
    if (rows.empty()) return std::optional<AnalysisClaim>();
    Result<Job> job = ReadJob(transaction, {rows[0][0].as<std::int64_t>()});
    if (!job) return Fail(job.error());
    return std::optional(AnalysisClaim{.job = std::move(*job), .token = rows[0][1].c_str()});
  });
}

Status AnalysisStore::StoreAnalysis(const AnalysisClaim& claim, std::int64_t generation,
                                    const AnalysisOutcome& outcome) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Status {
    Result<ClaimedJob> job = FindClaimed(transaction, claim);
    if (!job) return Fail(job.error());
    if (job->is_analyzed) return {};
    LockAnalysisOf(transaction, job->project);
    Status advanced = AdvanceGeneration(transaction, job->project, generation);
    if (!advanced) return advanced;
    if (Status stored = StoreOutcome(transaction, job->project, outcome); !stored) return stored;
    const pqxx::result marked = transaction.exec_params(
        "UPDATE jobs SET analyzed_at = now() WHERE id = $1 AND analysis_token = $2::uuid "
        "AND analyzed_at IS NULL",
        claim.job.id.value, claim.token);
    if (marked.affected_rows() == 1) return {};
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("job {} was claimed by another analysis", claim.job.id.value));
  });
}

Result<bool> AnalysisStore::ReleaseAnalysis(const AnalysisClaim& claim,
                                            const std::string& failure) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<bool> {
    const pqxx::result rows =
        transaction.exec_params(kRelease, claim.job.id.value, claim.token, kMaxAnalysisTries,
                                failure, static_cast<std::int64_t>(kMaxTextLength));
    return !rows.empty() && rows[0][0].as<bool>();
  });
}

}  // namespace schedlab::server
