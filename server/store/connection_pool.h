#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/mutex.h"
#include "core/result.h"

namespace schedlab::server {

struct PoolOptions {
  std::string connection_string;  // libpq's, of either form
  std::string application_name = "schedlab-server";
  std::int32_t connection_count = 8;  // at most
  std::chrono::milliseconds acquire_timeout{5'000};
  std::chrono::milliseconds statement_timeout{30'000};
  std::chrono::milliseconds lock_timeout{10'000};
  std::chrono::milliseconds idle_in_transaction_timeout{30'000};
  std::chrono::seconds connect_timeout{5};  // unless the connection string has its own
};

struct PoolStatistics {
  std::int64_t in_use_count = 0;
  std::int64_t idle_count = 0;
  std::int64_t waiting_count = 0;    // callers that wait for a connection now
  std::int64_t opened_count = 0;     // since the start, so the next two
  std::int64_t discarded_count = 0;  // thrown away after an error
  std::int64_t exhausted_count = 0;  // callers that waited in vain
};

struct PooledConnection;

// At most `connection_count` connections to one database, opened when they are needed. A
// connection is thrown away on its first error, since libpqxx 6 would reconnect silently and lose
// the session's settings. Thread-safe; must outlive its loans.
class ConnectionPool {
 public:
  // The right to one connection until destruction. Movable, not thread-safe.
  class Loan {
   public:
    Loan(ConnectionPool& pool, std::unique_ptr<PooledConnection> connection);
    Loan(Loan&&) noexcept;
    Loan& operator=(Loan&&) = delete;
    ~Loan();

    PooledConnection& connection() { return *connection_; }
    // The connection is closed at the end of the loan rather than used again.
    void Discard() { is_discarded_ = true; }

   private:
    ConnectionPool* pool_;
    std::unique_ptr<PooledConnection> connection_;
    bool is_discarded_ = false;
  };

  explicit ConnectionPool(PoolOptions options);
  ~ConnectionPool();
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  // kUnavailable: every connection was in use until the deadline, or the database cannot be
  // reached; the message says which, and what to do.
  Result<Loan> Acquire();

  PoolStatistics Statistics();

 private:
  Status WaitForSlot();
  std::unique_ptr<PooledConnection> TakeIdle();
  Result<std::unique_ptr<PooledConnection>> Open();
  void Return(std::unique_ptr<PooledConnection> connection, bool is_discarded);

  const PoolOptions options_;
  Mutex mutex_;
  ConditionVariable returned_;
  std::vector<std::unique_ptr<PooledConnection>> idle_ SCHEDLAB_GUARDED_BY(mutex_);
  PoolStatistics statistics_ SCHEDLAB_GUARDED_BY(mutex_);
};

}  // namespace schedlab::server
