#include "client/exit_code.h"

#include <gtest/gtest.h>

namespace schedlab::client {
namespace {

TEST(ExitCodeTest, TellsTheUsersMistakesFromTheInfrastructures) {
  EXPECT_EQ(ExitCodeOf({ErrorCode::kNotFound, ""}), ExitCode::kUsage);
  EXPECT_EQ(ExitCodeOf({ErrorCode::kInvalidArgument, ""}), ExitCode::kUsage);
  EXPECT_EQ(ExitCodeOf({ErrorCode::kResourceExhausted, ""}), ExitCode::kUsage);
  EXPECT_EQ(ExitCodeOf({ErrorCode::kAlreadyExists, ""}), ExitCode::kUsage);
  EXPECT_EQ(ExitCodeOf({ErrorCode::kUnavailable, ""}), ExitCode::kInfrastructure);
  EXPECT_EQ(ExitCodeOf({ErrorCode::kFailedPrecondition, ""}), ExitCode::kInfrastructure);
  EXPECT_EQ(ExitCodeOf({ErrorCode::kDeadlineExceeded, ""}), ExitCode::kTimedOut);
  EXPECT_EQ(ExitCodeOf({ErrorCode::kUnauthenticated, ""}), ExitCode::kNotAuthorised);
  EXPECT_EQ(ExitCodeOf({ErrorCode::kCancelled, ""}), ExitCode::kInterrupted);
}

TEST(ExitCodeTest, ABugIsNeverMistakenForARegression) {
  EXPECT_EQ(ExitCodeOf({ErrorCode::kInternal, ""}), ExitCode::kInternal);
  EXPECT_EQ(static_cast<int>(ExitCode::kRegression), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::kInternal), 70);
}

}  // namespace
}  // namespace schedlab::client
