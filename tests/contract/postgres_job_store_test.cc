#include "server/store/postgres_job_store.h"

#include "tests/contract/job_store_contract.h"
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

 private:
  TestDatabase database_{SchemaOf::kServer};
  server::ConnectionPool pool_{database_.pool_options()};
  server::PostgresJobStore store_{pool_};
};

std::unique_ptr<StoreUnderTest> MakePostgres() { return std::make_unique<PostgresUnderTest>(); }

INSTANTIATE_TEST_SUITE_P(Postgres, JobStoreContract, ::testing::Values(&MakePostgres));

}  // namespace
}  // namespace schedlab::testing
