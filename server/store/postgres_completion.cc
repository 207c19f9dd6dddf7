// Reports: the one transaction that ranks a result, or keeps it as an orphan.

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "server/store/postgres_job_store.h"
#include "server/store/report_rules.h"
#include "server/store/run_rows.h"
#include "server/store/sample_rows.h"
#include "server/store/sql_values.h"
#include "server/store/transact.h"

namespace schedlab::server {
namespace {

constexpr const char* kLockLeases = R"sql(
  SELECT run_id, attempt, token FROM live_runs
  WHERE run_id = ANY($1::bigint[]) AND worker_name IS NOT NULL
  ORDER BY run_id FOR UPDATE
)sql";

// Attempts whose reports were accepted before, whether they ended their runs or were retried.
constexpr const char* kAcceptedBefore = R"sql(
  SELECT id, attempt, token::text FROM runs
  WHERE id = ANY($1::bigint[]) AND token IS NOT NULL
  UNION ALL
  SELECT run_id, attempt, token FROM unranked_reports
  WHERE run_id = ANY($1::bigint[]) AND disposition = 'retried'
)sql";

// A run that never existed leaves no orphan.
constexpr const char* kKeepUnranked = R"sql(
  INSERT INTO unranked_reports (run_id, attempt, token, worker_name, disposition, failure, digest,
    metric_names, metric_values)
  SELECT r.id, $2, $3, $4, $5, $6, $7, $8::text[], $9::double precision[]
  FROM runs r WHERE r.id = $1
  ON CONFLICT DO NOTHING
)sql";

std::vector<RunId> RunsOf(std::span<const AttemptReport> reports) {
  std::vector<RunId> runs;
  for (const AttemptReport& report : reports) runs.push_back(report.attempt.run);
  return runs;
}

std::set<AttemptRef> AttemptsOf(const pqxx::result& rows) {
  std::set<AttemptRef> attempts;
  for (const pqxx::row& row : rows) {
    attempts.insert({.run = {row[0].as<std::int64_t>()},
                     .attempt = row[1].as<std::int32_t>(),
                     .token = row[2].c_str()});
  }
  return attempts;
}

void KeepUnranked(pqxx::work& transaction, const std::string& worker_name,
                  const AttemptReport& report, std::string_view disposition) {
  std::string failure;
  std::optional<std::int64_t> digest;
  SqlArray names;
  SqlArray values;
  if (const auto* failed = std::get_if<AttemptFailure>(&report.outcome)) {
    failure = failed->message;
  } else {
    const auto& result = std::get<RunResult>(report.outcome);
    digest = static_cast<std::int64_t>(result.digest);
    for (const auto& [name, value] : result.metrics) {
      names.Add(std::string_view(name));
      values.Add(value);
    }
  }
  const std::string digest_text = digest ? fmt::format("{}", *digest) : "";
  transaction.exec_params(kKeepUnranked, report.attempt.run.value, report.attempt.attempt,
                          report.attempt.token, worker_name, std::string(disposition), failure,
                          digest ? digest_text.c_str() : nullptr, names.text(), values.text());
}

// What is to be written for the reports of one call.
struct Verdicts {
  std::vector<ReportDisposition> dispositions;
  std::vector<EndedRun> ended;
  std::vector<RunId> requeued;
  std::vector<MeasuredRun> measured;
};

// The reports of current leases; the others are kept, and judged by what was accepted before.
class Judge {
 public:
  Judge(pqxx::work& transaction, const std::string& worker_name)
      : transaction_(transaction), worker_name_(worker_name) {}

  Verdicts Take(std::span<const AttemptReport> reports) {
    const std::string runs = ArrayOfIds<RunId>(RunsOf(reports)).text();
    current_ = AttemptsOf(transaction_.exec_params(kLockLeases, runs));
    accepted_ = AttemptsOf(transaction_.exec_params(kAcceptedBefore, runs));
    metric_ids_ = ReadMetricIds(transaction_);
    for (const AttemptReport& report : reports) {
      verdicts_.dispositions.push_back(TakeOne(report));
    }
    return std::move(verdicts_);
  }

  const MetricIds& metric_ids() const { return metric_ids_; }

 private:
  ReportDisposition TakeOne(const AttemptReport& report) {
    if (current_.erase(report.attempt) > 0) {
      accepted_.insert(report.attempt);
      Accept(report);
      return ReportDisposition::kAccepted;
    }
    if (accepted_.count(report.attempt) > 0) return ReportDisposition::kAccepted;
    KeepUnranked(transaction_, worker_name_, report, "orphaned");
    return ReportDisposition::kOrphaned;
  }

  void Accept(const AttemptReport& report) {
    const ReportRuling ruling =
        RuleOn(report, [&](const std::string& name) { return metric_ids_.count(name) > 0; });
    if (ruling.outcome == RunState::kQueued) {
      KeepUnranked(transaction_, worker_name_, report, "retried");
      verdicts_.requeued.push_back(report.attempt.run);
      return;
    }
    verdicts_.ended.push_back({.run = report.attempt.run,
                               .outcome = ruling.outcome,
                               .attempt = report.attempt.attempt,
                               .token = report.attempt.token,
                               .worker_name = worker_name_,
                               .failure = ruling.failure});
    if (ruling.outcome == RunState::kSucceeded) {
      verdicts_.measured.push_back({report.attempt.run, &std::get<RunResult>(report.outcome)});
    }
  }

  pqxx::work& transaction_;
  const std::string& worker_name_;
  std::set<AttemptRef> current_;
  std::set<AttemptRef> accepted_;
  MetricIds metric_ids_;
  Verdicts verdicts_;
};

}  // namespace

Result<std::vector<ReportDisposition>> PostgresJobStore::CompleteAttempts(
    const std::string& worker_name, std::span<const AttemptReport> reports) {
  if (reports.empty()) return std::vector<ReportDisposition>();
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<std::vector<ReportDisposition>> {
    Judge judge(transaction, worker_name);
    Verdicts verdicts = judge.Take(reports);
    RequeueRuns(transaction, verdicts.requeued);
    StoreResults(transaction, judge.metric_ids(), verdicts.measured);
    EndRuns(transaction, verdicts.ended);
    return std::move(verdicts.dispositions);
  });
}

}  // namespace schedlab::server
