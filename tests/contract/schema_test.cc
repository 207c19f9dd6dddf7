#include "server/store/schema.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/support/test_database.h"

namespace schedlab::server {
namespace {

using ::schedlab::testing::SchemaOf;
using ::schedlab::testing::TestDatabase;

constexpr Migration kFirst = {"0001_first.sql", "-- One.\nCREATE TABLE first (id integer);\n"};
constexpr Migration kFirstEdited = {"0001_first.sql", "-- One.\nCREATE TABLE first (id bigint);\n"};
constexpr Migration kFirstOtherLineEnds = {"0001_first.sql",
                                           "-- One.\r\nCREATE TABLE first (id integer);  \r\n\r\n"};
constexpr Migration kSecond = {"0002_second.sql", "CREATE TABLE second (id integer);"};
constexpr Migration kBroken = {"0003_broken.sql", "CREATE TABLE third (id integer); SELECT 1 / 0;"};

class SchemaTest : public ::testing::Test {
 protected:
  Result<std::vector<std::string>> Run(const std::vector<Migration>& migrations) {
    return Migrate(pool_, {.migrations = migrations, .tool_version = "test"});
  }

  TestDatabase database_{SchemaOf::kNothing};
  ConnectionPool pool_{database_.pool_options()};
};

TEST_F(SchemaTest, AFreshDatabaseGetsEveryFileOfTheServer) {
  const auto applied = Migrate(pool_, {.tool_version = "1.2.3"});

  ASSERT_TRUE(applied.has_value()) << applied.error().message;
  EXPECT_EQ(applied->size(), EmbeddedMigrations().size());
  EXPECT_EQ(applied->front(), "0001_jobs_and_runs.sql");
  EXPECT_TRUE(CheckSchema(pool_).has_value());
  EXPECT_EQ(database_.Query("SELECT tool_version FROM schema_migrations WHERE version = 1"),
            "1.2.3");
}

TEST_F(SchemaTest, ASecondRunAppliesNothing) {
  ASSERT_TRUE(Run({kFirst}).has_value());

  const auto applied = Run({kFirst});

  ASSERT_TRUE(applied.has_value()) << applied.error().message;
  EXPECT_TRUE(applied->empty());
}

TEST_F(SchemaTest, OnlyWhatIsNewIsApplied) {
  ASSERT_TRUE(Run({kFirst}).has_value());

  const auto applied = Run({kFirst, kSecond});

  ASSERT_TRUE(applied.has_value()) << applied.error().message;
  EXPECT_EQ(*applied, std::vector<std::string>{"0002_second.sql"});
}

TEST_F(SchemaTest, TwoServersThatStartAtOnceBothSucceed) {
  ConnectionPool other(database_.pool_options());
  Result<std::vector<std::string>> first;
  Result<std::vector<std::string>> second;

  std::thread a([&] { first = Migrate(pool_, {}); });
  std::thread b([&] { second = Migrate(other, {}); });
  a.join();
  b.join();

  ASSERT_TRUE(first.has_value()) << first.error().message;
  ASSERT_TRUE(second.has_value()) << second.error().message;
  EXPECT_EQ(first->size() + second->size(), EmbeddedMigrations().size());
}

TEST_F(SchemaTest, AnEditedFileIsRefusedByName) {
  ASSERT_TRUE(Run({kFirst}).has_value());

  const auto applied = Run({kFirstEdited, kSecond});

  ASSERT_FALSE(applied.has_value());
  EXPECT_EQ(applied.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(applied.error().message,
            "migrations/0001_first.sql was changed after it was applied (as 0001_first.sql): "
            "applied migrations are never edited; restore the file and put the change into a new "
            "one");
  EXPECT_EQ(database_.Query("SELECT to_regclass('second') IS NULL"), "t");
}

TEST_F(SchemaTest, LineEndsAndTrailingSpaceAreNoEdit) {
  ASSERT_TRUE(Run({kFirst}).has_value());

  const auto applied = Run({kFirstOtherLineEnds});

  EXPECT_TRUE(applied.has_value()) << applied.error().message;
}

TEST_F(SchemaTest, ANewerDatabaseIsRefused) {
  ASSERT_TRUE(Run({kFirst, kSecond}).has_value());

  const auto applied = Run({kFirst});

  ASSERT_FALSE(applied.has_value());
  EXPECT_EQ(applied.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(applied.error().message,
            "the database has migration 0002_second.sql, which this server (0001) does not know: "
            "use a newer server");
}

TEST_F(SchemaTest, AFileThatFailsLeavesNothingBehind) {
  const auto applied = Run({kFirst, kSecond, kBroken});

  ASSERT_FALSE(applied.has_value());
  EXPECT_EQ(database_.Query("SELECT to_regclass('first') IS NULL"), "t");
  EXPECT_EQ(database_.Query("SELECT to_regclass('schema_migrations') IS NULL"), "t");
}

TEST_F(SchemaTest, ADatabaseBehindIsNamedByItsFirstMissingFile) {
  ASSERT_TRUE(Run({kFirst}).has_value());
  const std::vector<Migration> both = {kFirst, kSecond};

  const Status status = CheckSchema(pool_, both);

  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(status.error().message,
            "the database lacks migration 0002_second.sql: start this server with its migrations "
            "enabled");
}

TEST_F(SchemaTest, TheReaderSeesTheReportingSchemaOnly) {
  ASSERT_TRUE(Migrate(pool_, {}).has_value());

  const std::string count =
      "SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'v') AND "
      "has_table_privilege('schedlab_reader', oid, 'SELECT') AND relnamespace = ";
  EXPECT_EQ(database_.Query(count + "'reporting'::regnamespace"), "15");
  EXPECT_EQ(database_.Query(count + "'public'::regnamespace"), "0");
}

}  // namespace
}  // namespace schedlab::server
