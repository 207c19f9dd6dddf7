#pragma once

#include <grpcpp/support/status.h>

#include "core/result.h"

namespace schedlab::rpc {

// The status that a handler returns for an error.
grpc::Status ToGrpc(const Error& error);

// The error that a caller makes of a status. Requires: !status.ok(). Codes that schedlab does not
// use are kInternal, with their number in the message.
Error FromGrpc(const grpc::Status& status);

}  // namespace schedlab::rpc
