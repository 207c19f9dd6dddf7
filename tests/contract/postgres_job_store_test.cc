#include "server/store/postgres_job_store.h"

#include <vector>

#include "tests/contract/job_store_contract.h"
#include "tests/support/builders.h"
#include "tests/support/test_database.h"

namespace schedlab::testing {
namespace {

class PostgresUnderTest final : public StoreUnderTest {
 public:
  server::JobStore& store() override { return store_; }

  void ExpireAllLeases() override {
    database_.Query(
        "UPDATE live_runs SET lease_until = now() - interval '1 second' "
        "WHERE worker_name IS NOT NULL");
  }
  void PassADay() override {
    database_.Query("UPDATE workers SET last_seen_at = last_seen_at - interval '1 day'");
  }

 private:
  TestDatabase database_{SchemaOf::kServer};
  server::ConnectionPool pool_{database_.pool_options()};
  server::PostgresJobStore store_{pool_};
};

std::unique_ptr<StoreUnderTest> MakePostgres() { return std::make_unique<PostgresUnderTest>(); }

TEST(PostgresJobStoreTest, TheWaitOfARunThatHasEndedIsReported) {
  TestDatabase database(SchemaOf::kServer);
  server::ConnectionPool pool(database.pool_options());
  server::PostgresJobStore store(pool);
  ASSERT_TRUE(store.CreateJob(MakeJob({.repetitions = 2})));
  const Result<server::AcquiredLeases> acquired = store.AcquireLeases(MakeWorker("w1"), 1);
  ASSERT_TRUE(acquired.has_value());
  ASSERT_EQ(acquired->leases.size(), 1U);

  ASSERT_TRUE(store.CompleteAttempts("w1", std::vector{Succeeded(acquired->leases.front())}));

  EXPECT_EQ(database.Query("SELECT count(*) FROM reporting.run_waits WHERE worker = 'w1' AND "
                           "queue_wait_seconds >= 0 AND execution_seconds >= 0"),
            "1");
}

INSTANTIATE_TEST_SUITE_P(Postgres, JobStoreContract, ::testing::Values(&MakePostgres));

}  // namespace
}  // namespace schedlab::testing
