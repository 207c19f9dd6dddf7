#include "proto/rpc/status.h"

#include <gtest/gtest.h>

namespace schedlab::rpc {
namespace {

TEST(StatusTest, KeepsCodeAndMessageBothWays) {
  const Error error{ErrorCode::kAborted, "run 7 is now leased as attempt 2, not 1"};

  const grpc::Status status = ToGrpc(error);

  EXPECT_EQ(status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(FromGrpc(status).code, ErrorCode::kAborted);
  EXPECT_EQ(FromGrpc(status).message, error.message);
}

TEST(StatusTest, MakesACodeThatIsNotOursInternalAndNamesIt) {
  const Error error = FromGrpc({grpc::StatusCode::UNIMPLEMENTED, "no such method"});

  EXPECT_EQ(error.code, ErrorCode::kInternal);
  EXPECT_EQ(error.message, "no such method (gRPC status 12)");
}

}  // namespace
}  // namespace schedlab::rpc
