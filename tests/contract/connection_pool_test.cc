#include "server/store/connection_pool.h"

#include <gtest/gtest.h>

#include <string>

#include "server/store/transact.h"
#include "tests/support/test_database.h"

namespace schedlab::server {
namespace {

using ::schedlab::testing::SchemaOf;
using ::schedlab::testing::TestDatabase;

Result<std::string> Ask(ConnectionPool& pool, const std::string& sql) {
  return Transact(pool, [&](pqxx::work& transaction) -> Result<std::string> {
    return std::string(transaction.exec1(sql)[0].c_str());
  });
}

class ConnectionPoolTest : public ::testing::Test {
 protected:
  void KillOthers() {
    database_.Query(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()");
  }

  TestDatabase database_{SchemaOf::kNothing};
};

TEST_F(ConnectionPoolTest, AConnectionIsUsedAgain) {
  ConnectionPool pool(database_.pool_options());

  const auto first = Ask(pool, "SELECT pg_backend_pid()");
  const auto second = Ask(pool, "SELECT pg_backend_pid()");

  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(*first, second.value_or("none"));
  EXPECT_EQ(pool.Statistics().opened_count, 1);
  EXPECT_EQ(pool.Statistics().idle_count, 1);
}

TEST_F(ConnectionPoolTest, AKilledConnectionIsDiscardedAndTheNextHasItsSettings) {
  PoolOptions options = database_.pool_options();
  options.statement_timeout = std::chrono::milliseconds(1234);
  ConnectionPool pool(options);
  ASSERT_TRUE(Ask(pool, "SELECT 1").has_value());
  KillOthers();

  const auto lost = Ask(pool, "SELECT 1");
  const auto timeout = Ask(pool, "SHOW statement_timeout");
  const auto name = Ask(pool, "SHOW application_name");

  ASSERT_FALSE(lost.has_value());
  EXPECT_EQ(lost.error().code, ErrorCode::kUnavailable) << lost.error().message;
  EXPECT_EQ(timeout.value_or(""), "1234ms");
  EXPECT_EQ(name.value_or(""), "schedlab-server");
  EXPECT_EQ(pool.Statistics().opened_count, 2);
  EXPECT_EQ(pool.Statistics().discarded_count, 1);
}

TEST_F(ConnectionPoolTest, AConnectionKilledInsideATransactionIsUnavailable) {
  ConnectionPool pool(database_.pool_options());

  const Status status = Transact(pool, [&](pqxx::work& transaction) -> Status {
    transaction.exec("SELECT 1");
    KillOthers();
    transaction.exec("SELECT 1");
    return {};
  });

  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable) << status.error().message;
  EXPECT_EQ(pool.Statistics().idle_count, 0);
}

TEST_F(ConnectionPoolTest, ACommitInDoubtIsUnavailable) {
  ConnectionPool pool(database_.pool_options());

  const Status status = Transact(pool, [&](pqxx::work& transaction) -> Status {
    transaction.exec("CREATE TABLE lost (id integer)");
    KillOthers();
    return {};
  });

  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable) << status.error().message;
}

TEST_F(ConnectionPoolTest, AFailedStatementDiscardsItsConnection) {
  ConnectionPool pool(database_.pool_options());

  const auto refused = Ask(pool, "SELECT * FROM missing");

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(pool.Statistics().discarded_count, 1);
}

TEST_F(ConnectionPoolTest, AReadOnlyServerIsUnavailable) {
  ConnectionPool pool(database_.pool_options());

  const Status status = Transact(pool, [](pqxx::work& transaction) -> Status {
    transaction.exec("SET TRANSACTION READ ONLY");
    transaction.exec("CREATE TABLE refused (id integer)");
    return {};
  });

  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable) << status.error().message;
  EXPECT_EQ(pool.Statistics().discarded_count, 1);
}

TEST_F(ConnectionPoolTest, AnExhaustedPoolSaysSo) {
  PoolOptions options = database_.pool_options();
  options.connection_count = 1;
  options.acquire_timeout = std::chrono::milliseconds(1);
  ConnectionPool pool(options);
  const auto held = pool.Acquire();
  ASSERT_TRUE(held.has_value()) << held.error().message;

  const auto refused = pool.Acquire();

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(refused.error().message,
            "all 1 database connections of this server were in use for 1 ms: try again, or raise "
            "its number of connections");
  EXPECT_EQ(pool.Statistics().exhausted_count, 1);
  EXPECT_EQ(pool.Statistics().in_use_count, 1);
}

TEST_F(ConnectionPoolTest, AServerThatIsAwayIsNamed) {
  ConnectionPool pool({.connection_string = "host=/nonexistent password=secret"});

  const auto refused = pool.Acquire();

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(refused.error().message.find("cannot connect to PostgreSQL at host '/nonexistent'"),
            std::string::npos)
      << refused.error().message;
  EXPECT_EQ(refused.error().message.find("secret"), std::string::npos);
  EXPECT_EQ(pool.Statistics().in_use_count, 0);
}

}  // namespace
}  // namespace schedlab::server
