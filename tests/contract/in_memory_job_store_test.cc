#include "tests/support/in_memory_job_store.h"

#include "tests/contract/job_store_contract.h"
#include "tests/support/fake_clock.h"

namespace schedlab::testing {
namespace {

class InMemoryUnderTest final : public StoreUnderTest {
 public:
  server::JobStore& store() override { return store_; }
  void ExpireAllLeases() override { clock_.Advance(kLeaseTtl + std::chrono::seconds(1)); }
  void PassADay() override { clock_.Advance(std::chrono::hours(24)); }

 private:
  FakeClock clock_;
  InMemoryJobStore store_{clock_};
};

std::unique_ptr<StoreUnderTest> MakeInMemory() { return std::make_unique<InMemoryUnderTest>(); }

INSTANTIATE_TEST_SUITE_P(InMemory, JobStoreContract, ::testing::Values(&MakeInMemory));

}  // namespace
}  // namespace schedlab::testing
