#include "proto/rpc/status.h"

#include <fmt/format.h>

#include "core/check.h"

namespace schedlab::rpc {
namespace {

constexpr bool IsSame(ErrorCode ours, grpc::StatusCode theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}

static_assert(IsSame(ErrorCode::kCancelled, grpc::StatusCode::CANCELLED));
static_assert(IsSame(ErrorCode::kInvalidArgument, grpc::StatusCode::INVALID_ARGUMENT));
static_assert(IsSame(ErrorCode::kDeadlineExceeded, grpc::StatusCode::DEADLINE_EXCEEDED));
static_assert(IsSame(ErrorCode::kNotFound, grpc::StatusCode::NOT_FOUND));
static_assert(IsSame(ErrorCode::kAlreadyExists, grpc::StatusCode::ALREADY_EXISTS));
static_assert(IsSame(ErrorCode::kPermissionDenied, grpc::StatusCode::PERMISSION_DENIED));
static_assert(IsSame(ErrorCode::kResourceExhausted, grpc::StatusCode::RESOURCE_EXHAUSTED));
static_assert(IsSame(ErrorCode::kFailedPrecondition, grpc::StatusCode::FAILED_PRECONDITION));
static_assert(IsSame(ErrorCode::kAborted, grpc::StatusCode::ABORTED));
static_assert(IsSame(ErrorCode::kInternal, grpc::StatusCode::INTERNAL));
static_assert(IsSame(ErrorCode::kUnavailable, grpc::StatusCode::UNAVAILABLE));
static_assert(IsSame(ErrorCode::kUnauthenticated, grpc::StatusCode::UNAUTHENTICATED));

bool IsKnown(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::NOT_FOUND:
    case grpc::StatusCode::ALREADY_EXISTS:
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::ABORTED:
    case grpc::StatusCode::INTERNAL:
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::UNAUTHENTICATED:
      return true;
    default:
      return false;
  }
}

}  // namespace

grpc::Status ToGrpc(const Error& error) {
  return {static_cast<grpc::StatusCode>(error.code), error.message};
}

Error FromGrpc(const grpc::Status& status) {
  SCHEDLAB_CHECK(!status.ok());
  if (IsKnown(status.error_code())) {
    return {static_cast<ErrorCode>(status.error_code()), status.error_message()};
  }
  return {ErrorCode::kInternal, fmt::format("{} (gRPC status {})", status.error_message(),
                                            static_cast<int>(status.error_code()))};
}

}  // namespace schedlab::rpc
