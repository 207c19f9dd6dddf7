#include <gtest/gtest.h>

#include "sim/output/perf_sched_latency.h"
#include "sim/output/perf_sched_timehist.h"
#include "sim/output/timehist.h"
#include "tests/unit/sim/output/traces.h"

namespace schedlab::sim {
namespace {

std::string Latency(const SimTrace& trace, LatencyRows rows = LatencyRows::kByName) {
  return PerfSchedLatency(trace, MeasureLatency(trace, rows));
}

std::string Timehist(const SimTrace& trace, const TimehistColumns& columns) {
  return Written([&](const ByteSink& sink) { WritePerfSchedTimehist(trace, columns, sink); });
}

// Three tasks of one name and one of another, which take turns on one CPU from a common start.
SimTrace TurnsOnOneCpu() {
  SimTrace trace(1);
  for (std::int32_t task = 0; task < 4; ++task) {
    trace.Task(task).name = task < 3 ? "worker" : "other";
    trace.Append({.at = At(0), .task = task, .event = TraceEvent::kCreate});
  }
  std::int32_t running = kIdleTask;
  for (std::int32_t task = 0; task < 4; ++task) {
    trace.Append(
        {.at = At(1'000 * task), .task = running, .other = task, .reason = LeaveReason::kExited});
    running = task;
  }
  trace.Close(At(4'000));
  return trace;
}

// Titles, rules and widths are those of perf 6.1.
TEST(PerfSchedLatencyTest, ASmallRunReadsAsPerfShowsIt) {
  EXPECT_EQ(Latency(SmallTrace()), R"(
 -------------------------------------------------------------------------------------------------------------------------------------------
  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    | Max delay start           | Max delay end          |
 -------------------------------------------------------------------------------------------------------------------------------------------
  batch:1003            |      1.899 ms |        2 | avg:   1.050 ms | max:   2.100 ms | max start:     0.000900 s | max end:     0.003000 s
  rq-worker-b:1002      |      2.100 ms |        1 | avg:   0.400 ms | max:   0.400 ms | max start:     0.000500 s | max end:     0.000900 s
  rq-worker-a:1001      |      1.999 ms |        1 | avg:   0.000 ms | max:   0.000 ms | max start:     0.000000 s | max end:     0.000000 s
 -----------------------------------------------------------------------------------------------------------------
  TOTAL:                |      5.998 ms |        4 |
 ---------------------------------------------------

)");
}

TEST(PerfSchedLatencyTest, ARowHasTheColumnsOfPerf) {
  const std::string real =
      "  stress-ng-cpu:(3)     |    647.909 ms |      306 | avg:   7.735 ms | max:  24.015 ms | "
      "max start:  1369.498877 s | max end:  1369.522892 s";
  const TaskLatency row{.name = "stress-ng-cpu",
                        .task_count = 3,
                        .runtime = SimDuration(647'909'000),
                        .switch_count = 306,
                        .total_delay = SimDuration(306 * 7'735'000LL),
                        .max_delay = SimDuration(24'015'000),
                        .max_delay_start = At(1'369'498'877),
                        .max_delay_end = At(1'369'522'892)};

  const std::string table = PerfSchedLatency(SmallTrace(), {row});

  EXPECT_NE(table.find("\n" + real + "\n"), std::string::npos) << table;
}

TEST(PerfSchedLatencyTest, TasksOfOneNameShareARow) {
  const std::vector<TaskLatency> rows = MeasureLatency(TurnsOnOneCpu(), LatencyRows::kByName);

  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "other");
  EXPECT_EQ(rows[0].max_delay, SimDuration(3'000'000));
  EXPECT_EQ(rows[1].task_count, 3);
  EXPECT_EQ(rows[1].switch_count, 3);
  EXPECT_EQ(rows[1].total_delay, SimDuration(3'000'000));
  EXPECT_EQ(rows[1].max_delay, SimDuration(2'000'000));
  EXPECT_EQ(rows[1].runtime, SimDuration(3'000'000));
  EXPECT_NE(Latency(TurnsOnOneCpu()).find("\n  worker:(3)            |      3.000 ms |        3 |"),
            std::string::npos);
}

TEST(PerfSchedLatencyTest, EveryTaskHasARowWhereThatIsAsked) {
  const std::string table = Latency(TurnsOnOneCpu(), LatencyRows::kByTask);

  EXPECT_NE(table.find("\n  worker:1001 "), std::string::npos);
  EXPECT_NE(table.find("\n  worker:1003 "), std::string::npos);
  EXPECT_EQ(table.find("worker:("), std::string::npos);
}

TEST(PerfSchedLatencyTest, ACutTraceIsToldAsLostEvents) {
  SimTrace trace(1, 3);
  trace.Task(0).name = "one";
  for (int i = 0; i < 4; ++i) trace.Append({.at = At(i), .task = 0, .event = TraceEvent::kCreate});
  trace.Close(At(9));

  EXPECT_NE(Latency(trace).find("INFO: 25.000% lost events (1 out of 4): cut at 0.000002 s"),
            std::string::npos);
}

TEST(PerfSchedTimehistTest, ASmallRunReadsAsPerfShowsIt) {
  EXPECT_EQ(
      Timehist(SmallTrace(), {}),
      R"(           time    cpu  task name                       wait time  sch delay   run time
                        [tid/pid]                          (msec)     (msec)     (msec)
--------------- ------  ------------------------------  ---------  ---------  ---------
       0.000001 [0000]  <idle>                              0.000      0.000      0.001
       0.000001 [0001]  <idle>                              0.000      0.000      0.001
       0.000900 [0001]  batch[1003]                         0.000      0.000      0.899
       0.002000 [0000]  rq-worker-a[1001]                   0.000      0.000      1.999
       0.003000 [0001]  rq-worker-b[1002]                   0.000      0.400      2.100
)");
}

// perf 6.1 prints one column more than there are CPUs.
TEST(PerfSchedTimehistTest, WakeupsMigrationsStatesAndCpusHaveTheirColumns) {
  EXPECT_EQ(
      Timehist(
          SmallTrace(),
          {.has_wakeups = true, .has_migrations = true, .has_state = true, .has_cpu_visual = true}),
      R"(           time    cpu  01  task name                       wait time  sch delay   run time  state
                            [tid/pid]                          (msec)     (msec)     (msec)
--------------- ------  --  ------------------------------  ---------  ---------  ---------  -----
       0.000001 [0000]  i   <idle>                              0.000      0.000      0.001      I
       0.000001 [0001]   i  <idle>                              0.000      0.000      0.001      I
       0.000500 [0000]      rq-worker-a[1001]                                                awakened: rq-worker-b[1002]
       0.000501 [0000]   m    rq-worker-a[1001]                                                migrated: rq-worker-b[1002] cpu 0 => 1
       0.000900 [0001]   s  batch[1003]                         0.000      0.000      0.899      R
       0.002000 [0000]  s   rq-worker-a[1001]                   0.000      0.000      1.999      S
       0.003000 [0001]   s  rq-worker-b[1002]                   0.000      0.400      2.100      S
)");
}

TEST(PerfSchedTimehistTest, TheNextTaskIsShownWhereThatIsAsked) {
  const std::string text = Timehist(SmallTrace(), {.has_next = true});

  EXPECT_NE(text.find("rq-worker-b[1002]                   0.000      0.400      2.100  next: "
                      "batch[1003]\n"),
            std::string::npos);
}

TEST(PerfSchedTimehistTest, TheSummaryReadsAsPerfShowsIt) {
  EXPECT_EQ(Timehist(TurnsOnOneCpu(), {.has_rows = false, .has_summary = true}), R"(
Runtime summary
                          comm  parent   sched-in     run-time    min-run     avg-run     max-run  stddev  migrations
                                          (count)       (msec)     (msec)      (msec)      (msec)       %
---------------------------------------------------------------------------------------------------------------------
<no still running tasks>

Terminated tasks:
                  worker[1001]       0          1        1.000      1.000       1.000       1.000    0.00       0
                  worker[1002]       0          1        1.000      1.000       1.000       1.000    0.00       0
                  worker[1003]       0          1        1.000      1.000       1.000       1.000    0.00       0

Idle stats:
    CPU  0 idle for      0.000  msec  (  0.00%)

    Total number of unique tasks: 3
Total number of context switches: 4
           Total run time (msec):  3.000
    Total scheduling time (msec):  4.000  (x 1)
)");
}

TEST(PerfSchedTimehistTest, TheSummaryOfStatesSplitsTheWait) {
  SimTrace trace(1);
  trace.Task(0).name = "one";
  trace.Append({.at = At(0), .task = kIdleTask, .other = 0});
  trace.Append({.at = At(10), .task = 0, .other = kIdleTask});
  trace.Append({.at = At(13), .task = kIdleTask, .other = 0});
  trace.Append({.at = At(20), .task = 0, .other = kIdleTask, .reason = LeaveReason::kBlocked});
  trace.Append({.at = At(25), .task = 0, .event = TraceEvent::kWake});
  trace.Append({.at = At(27), .task = kIdleTask, .other = 0});
  trace.Append({.at = At(30), .task = 0, .other = kIdleTask, .reason = LeaveReason::kBlocked});
  trace.Close(At(40));

  const StretchSummary one = SummarizeStretches(trace).tasks.at(0);
  const std::string text =
      Timehist(trace, {.has_state = true, .has_rows = false, .has_summary = true});

  EXPECT_EQ(one.count, 3);
  EXPECT_EQ(one.run, SimDuration(20'000));
  EXPECT_EQ(one.preempted, SimDuration(3'000));
  EXPECT_EQ(one.sleep, SimDuration(7'000));
  EXPECT_EQ(one.delay, SimDuration(2'000));
  EXPECT_NE(
      text.find("                     one[1001]       0          3        0.020      0.007       "
                "0.000       0.003       0.002\n"),
      std::string::npos)
      << text;
}

// The standard error of 3, 1 and 2 is 1/sqrt(3), and their mean is 2.
TEST(PerfSchedTimehistTest, TheDeviationIsThatOfTheMean) {
  SimTrace trace(1);
  trace.Task(0).name = "one";
  trace.Append({.at = At(0), .task = kIdleTask, .other = 0});
  for (const std::int64_t at : {3, 4, 6}) trace.Append({.at = At(at), .task = 0, .other = 0});
  trace.Close(At(6));

  EXPECT_NEAR(SummarizeStretches(trace).tasks.at(0).relative_error, 0.288675, 1e-6);
}

}  // namespace
}  // namespace schedlab::sim
