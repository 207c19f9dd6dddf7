#pragma once

#include <cstdint>
#include <pqxx/pqxx>
#include <utility>

#include "core/result.h"
#include "server/store/connection_pool.h"
#include "server/store/pooled_connection.h"
#include "server/store/postgres_errors.h"

namespace schedlab::server {

// Tries of one transaction that PostgreSQL rolls back for a deadlock or a serialization failure.
inline constexpr std::int32_t kMaxTransactionTries = 5;

// Runs `operation(pqxx::work&)`, which returns a Result, in a transaction on a connection of its
// own. Commits where the Result has a value, rolls back otherwise. An exception discards the
// connection; a rollback by PostgreSQL repeats the operation, which must therefore change nothing
// but what it returns. kUnavailable where it was rolled back every time.
template <class Operation>
auto Transact(ConnectionPool& pool, Operation operation)
    -> decltype(operation(std::declval<pqxx::work&>())) {
  using Outcome = decltype(operation(std::declval<pqxx::work&>()));
  for (std::int32_t tries_left = kMaxTransactionTries;; --tries_left) {
    Result<ConnectionPool::Loan> loan = pool.Acquire();
    if (!loan) return Fail(loan.error());
    bool is_complete = false;
    Outcome outcome = Guarded([&]() -> Outcome {
      pqxx::work transaction(loan->connection().database);
      Outcome result = operation(transaction);
      if (result) {
        transaction.commit();
      } else {
        transaction.abort();
      }
      is_complete = true;
      return result;
    });
    if (is_complete) return outcome;
    loan->Discard();
    if (outcome.error().code != ErrorCode::kAborted) return outcome;
    if (tries_left <= 1) return Fail(ErrorCode::kUnavailable, outcome.error().message);
  }
}

}  // namespace schedlab::server
