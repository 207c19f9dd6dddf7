#include "core/workload_trace.h"

#include <gtest/gtest.h>

#include <string>

#include "core/limits.h"

namespace schedlab {
namespace {

WorkloadTrace PingPong() {
  WorkloadTrace trace{.span_ns = 5'000, .cpu_count = 2, .tasks = {}};
  trace.tasks.push_back({.name = "ping",
                         .pid = 7,
                         .priority = 120,
                         .steps = {TraceStep::Run(1'000), TraceStep::Wake(1), TraceStep::Wait(),
                                   TraceStep::Run(2'000)}});
  trace.tasks.push_back({.name = "po ng%\n\xc3\xa9",
                         .pid = 8,
                         .priority = -1,
                         .steps = {TraceStep::Wait(), TraceStep::Sleep(500'000'000),
                                   TraceStep::Run(1'000), TraceStep::Wake(0)}});
  return trace;
}

std::string ValidateError(const WorkloadTrace& trace) {
  const Status status = Validate(trace);
  EXPECT_FALSE(status.has_value());
  return status ? std::string() : status.error().message;
}

std::string DecodeError(std::string_view text) {
  const Result<WorkloadTrace> trace = DecodeWorkloadTrace(text);
  EXPECT_FALSE(trace.has_value());
  return trace ? std::string() : trace.error().message;
}

TEST(WorkloadTraceTest, TheTextGivesTheSameTraceBack) {
  const Result<WorkloadTrace> decoded = DecodeWorkloadTrace(EncodeWorkloadTrace(PingPong()));

  ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
  EXPECT_EQ(*decoded, PingPong());
}

TEST(WorkloadTraceTest, TheTextIsOneLineABlock) {
  EXPECT_EQ(EncodeWorkloadTrace(PingPong()),
            "schedlab-workload-trace 1\n"
            "span_ns 5000\n"
            "cpus 2\n"
            "unit_ns 1000\n"
            "task 7 120 ping\n"
            "r1 w1 b\n"
            "r2\n"
            "task 8 -1 po ng%25%0a%c3%a9\n"
            "b\n"
            "s500000\n"
            "r1 w0\n");
}

TEST(WorkloadTraceTest, TimesThatAreNoMicrosecondsAreKept) {
  WorkloadTrace trace = PingPong();
  trace.tasks[0].steps[0] = TraceStep::Run(1'001);

  EXPECT_EQ(DecodeWorkloadTrace(EncodeWorkloadTrace(trace)).value(), trace);
}

TEST(WorkloadTraceTest, AHundredThousandBlocksFitIntoAFewMebibytes) {
  WorkloadTrace trace = PingPong();
  for (int i = 0; i < 100'000; ++i) {
    trace.tasks[0].steps.push_back(TraceStep::Run(12'345 + i));
    trace.tasks[0].steps.push_back(TraceStep::Wake(1));
    trace.tasks[0].steps.push_back(TraceStep::Sleep(23'456 + i));
  }

  EXPECT_LT(EncodeWorkloadTrace(trace).size(), 2'000'000U);
}

TEST(WorkloadTraceTest, TotalsAreSumsOverAllTasks) {
  const TraceTotals totals = TotalsOf(PingPong());

  EXPECT_EQ(totals.step_count, 8);
  EXPECT_EQ(totals.run_ns, 4'000);
  EXPECT_EQ(totals.sleep_ns, 500'000'000);
  EXPECT_EQ(totals.wakeup_count, 2);
}

TEST(WorkloadTraceTest, AWaitWithoutAWakeupIsRefused) {
  WorkloadTrace trace = PingPong();
  trace.tasks[0].steps.push_back(TraceStep::Wait());

  EXPECT_NE(ValidateError(trace).find("task 0 of the trace (ping, pid 7) waits in its step 4"),
            std::string::npos);
}

TEST(WorkloadTraceTest, TasksThatWaitForEachOtherAreRefused) {
  WorkloadTrace trace = PingPong();
  trace.tasks[0].steps = {TraceStep::Wait(), TraceStep::Wake(1)};
  trace.tasks[1].steps = {TraceStep::Wait(), TraceStep::Wake(0)};

  EXPECT_NE(ValidateError(trace).find("that no task gives it"), std::string::npos);
}

TEST(WorkloadTraceTest, AWakeupBeforeItsWaitIsKept) {
  WorkloadTrace trace = PingPong();
  trace.tasks[0].steps = {TraceStep::Run(1)};
  trace.tasks[1].steps = {TraceStep::Wake(1), TraceStep::Run(5), TraceStep::Wait()};

  EXPECT_TRUE(Validate(trace).has_value());
}

TEST(WorkloadTraceTest, ValuesOutOfBoundsAreRefused) {
  WorkloadTrace trace = PingPong();
  trace.tasks[0].steps[1] = TraceStep::Wake(2);
  EXPECT_NE(ValidateError(trace).find("wakes task 2; there are 2"), std::string::npos);

  trace.tasks[0].steps[1] = TraceStep::Run(-1);
  EXPECT_NE(ValidateError(trace).find("step of -1 ns"), std::string::npos);

  trace.tasks[0].steps = {TraceStep::Run(kMaxSimulatedNs), TraceStep::Sleep(1)};
  EXPECT_NE(ValidateError(trace).find("for more than 3600000000000 ns"), std::string::npos);

  trace.tasks[0] = {.name = std::string(kMaxNameLength + 1, 'x'), .steps = {}};
  EXPECT_NE(ValidateError(trace).find("more than 200 bytes"), std::string::npos);

  trace.tasks[0] = {.name = "x", .priority = 141, .steps = {}};
  EXPECT_NE(ValidateError(trace).find("priority 141"), std::string::npos);

  trace.tasks.clear();
  EXPECT_NE(ValidateError(trace).find("no tasks"), std::string::npos);
}

TEST(WorkloadTraceTest, ErrorsOfTheTextNameTheLine) {
  const std::string head = "schedlab-workload-trace 1\nspan_ns 1\ncpus 1\nunit_ns 1\n";

  EXPECT_NE(DecodeError("").find("line 1"), std::string::npos);
  EXPECT_NE(DecodeError("schedlab-workload-trace 2\n").find("version 2"), std::string::npos);
  EXPECT_NE(DecodeError("schedlab-workload-trace 1\nspan_ns x\n").find("line 2"),
            std::string::npos);
  EXPECT_NE(DecodeError(head + "r1\n").find("line 5 of the trace: steps before"),
            std::string::npos);
  EXPECT_NE(DecodeError(head + "task 1 120\nq1\n").find("line 6 of the trace: 'q1' is no step"),
            std::string::npos);
  EXPECT_NE(DecodeError(head + "task one 120 x\n").find("line 5"), std::string::npos);
  EXPECT_NE(DecodeError(head + "task 1 120 %zz\n").find("line 5"), std::string::npos);
  EXPECT_NE(DecodeError(head + "task 1 120 x\nr9223372036854775807\n").find("line 6"),
            std::string::npos);
}

TEST(WorkloadTraceTest, OnlyAnEncodedTraceIsTakenForOne) {
  EXPECT_TRUE(IsEncodedWorkloadTrace("schedlab-workload-trace 9\n"));
  EXPECT_FALSE(IsEncodedWorkloadTrace("# tracer: nop\n"));
}

}  // namespace
}  // namespace schedlab
