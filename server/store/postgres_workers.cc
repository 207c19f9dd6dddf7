// What operators see of the queue and the fleet.

#include <utility>

#include "server/store/postgres_job_store.h"
#include "server/store/sql_values.h"
#include "server/store/transact.h"

namespace schedlab::server {
namespace {

constexpr const char* kReadQueue = R"sql(
  SELECT count(*) FILTER (WHERE worker_name IS NULL),
    count(*) FILTER (WHERE worker_name IS NOT NULL),
    coalesce(extract(epoch FROM now() - min(queued_at) FILTER (WHERE worker_name IS NULL)), 0)
      ::double precision
  FROM live_runs
)sql";

// A range of live_runs_queued, of which no more than $3 entries are read.
constexpr const char* kCountQueued = R"sql(
  SELECT count(*) FROM (
    SELECT 1 FROM live_runs
    WHERE worker_name IS NULL AND executor = $1 AND engine_version = $2 LIMIT $3
  ) queued
)sql";

// A worker that has not called for as long as a lease lives has lost every lease.
constexpr const char* kListWorkers = R"sql(
  SELECT w.name, w.incarnation, w.build_version, w.executors, w.engine_version, w.slot_count,
    w.is_draining, coalesce(l.leased_count, 0),
    (extract(epoch FROM w.last_seen_at) * 1000000)::bigint,
    w.last_seen_at < now() - $1 * interval '1 millisecond'
  FROM workers w
  LEFT JOIN (
    SELECT worker_name, count(*) AS leased_count FROM live_runs
    WHERE worker_name IS NOT NULL GROUP BY worker_name
  ) l ON l.worker_name = w.name
  WHERE w.last_seen_at > now() - interval '1 day'
  ORDER BY w.name LIMIT $2
)sql";

WorkerState StateOf(bool is_draining, bool is_lost) {
  if (is_lost) return WorkerState::kLost;
  return is_draining ? WorkerState::kDraining : WorkerState::kActive;
}

Result<Worker> WorkerOf(const pqxx::row& row) {
  Worker worker;
  worker.identity.name = row[0].c_str();
  worker.identity.incarnation = row[1].c_str();
  worker.identity.build_version = row[2].c_str();
  for (const std::string& text : StringsOf(row[3])) {
    const Result<Executor> executor = ExecutorOf(text);
    if (!executor) return Fail(executor.error());
    worker.identity.executors.push_back(*executor);
  }
  worker.identity.engine_version = row[4].c_str();
  worker.identity.slot_count = row[5].as<std::int32_t>();
  worker.identity.is_draining = row[6].as<bool>();
  worker.leased_count = row[7].as<std::int32_t>();
  worker.last_seen_at = TimeOf(row[8]);
  worker.state = StateOf(worker.identity.is_draining, row[9].as<bool>());
  return worker;
}

}  // namespace

Result<std::int64_t> PostgresJobStore::CountQueued(const WorkerIdentity& worker,
                                                   std::int64_t limit) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<std::int64_t> {
    std::int64_t count = 0;
    for (const Executor executor : worker.executors) {
      if (count >= limit) break;
      const pqxx::row row = transaction.exec_params1(kCountQueued, std::string(ToString(executor)),
                                                     worker.engine_version, limit - count);
      count += row[0].as<std::int64_t>();
    }
    return count;
  });
}

Result<QueueSnapshot> PostgresJobStore::ReadQueue() {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<QueueSnapshot> {
    const pqxx::row row = transaction.exec1(kReadQueue);
    return QueueSnapshot{.queued_count = row[0].as<std::int64_t>(),
                         .leased_count = row[1].as<std::int64_t>(),
                         .oldest_queued_age_seconds = DoubleOf(row[2])};
  });
}

Result<std::vector<Worker>> PostgresJobStore::ListWorkers() {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<std::vector<Worker>> {
    std::vector<Worker> workers;
    const pqxx::result rows = transaction.exec_params(
        kListWorkers, static_cast<std::int64_t>(lease_ttl_.count()), kMaxPageSize);
    for (const pqxx::row& row : rows) {
      Result<Worker> worker = WorkerOf(row);
      if (!worker) return Fail(worker.error());
      workers.push_back(std::move(*worker));
    }
    return workers;
  });
}

}  // namespace schedlab::server
