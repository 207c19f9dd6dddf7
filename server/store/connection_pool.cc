#include "server/store/connection_pool.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <string_view>
#include <utility>

#include "core/check.h"
#include "server/store/pooled_connection.h"
#include "server/store/postgres_errors.h"

namespace schedlab::server {
namespace {

using ConninfoOptions = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

// Backslash and quote are what a value in quotes must escape (PostgreSQL 15, section 34.1.1).
std::string Quoted(std::string_view value) {
  std::string quoted = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// What of a connection string may be shown (never the password), and the string with a
// connect_timeout, without which libpq waits for ever.
struct Target {
  std::string connection_string;
  std::string place;
};

Result<Target> ParseTarget(const PoolOptions& options) {
  char* message = nullptr;
  const ConninfoOptions parsed(PQconninfoParse(options.connection_string.c_str(), &message),
                               &PQconninfoFree);
  if (parsed == nullptr) {
    const std::string reason = message == nullptr ? "out of memory" : message;
    PQfreemem(message);
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the connection string of the database is malformed: {}", reason));
  }
  Target target;
  bool has_timeout = false;
  for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view keyword = option->keyword;
    target.connection_string += fmt::format("{}={} ", keyword, Quoted(option->val));
    has_timeout = has_timeout || keyword == "connect_timeout";
    if (keyword == "host" || keyword == "hostaddr" || keyword == "port" || keyword == "dbname") {
      target.place +=
          fmt::format("{}{} '{}'", target.place.empty() ? "" : ", ", keyword, option->val);
    }
  }
  if (!has_timeout) {
    target.connection_string += fmt::format("connect_timeout={}", options.connect_timeout.count());
  }
  if (target.place.empty()) target.place = "the default socket";
  return target;
}

// Read committed is what the locking order of the store is made for.
void ApplySettings(pqxx::connection& database, const PoolOptions& options) {
  pqxx::work transaction(database);
  transaction.exec(fmt::format(
      "SET application_name = {}; SET statement_timeout = {}; SET lock_timeout = {};"
      "SET idle_in_transaction_session_timeout = {}; SET timezone = 'UTC';"
      "SET extra_float_digits = 1; SET bytea_output = 'hex'; SET client_encoding = 'UTF8';"
      "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED",
      transaction.quote(options.application_name), options.statement_timeout.count(),
      options.lock_timeout.count(), options.idle_in_transaction_timeout.count()));
  transaction.commit();
}

// Deprecated because 7.x never reconnects; 6.4 does unless it is told not to.
void ForbidReconnects(pqxx::connection& database) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  database.inhibit_reactivation(true);
#pragma GCC diagnostic pop
}

}  // namespace

ConnectionPool::Loan::Loan(ConnectionPool& pool, std::unique_ptr<PooledConnection> connection)
    : pool_(&pool), connection_(std::move(connection)) {}

ConnectionPool::Loan::Loan(Loan&&) noexcept = default;

ConnectionPool::Loan::~Loan() {
  if (connection_ != nullptr) pool_->Return(std::move(connection_), is_discarded_);
}

ConnectionPool::ConnectionPool(PoolOptions options) : options_(std::move(options)) {
  SCHEDLAB_CHECK(options_.connection_count > 0);
}

ConnectionPool::~ConnectionPool() = default;

Result<ConnectionPool::Loan> ConnectionPool::Acquire() {
  if (Status slot = WaitForSlot(); !slot) return Fail(slot.error());
  if (std::unique_ptr<PooledConnection> idle = TakeIdle()) return Loan(*this, std::move(idle));
  Result<std::unique_ptr<PooledConnection>> opened = Open();
  if (!opened) {
    Return(nullptr, /*is_discarded=*/false);
    return Fail(opened.error());
  }
  return Loan(*this, std::move(*opened));
}

PoolStatistics ConnectionPool::Statistics() {
  const MutexLock lock(mutex_);
  PoolStatistics statistics = statistics_;
  statistics.idle_count = static_cast<std::int64_t>(idle_.size());
  return statistics;
}

// The monotonic clock bounds a wait only; nothing is decided or stored by it.
Status ConnectionPool::WaitForSlot() {
  const auto deadline = std::chrono::steady_clock::now() + options_.acquire_timeout;
  const MutexLock lock(mutex_);
  ++statistics_.waiting_count;
  while (statistics_.in_use_count >= options_.connection_count) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= std::chrono::nanoseconds::zero()) {
      --statistics_.waiting_count;
      ++statistics_.exhausted_count;
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("all {} database connections of this server were in use for {} ms: "
                              "try again, or raise its number of connections",
                              options_.connection_count, options_.acquire_timeout.count()));
    }
    returned_.WaitFor(mutex_, left);
  }
  --statistics_.waiting_count;
  ++statistics_.in_use_count;
  return {};
}

std::unique_ptr<PooledConnection> ConnectionPool::TakeIdle() {
  const MutexLock lock(mutex_);
  if (idle_.empty()) return nullptr;
  std::unique_ptr<PooledConnection> connection = std::move(idle_.back());
  idle_.pop_back();
  return connection;
}

Result<std::unique_ptr<PooledConnection>> ConnectionPool::Open() {
  const Result<Target> target = ParseTarget(options_);
  if (!target) return Fail(target.error());
  Result<std::unique_ptr<PooledConnection>> opened =
      Guarded([&]() -> Result<std::unique_ptr<PooledConnection>> {
        auto connection = std::make_unique<PooledConnection>(target->connection_string);
        ForbidReconnects(connection->database);
        ApplySettings(connection->database, options_);
        return connection;
      });
  if (!opened) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("cannot connect to PostgreSQL at {}: {}; is it running, and may this "
                            "user connect to it?",
                            target->place, opened.error().message));
  }
  const MutexLock lock(mutex_);
  ++statistics_.opened_count;
  return opened;
}

void ConnectionPool::Return(std::unique_ptr<PooledConnection> connection, bool is_discarded) {
  if (is_discarded) connection.reset();  // closes a socket: not under the lock
  const MutexLock lock(mutex_);
  --statistics_.in_use_count;
  if (is_discarded) ++statistics_.discarded_count;
  if (connection != nullptr) idle_.push_back(std::move(connection));
  returned_.NotifyOne();
}

}  // namespace schedlab::server
