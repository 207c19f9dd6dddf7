// The load history of CPUs (cpu_load) against the series of December 2013 that wanted to end it:
// mmap-pread-seq of vm-scalability on 120 CPUs. docs/fidelity.md has the numbers, and what of the
// report does not come out.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/sim/seeded_runs.h"

namespace schedlab::sim {
namespace {

constexpr auto kParent = "linux-fair-cpu-load@f1b6442c7dd1";
constexpr auto kBiased = "linux-fair-cpu-load@cpu-load-v1-4";
constexpr std::uint64_t kSeedCount = 3;

Results RunReaders(const char* policy, const std::map<std::string, std::int64_t>& parameters) {
  return RunSeeds(ShippedScenario("brickland", "mmap_pread_seq", parameters), ShippedPolicy(policy),
                  kSeedCount);
}

// Readers whose front is faster than a reader of pages that are there: they spread out.
const std::map<std::string, std::int64_t>& Spreading() {
  static const std::map<std::string, std::int64_t> kParameters = {
      {"windows_count", 1'500},       {"cached_windows_count", 100},  {"contention_permille", 0},
      {"touch_work_ns", 4'800},       {"minor_fault_work_ns", 5'000}, {"read_latency_ns", 10'000},
      {"major_fault_work_ns", 20'000}};
  return kParameters;
}

// Computed once for all the tests.
const Results& SpreadingParent() {
  static const Results kResults = RunReaders(kParent, Spreading());
  return kResults;
}

const Results& SpreadingBiased() {
  static const Results kResults = RunReaders(kBiased, Spreading());
  return kResults;
}

double Faults(const Results& results) {
  return Mean(results, "major_faults") + Mean(results, "minor_faults");
}

TEST(LoadHistoryTest, TheWorkIsTheSameWithAndWithoutBias) {
  EXPECT_DOUBLE_EQ(Faults(SpreadingParent()), Faults(SpreadingBiased()));
}

TEST(LoadHistoryTest, ABiasedPassMovesFewerTasksBetweenNodes) {
  EXPECT_LT(RelativeChange(SpreadingParent(), SpreadingBiased(), "migrations_remote_per_sec"),
            -0.1);
}

TEST(LoadHistoryTest, ReadersThatWaitForTheFrontReadEachWindowOnce) {
  const std::map<std::string, std::int64_t> parameters = {{"windows_count", 1'000}};

  EXPECT_DOUBLE_EQ(Mean(RunReaders(kParent, parameters), "major_faults"), 1'000);
  EXPECT_DOUBLE_EQ(Mean(RunReaders(kBiased, parameters), "major_faults"), 1'000);
}

TEST(LoadHistoryTest, CompilingIsAsFastWithBias) {
  const Scenario scenario = ShippedScenario("brickland", "kbuild");
  const Results parent = RunSeeds(scenario, ShippedPolicy(kParent));
  const Results biased = RunSeeds(scenario, ShippedPolicy(kBiased));

  EXPECT_LT(std::abs(RelativeChange(parent, biased, "elapsed_sec")), 0.03);
}

}  // namespace
}  // namespace schedlab::sim
