#pragma once

#include <exception>
#include <pqxx/pqxx>
#include <utility>

#include "core/result.h"

namespace schedlab::server {

// What an exception of libpqxx means to a caller. A lost connection, a commit in doubt, a server
// that goes away or turned read-only are kUnavailable (repeat the call); a deadlock or a
// serialization failure is kAborted; values that PostgreSQL refuses are kInvalidArgument.
Error ToError(const pqxx::pqxx_exception& exception);

// Runs `operation` and turns what libpqxx throws into errors. No pqxx exception leaves the store.
template <class Operation>
auto Guarded(Operation operation) -> decltype(operation()) {
  try {
    return std::move(operation)();
  } catch (const pqxx::pqxx_exception& exception) {
    return Fail(ToError(exception));
  }
}

}  // namespace schedlab::server
