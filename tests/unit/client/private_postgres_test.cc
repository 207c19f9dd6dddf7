#include "client/private_postgres.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace schedlab::client {
namespace {

TEST(PrivatePostgresTest, ReadsTheMajorVersion) {
  EXPECT_EQ(MajorVersionOf("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), 15);
  EXPECT_EQ(MajorVersionOf("postgres (PostgreSQL) 17beta1\n"), 17);
  EXPECT_EQ(MajorVersionOf("mysqld  Ver 8.0\n"), 0);
}

TEST(PrivatePostgresTest, ASocketsPathHasAtMost107Bytes) {
  const std::string name = "/.s.PGSQL.5432";

  EXPECT_TRUE(FitsSocket(std::string(107 - name.size(), 'x')));
  EXPECT_FALSE(FitsSocket(std::string(108 - name.size(), 'x')));
}

TEST(PrivatePostgresTest, WithoutProgramsTheErrorSaysWhatToInstall) {
  setenv("SCHEDLAB_PG_BINDIR", "/nonexistent", 1);  // NOLINT(concurrency-mt-unsafe): one thread

  const Result<PostgresInstall> install = FindPostgres(0);
  unsetenv("SCHEDLAB_PG_BINDIR");  // NOLINT(concurrency-mt-unsafe): one thread

  ASSERT_FALSE(install);
  EXPECT_EQ(install.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(install.error().message.find("apt-get install postgresql"), std::string::npos);
  EXPECT_NE(install.error().message.find("/nonexistent"), std::string::npos);
}

}  // namespace
}  // namespace schedlab::client
