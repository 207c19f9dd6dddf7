#include "sim/output/ftrace_text.h"

#include <gtest/gtest.h>

#include "tests/unit/sim/output/traces.h"

namespace schedlab::sim {
namespace {

std::string TextOf(const SimTrace& trace) {
  return Written([&trace](const ByteSink& sink) { WriteFtraceText(trace, sink); });
}

// The head is that of Linux 6.18's /sys/kernel/tracing/trace, but for its counts.
TEST(FtraceTextTest, ASmallRunReadsAsTracefsShowsIt) {
  EXPECT_EQ(TextOf(SmallTrace()),
            R"(# tracer: nop
#
# entries-in-buffer/entries-written: 7/7   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
          <idle>-0       [000] d..2.     0.000001: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=rq-worker-a next_pid=1001 next_prio=120
          <idle>-0       [001] d..2.     0.000001: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=batch next_pid=1003 next_prio=120
     rq-worker-a-1001    [000] d..2.     0.000500: sched_waking: comm=rq-worker-b pid=1002 prio=120 target_cpu=001
     rq-worker-a-1001    [000] d..2.     0.000501: sched_migrate_task: comm=rq-worker-b pid=1002 prio=120 orig_cpu=0 dest_cpu=1
           batch-1003    [001] d..2.     0.000900: sched_switch: prev_comm=batch prev_pid=1003 prev_prio=120 prev_state=R ==> next_comm=rq-worker-b next_pid=1002 next_prio=120
     rq-worker-a-1001    [000] d..2.     0.002000: sched_switch: prev_comm=rq-worker-a prev_pid=1001 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
     rq-worker-b-1002    [001] d..2.     0.003000: sched_switch: prev_comm=rq-worker-b prev_pid=1002 prev_prio=120 prev_state=S ==> next_comm=batch next_pid=1003 next_prio=120
)");
}

// A line of the same file of Linux 6.18: everything before the event's own text is in its place.
TEST(FtraceTextTest, ColumnsAreWhereTracefsHasThem) {
  const std::string real =
      "        sleepers-28434   [000] d..2.  1372.451722: sched_switch: prev_comm=sleepers";
  SimTrace trace(1);
  trace.Task(27433 - 1).name = "x";
  trace.Task(28434 - 1001).name = "sleepers";
  trace.Append({.at = At(0), .task = kIdleTask, .other = 28434 - 1001});
  trace.Append({.at = At(1'372'451'722), .task = 28434 - 1001, .other = kIdleTask});
  trace.Close(At(1'372'451'722));

  const std::string text = TextOf(trace);

  EXPECT_NE(text.find("\n" + real), std::string::npos) << text;
}

TEST(FtraceTextTest, AWakeupByNobodyIsInAnInterruptOfWhateverRunsThere) {
  SimTrace trace(1);
  trace.Task(0).name = "sleeper";
  trace.Append({.at = At(7), .task = 0, .cpu = 0, .event = TraceEvent::kWake});
  trace.Close(At(7));

  EXPECT_NE(TextOf(trace).find(
                "          <idle>-0       [000] d.h2.     0.000007: sched_waking: comm=sleeper"),
            std::string::npos);
}

TEST(FtraceTextTest, ATimeIsRoundedToMicroseconds) {
  SimTrace trace(1);
  trace.Task(0).name = "one";
  trace.Append({.at = SimTime(SimDuration(1'499)), .task = 0, .event = TraceEvent::kCreate});
  trace.Append({.at = SimTime(SimDuration(1'500)), .task = kIdleTask, .other = 0});
  trace.Close(At(2));

  const std::string text = TextOf(trace);

  EXPECT_NE(text.find(" 0.000001: sched_wakeup_new: comm=one pid=1001"), std::string::npos);
  EXPECT_NE(text.find(" 0.000002: sched_switch: prev_comm=swapper/0"), std::string::npos);
}

TEST(FtraceTextTest, DroppedRecordsShowAsWrittenButNotInTheBuffer) {
  SimTrace trace(1, 1);
  trace.Task(0).name = "one";
  trace.Append({.at = At(1), .task = kIdleTask, .other = 0});
  trace.Append({.at = At(2), .task = 0, .other = kIdleTask});
  trace.Append({.at = At(3), .task = kIdleTask, .other = 0});
  trace.Close(At(4));

  EXPECT_NE(TextOf(trace).find("# entries-in-buffer/entries-written: 1/3   #P:1\n"),
            std::string::npos);
}

}  // namespace
}  // namespace schedlab::sim
