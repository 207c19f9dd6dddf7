#include "server/store/postgres_errors.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace schedlab::server {
namespace {

// libpq ends its messages with a line feed and puts details on lines of their own.
std::string OneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      line += "; ";
    } else {
      line += c;
    }
  }
  while (line.ends_with("; ")) line.resize(line.size() - 2);
  return line;
}

// Codes: PostgreSQL 15, appendix A.
ErrorCode CodeOf(std::string_view sqlstate) {
  if (sqlstate == "25006") return ErrorCode::kUnavailable;             // a standby, or demoted
  if (sqlstate == "57014") return ErrorCode::kDeadlineExceeded;        // statement_timeout
  if (sqlstate == "55P03") return ErrorCode::kUnavailable;             // lock_timeout
  if (sqlstate == "25P03") return ErrorCode::kUnavailable;             // idle in transaction
  if (sqlstate == "23505") return ErrorCode::kAlreadyExists;           // unique violation
  if (sqlstate == "42501") return ErrorCode::kPermissionDenied;        // of the database's role
  if (sqlstate == "42P01") return ErrorCode::kFailedPrecondition;      // no such table
  if (sqlstate == "42703") return ErrorCode::kFailedPrecondition;      // no such column
  if (sqlstate.starts_with("57P")) return ErrorCode::kUnavailable;     // shutdown or crash
  if (sqlstate.starts_with("08")) return ErrorCode::kUnavailable;      // connection
  if (sqlstate.starts_with("53")) return ErrorCode::kUnavailable;      // disk, memory, connections
  if (sqlstate.starts_with("40")) return ErrorCode::kAborted;          // rolled back
  if (sqlstate.starts_with("22")) return ErrorCode::kInvalidArgument;  // a value out of its type
  return ErrorCode::kInternal;
}

Error FromSqlError(const pqxx::sql_error& error) {
  const ErrorCode code = CodeOf(error.sqlstate());
  const std::string_view advice =
      code == ErrorCode::kFailedPrecondition
          ? " (the database's schema is not this server's: run its migrations)"
          : "";
  return Error{code, fmt::format("the database refused a statement: {} [{}]{}",
                                 OneLine(error.what()), error.sqlstate(), advice)};
}

}  // namespace

Error ToError(const pqxx::pqxx_exception& exception) {
  const std::string text = OneLine(exception.base().what());
  if (const auto* error = dynamic_cast<const pqxx::sql_error*>(&exception)) {
    return FromSqlError(*error);
  }
  if (dynamic_cast<const pqxx::in_doubt_error*>(&exception) != nullptr ||
      dynamic_cast<const pqxx::statement_completion_unknown*>(&exception) != nullptr) {
    return Error{ErrorCode::kUnavailable,
                 fmt::format("whether the database committed is not known: {}", text)};
  }
  if (dynamic_cast<const pqxx::transaction_rollback*>(&exception) != nullptr) {
    return Error{ErrorCode::kAborted, fmt::format("the database rolled back: {}", text)};
  }
  if (dynamic_cast<const pqxx::broken_connection*>(&exception) != nullptr) {
    return Error{ErrorCode::kUnavailable,
                 fmt::format("the connection to the database was lost: {}", text)};
  }
  return Error{ErrorCode::kInternal,
               fmt::format("the database's answer was not expected: {}", text)};
}

}  // namespace schedlab::server
