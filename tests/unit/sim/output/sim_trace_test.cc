#include "sim/output/sim_trace.h"

#include <gtest/gtest.h>

#include "sim/simulate.h"
#include "tests/unit/sim/output/traces.h"

namespace schedlab::sim {
namespace {

SimTrace TraceOf(std::int64_t record_count, std::int64_t record_limit) {
  SimTrace trace(1, record_limit);
  for (std::int64_t i = 0; i < record_count; ++i) trace.Append({.at = At(i)});
  trace.Close(At(record_count));
  return trace;
}

TEST(SimTraceTest, RecordsAreReadInTheOrderInWhichTheyWereWritten) {
  constexpr std::int64_t kMoreThanTwoChunks = 150'000;
  const SimTrace trace = TraceOf(kMoreThanTwoChunks, kDefaultTraceRecords);

  std::int64_t read_count = 0;
  std::int64_t misplaced_count = 0;
  trace.ForEach(
      [&](const TraceRecord& record) { misplaced_count += record.at == At(read_count++) ? 0 : 1; });

  EXPECT_EQ(trace.record_count(), kMoreThanTwoChunks);
  EXPECT_EQ(read_count, kMoreThanTwoChunks);
  EXPECT_EQ(misplaced_count, 0);
  EXPECT_EQ(trace.end(), At(kMoreThanTwoChunks));
}

TEST(SimTraceTest, AFullTraceKeepsTheFirstRecordsAndCountsTheOthers) {
  constexpr std::int64_t kLimit = 100'000;
  const SimTrace trace = TraceOf(120'000, kLimit);

  EXPECT_EQ(trace.record_count(), kLimit);
  EXPECT_EQ(trace.dropped_count(), 20'000);
  EXPECT_EQ(trace.end(), At(kLimit - 1));
  EXPECT_EQ(trace.run_end(), At(120'000));
}

TEST(SimTraceTest, ALimitOfNothingKeepsNothing) {
  const SimTrace trace = TraceOf(3, 0);

  EXPECT_EQ(trace.record_count(), 0);
  EXPECT_EQ(trace.dropped_count(), 3);
  EXPECT_EQ(trace.end(), SimTime());
}

TEST(SimTraceTest, APriorityIsKeptFromTheDeadlineClassToNice19) {
  EXPECT_EQ(TracedPriority(-1).value(), -1);
  EXPECT_EQ(TracedPriority(139).value(), 139);
  EXPECT_EQ(TracedPriority().value(), 120);
}

TEST(SimTraceTest, NamesAreCutAndFreeOfBlanksAsAKernelsAre) {
  SimTrace trace(1);
  trace.Task(0).name = "a name\nof more than 15";

  EXPECT_EQ(CommandNameOf(trace, 0), "a_name_of_more_");
  EXPECT_EQ(CommandNameOn(trace, kIdleTask, 3), "swapper/3");
}

TEST(SimTraceTest, ARunIsTheSameWhetherItIsWatchedOrNot) {
  const Scenario scenario = ShortHackbench("kvm-4x4", Costs::kReal);
  const PolicySpec policy = ShippedPolicy("linux-fair@v3.11");

  const RunResult alone = RunTwice(scenario, policy, 1);
  const TracedRun watched = RunTraced(scenario, policy, 1);

  EXPECT_EQ(watched.result, alone);
  EXPECT_GT(watched.trace.record_count(), 1'000);
}

}  // namespace
}  // namespace schedlab::sim
