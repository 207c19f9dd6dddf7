#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace schedlab {

// The numbers are gRPC's, so that the edge maps a code by a cast (proto/rpc/status.cc asserts it).
enum class ErrorCode {
  kCancelled = 1,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kInternal = 13,
  kUnavailable = 14,
  kUnauthenticated = 16,
};

// Why something expected failed. The message is a lower-case clause with its ids and values; it
// reads well after "cannot submit the job: ".
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
};

// The value, or why there is none. Derived rather than an alias so that dropping one warns.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

using Status = Result<void>;

inline tl::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

inline tl::unexpected<Error> Fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace schedlab
