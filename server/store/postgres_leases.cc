// Leases: acquired, renewed with the worker's every call, lost.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>

#include "core/check.h"
#include "server/store/lost_leases.h"
#include "server/store/postgres_job_store.h"
#include "server/store/run_rows.h"
#include "server/store/sql_values.h"
#include "server/store/transact.h"

namespace schedlab::server {
namespace {

// Leases that one sweep gives up, so that its transaction stays short.
constexpr std::int32_t kMaxExpiredPerSweep = 1'000;

constexpr const char* kAcquire = R"sql(
  WITH picked AS (
    SELECT run_id FROM live_runs
    WHERE worker_name IS NULL AND executor = $1 AND engine_version = $2
    ORDER BY job_id, position LIMIT $3
    FOR UPDATE SKIP LOCKED
  )
  UPDATE live_runs q SET attempt = q.attempt + 1, token = gen_random_uuid(), worker_name = $4,
    incarnation = $5, leased_at = now(), lease_until = now() + $6 * interval '1 millisecond'
  FROM picked WHERE q.run_id = picked.run_id
  RETURNING q.job_id, q.position, q.run_id, q.attempt, q.token,
    (extract(epoch FROM q.leased_at - q.queued_at) * 1000000)::bigint
)sql";

constexpr const char* kLockLeasesOfWorker = R"sql(
  SELECT run_id, attempt, token, incarnation, lease_until > now() FROM live_runs
  WHERE worker_name = $1 ORDER BY run_id FOR UPDATE
)sql";

constexpr const char* kRenew = R"sql(
  UPDATE live_runs q SET lease_until = now() + $4 * interval '1 millisecond'
  FROM unnest($1::bigint[], $2::integer[], $3::uuid[]) AS r(run_id, attempt, token)
  WHERE q.run_id = r.run_id AND q.attempt = r.attempt AND q.token = r.token
)sql";

constexpr const char* kLockExpired = R"sql(
  SELECT run_id, attempt, worker_name FROM live_runs
  WHERE worker_name IS NOT NULL AND lease_until < now()
  ORDER BY run_id LIMIT $1 FOR UPDATE SKIP LOCKED
)sql";

constexpr const char* kForgetWorkers =
    "DELETE FROM workers WHERE last_seen_at <= now() - interval '1 day'";

constexpr const char* kSeeWorker = R"sql(
  INSERT INTO workers AS w (name, incarnation, build_version, executors, engine_version, slot_count,
    is_draining)
  VALUES ($1, $2, $3, $4::text[], $5, $6, $7)
  ON CONFLICT (name) DO UPDATE SET incarnation = excluded.incarnation,
    earlier_incarnations = CASE WHEN w.incarnation = excluded.incarnation
      THEN w.earlier_incarnations
      ELSE (w.incarnation || w.earlier_incarnations)[1:$8] END,
    build_version = excluded.build_version, executors = excluded.executors,
    engine_version = excluded.engine_version, slot_count = excluded.slot_count,
    is_draining = excluded.is_draining, last_seen_at = now()
  WHERE NOT excluded.incarnation = ANY (w.earlier_incarnations)
)sql";

Status SeeWorker(pqxx::work& transaction, const WorkerIdentity& worker) {
  SqlArray executors;
  for (const Executor executor : worker.executors) executors.Add(ToString(executor));
  const pqxx::result seen = transaction.exec_params(
      kSeeWorker, worker.name, worker.incarnation, worker.build_version, executors.text(),
      worker.engine_version, worker.slot_count, worker.is_draining, kMaxEarlierIncarnations);
  if (seen.affected_rows() == 0) return Fail(SupersededError(worker.name));
  return {};
}

// How the leases of a worker's name stand against what its process says it runs.
struct Comparison {
  std::vector<LostLease> of_earlier_incarnations;
  std::vector<AttemptRef> renewed;
  std::vector<AttemptRef> undelivered;
  std::vector<AttemptRef> stop;
};

Comparison Compare(const pqxx::result& leases, const WorkerStatus& status) {
  Comparison comparison;
  std::set<AttemptRef> running(status.running.begin(), status.running.end());
  for (const pqxx::row& row : leases) {
    const AttemptRef lease = {.run = {row[0].as<std::int64_t>()},
                              .attempt = row[1].as<std::int32_t>(),
                              .token = row[2].c_str()};
    if (status.identity.incarnation != row[3].c_str()) {
      comparison.of_earlier_incarnations.push_back(
          {lease.run, lease.attempt, fmt::format("worker {} restarted", status.identity.name)});
    } else if (running.erase(lease) > 0) {
      comparison.renewed.push_back(lease);
    } else if (row[4].as<bool>()) {
      comparison.undelivered.push_back(lease);  // not renewed: it must be taken up in time
    }
  }
  comparison.stop.assign(running.begin(), running.end());
  return comparison;
}

void Renew(pqxx::work& transaction, std::span<const AttemptRef> attempts,
           std::chrono::milliseconds ttl) {
  if (attempts.empty()) return;
  SqlArray runs;
  SqlArray numbers;
  SqlArray tokens;
  for (const AttemptRef& attempt : attempts) {
    runs.Add(attempt.run.value);
    numbers.Add(std::int64_t{attempt.attempt});
    tokens.Add(std::string_view(attempt.token));
  }
  transaction.exec_params(kRenew, runs.text(), numbers.text(), tokens.text(),
                          static_cast<std::int64_t>(ttl.count()));
}

Result<std::vector<Lease>> WithSpecs(pqxx::work& transaction,
                                     std::span<const AttemptRef> attempts) {
  std::vector<RunId> runs;
  for (const AttemptRef& attempt : attempts) runs.push_back(attempt.run);
  Result<std::vector<RunSpec>> specs = ReadSpecs(transaction, runs);
  if (!specs) return Fail(specs.error());
  std::vector<Lease> leases;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    leases.push_back({.attempt = attempts[i], .spec = std::move((*specs)[i])});
  }
  return leases;
}

struct AcquiredRow {
  std::pair<std::int64_t, std::int64_t> order;  // (job, position)
  AttemptRef attempt;
  std::chrono::microseconds queue_wait{};
};

// Executors are asked in the order in which the worker names them, until `count` is reached: one
// index range each, where a single query over all of them would sort the backlog.
std::vector<AcquiredRow> Acquire(pqxx::work& transaction, const WorkerIdentity& worker,
                                 std::int32_t count, std::chrono::milliseconds ttl) {
  std::vector<AcquiredRow> all;
  for (const Executor executor : worker.executors) {
    const auto left = count - static_cast<std::int32_t>(all.size());
    if (left <= 0) break;
    const pqxx::result rows = transaction.exec_params(
        kAcquire, std::string(ToString(executor)), worker.engine_version, left, worker.name,
        worker.incarnation, static_cast<std::int64_t>(ttl.count()));
    std::vector<AcquiredRow> acquired;
    for (const pqxx::row& row : rows) {
      acquired.push_back({.order = {row[0].as<std::int64_t>(), row[1].as<std::int64_t>()},
                          .attempt = {.run = {row[2].as<std::int64_t>()},
                                      .attempt = row[3].as<std::int32_t>(),
                                      .token = row[4].c_str()},
                          .queue_wait = std::chrono::microseconds(row[5].as<std::int64_t>())});
    }
    std::sort(acquired.begin(), acquired.end(),
              [](const AcquiredRow& a, const AcquiredRow& b) { return a.order < b.order; });
    std::move(acquired.begin(), acquired.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace

Result<AcquiredLeases> PostgresJobStore::AcquireLeases(const WorkerIdentity& worker,
                                                       std::int32_t count) {
  if (count <= 0 || worker.is_draining) return AcquiredLeases();
  const std::int32_t bounded = std::min(count, kMaxSlotsPerWorker);
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<AcquiredLeases> {
    AcquiredLeases acquired;
    std::vector<AttemptRef> attempts;
    for (AcquiredRow& row : Acquire(transaction, worker, bounded, lease_ttl_)) {
      attempts.push_back(std::move(row.attempt));
      acquired.queue_waits.push_back(row.queue_wait);
    }
    Result<std::vector<Lease>> leases = WithSpecs(transaction, attempts);
    if (!leases) return Fail(leases.error());
    acquired.leases = std::move(*leases);
    return acquired;
  });
}

Result<LeaseReconciliation> PostgresJobStore::Reconcile(const WorkerStatus& status) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<LeaseReconciliation> {
    if (Status s = SeeWorker(transaction, status.identity); !s) return Fail(s.error());
    const pqxx::result leases = transaction.exec_params(kLockLeasesOfWorker, status.identity.name);
    Comparison comparison = Compare(leases, status);
    GiveUpLeases(transaction, comparison.of_earlier_incarnations);
    Renew(transaction, comparison.renewed, lease_ttl_);
    Result<std::vector<Lease>> redelivered = WithSpecs(transaction, comparison.undelivered);
    if (!redelivered) return Fail(redelivered.error());
    return LeaseReconciliation{.redelivered = std::move(*redelivered),
                               .stop = std::move(comparison.stop)};
  });
}

Result<SweepOutcome> PostgresJobStore::ExpireLeases() {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<SweepOutcome> {
    transaction.exec(kForgetWorkers);
    std::vector<LostLease> lost;
    const pqxx::result rows = transaction.exec_params(kLockExpired, kMaxExpiredPerSweep);
    for (const pqxx::row& row : rows) {
      lost.push_back({{row[0].as<std::int64_t>()},
                      row[1].as<std::int32_t>(),
                      fmt::format("the lease of worker {} expired", row[2].c_str())});
    }
    return GiveUpLeases(transaction, lost);
  });
}

}  // namespace schedlab::server
