#include "client/exit_code.h"

namespace schedlab::client {

ExitCode ExitCodeOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kResourceExhausted:
      return ExitCode::kUsage;
    case ErrorCode::kDeadlineExceeded:
      return ExitCode::kTimedOut;
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kUnauthenticated:
      return ExitCode::kNotAuthorised;
    case ErrorCode::kCancelled:
      return ExitCode::kInterrupted;
    case ErrorCode::kFailedPrecondition:
    case ErrorCode::kAborted:
    case ErrorCode::kUnavailable:
      return ExitCode::kInfrastructure;
    case ErrorCode::kInternal:
      return ExitCode::kInternal;
  }
  return ExitCode::kInternal;
}

}  // namespace schedlab::client
