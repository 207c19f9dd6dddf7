#include "ingest/sched_event.h"

#include <gtest/gtest.h>

namespace schedlab::ingest {
namespace {

TEST(SchedLineHeadTest, PerfPrintsTaskNumberCpuTimeAndGroup) {
  const auto head = ParseSchedLineHead(
      "            perf 28382 [001]  1368.853945:       sched:sched_waking: comm=x pid=18 prio=0");

  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->style, SchedTextStyle::kPerf);
  EXPECT_EQ(head->pid, 28382);
  EXPECT_EQ(head->cpu, 1);
  EXPECT_EQ(head->at_ns, 1'368'853'945'000);
  EXPECT_EQ(head->event, "sched_waking");
  EXPECT_EQ(head->body, "comm=x pid=18 prio=0");
}

TEST(SchedLineHeadTest, PerfMayPrintTheProcessBeforeTheThreadAndAPeriod) {
  const auto head =
      ParseSchedLineHead("perf 28380/28382 [000] 5.000000001:  1 sched:sched_switch: b");

  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->pid, 28382);
  EXPECT_EQ(head->at_ns, 5'000'000'001);
  EXPECT_EQ(head->event, "sched_switch");
}

TEST(SchedLineHeadTest, FtracePrintsFlagsAndPerhapsTheThreadGroup) {
  const auto head = ParseSchedLineHead(
      "      sched-pipe-28451 (  28451) [001] dNh3.  1372.450766: sched_waking: comm=k pid=32");

  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->style, SchedTextStyle::kFtrace);
  EXPECT_EQ(head->pid, 28451);
  EXPECT_TRUE(head->is_in_interrupt);
}

TEST(SchedLineHeadTest, ASoftInterruptBelongsToTheTask) {
  const auto head = ParseSchedLineHead("a-1 [001] dNs3.  1372.450766: sched_waking: comm=k pid=32");

  ASSERT_TRUE(head.has_value());
  EXPECT_FALSE(head->is_in_interrupt);
}

TEST(SchedLineHeadTest, TraceCmdPrintsNoFlags) {
  const auto head =
      ParseSchedLineHead("    kworker/1:1H-58    [001]  1444.404300: sched_switch:   a:1 [2] S");

  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->pid, 58);
  EXPECT_EQ(head->event, "sched_switch");
}

TEST(SchedLineHeadTest, ANameMayLookLikeACpu) {
  const auto perf = ParseSchedLineHead("a [0] b [000] 77 [002] 1.5: sched:sched_switch: x");
  const auto ftrace = ParseSchedLineHead(" my [1] 2-x-77 [002] ..... 1.5: sched_switch: x");

  ASSERT_TRUE(perf.has_value());
  ASSERT_TRUE(ftrace.has_value());
  EXPECT_EQ(perf->pid, 77);
  EXPECT_EQ(perf->cpu, 2);
  EXPECT_EQ(perf->at_ns, 1'500'000'000);
  EXPECT_EQ(ftrace->pid, 77);
  EXPECT_EQ(ftrace->cpu, 2);
}

TEST(SchedLineHeadTest, OtherLinesAreNoEvents) {
  EXPECT_FALSE(ParseSchedLineHead("").has_value());
  EXPECT_FALSE(ParseSchedLineHead("CPU:1 [LOST 12 EVENTS]").has_value());
  EXPECT_FALSE(ParseSchedLineHead("\tffffffff81000000 schedule ([kernel.kallsyms])").has_value());
  EXPECT_FALSE(ParseSchedLineHead("a-1 [001] 12: sched_switch: x").has_value());
  EXPECT_FALSE(ParseSchedLineHead("a-1 [001] 9999999999999999999.5: sched_switch: x").has_value());
  EXPECT_FALSE(ParseSchedLineHead("a-b [001] 1.5: sched_switch: x").has_value());
  EXPECT_FALSE(ParseSchedLineHead("a-1 [-01] 1.5: sched_switch: x").has_value());
}

TEST(SwitchBodyTest, TheKernelsFormIsRead) {
  const auto body = ParseSwitchBody(
      "prev_comm=kworker/0:1 prev_pid=11 prev_prio=120 prev_state=R+ ==> "
      "next_comm=my tool next_pid=12 next_prio=98");

  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(body->previous.name, "kworker/0:1");
  EXPECT_EQ(body->previous.pid, 11);
  EXPECT_TRUE(body->is_previous_runnable);
  EXPECT_EQ(body->next.name, "my tool");
  EXPECT_EQ(body->next.pid, 12);
  EXPECT_EQ(body->next.priority, 98);
}

TEST(SwitchBodyTest, ThePluginsFormIsRead) {
  const auto body = ParseSwitchBody("kworker/1:1H:58 [100] W ==> a b [1]:29377 [-1]");

  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(body->previous.name, "kworker/1:1H");
  EXPECT_EQ(body->previous.pid, 58);
  EXPECT_EQ(body->previous.priority, 100);
  EXPECT_FALSE(body->is_previous_runnable);
  EXPECT_EQ(body->next.name, "a b [1]");
  EXPECT_EQ(body->next.pid, 29377);
  EXPECT_EQ(body->next.priority, -1);
}

TEST(SwitchBodyTest, NamesMayHoldTheFormsOwnWords) {
  const auto keyed = ParseSwitchBody(
      "prev_comm=a prev_pid=5 x prev_pid=11 prev_prio=120 prev_state=S ==> "
      "next_comm= ==> next_pid=7 next_pid=12 next_prio=120");
  const auto plugin = ParseSwitchBody("x ==> y:3:58 [100] S ==> b:2 [120]");

  ASSERT_TRUE(keyed.has_value());
  EXPECT_EQ(keyed->previous.name, "a prev_pid=5 x");
  EXPECT_EQ(keyed->previous.pid, 11);
  EXPECT_EQ(keyed->next.pid, 12);
  ASSERT_TRUE(plugin.has_value());
  EXPECT_EQ(plugin->previous.pid, 58);
  EXPECT_EQ(plugin->next.pid, 2);
}

TEST(SwitchBodyTest, WhatIsCutOffIsRefused) {
  EXPECT_FALSE(ParseSwitchBody("").has_value());
  EXPECT_FALSE(ParseSwitchBody("prev_comm=a prev_pid=1 prev_prio=120 prev_state=S").has_value());
  EXPECT_FALSE(ParseSwitchBody("prev_comm=a prev_pid=1 prev_prio=120 prev_state= ==> "
                               "next_comm=b next_pid=2 next_prio=120")
                   .has_value());
  EXPECT_FALSE(ParseSwitchBody("prev_comm=a prev_pid=x prev_prio=120 prev_state=S ==> "
                               "next_comm=b next_pid=2 next_prio=120")
                   .has_value());
  EXPECT_FALSE(ParseSwitchBody("a:1 [120] ==> b:2 [120]").has_value());
  EXPECT_FALSE(ParseSwitchBody("a:99999999999 [120] S ==> b:2 [120]").has_value());
}

TEST(StateTest, OnlyRunningTasksStayRunnable) {
  EXPECT_TRUE(IsRunnableState("R"));
  EXPECT_TRUE(IsRunnableState("R+"));
  EXPECT_TRUE(IsRunnableState("0"));
  EXPECT_TRUE(IsRunnableState("0x100"));  // preempted, since 4.14
  EXPECT_TRUE(IsRunnableState("1024"));   // preempted, until then
  for (const char* state :
       {"S", "D", "D|K", "I", "T", "t", "X", "Z", "P", "W", "x", "1", "0x402"}) {
    EXPECT_FALSE(IsRunnableState(state)) << state;
  }
}

TEST(WakeBodyTest, BothFormsAreRead) {
  const auto keyed = ParseWakeBody("comm=migration/0 pid=18 prio=0 target_cpu=000");
  const auto old = ParseWakeBody("comm=a pid=b pid=18 prio=120 success=1 target_cpu=000");
  const auto plugin = ParseWakeBody("kworker/0:2:380 [120] success=1 CPU:001");

  ASSERT_TRUE(keyed.has_value());
  EXPECT_EQ(keyed->pid, 18);
  EXPECT_EQ(keyed->priority, 0);
  ASSERT_TRUE(old.has_value());
  EXPECT_EQ(old->name, "a pid=b");
  ASSERT_TRUE(plugin.has_value());
  EXPECT_EQ(plugin->name, "kworker/0:2");
  EXPECT_EQ(plugin->pid, 380);
  EXPECT_FALSE(ParseWakeBody("comm=migration/0").has_value());
}

TEST(ForkBodyTest, TheChildIsRead) {
  const auto child = ParseForkBody("comm=bash pid=28383 child_comm=my bash child_pid=28385");

  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(child->name, "my bash");
  EXPECT_EQ(child->pid, 28385);
  EXPECT_FALSE(ParseForkBody("comm=bash pid=28383").has_value());
}

TEST(LostLineTest, EveryToolSaysItInItsWay) {
  const auto ftrace = ParseLostLine("CPU:1 [LOST 1234 EVENTS]");
  const auto trace_cmd = ParseLostLine("CPU:3 [56 EVENTS DROPPED]");
  const auto without_count = ParseLostLine("CPU:3 [EVENTS DROPPED]");
  const auto perf = ParseLostLine("a 1 [000] 5.000000: PERF_RECORD_LOST lost 78");

  ASSERT_TRUE(ftrace && trace_cmd && without_count && perf);
  EXPECT_EQ(ftrace->count, 1234);
  EXPECT_EQ(ftrace->cpu, 1);
  EXPECT_EQ(trace_cmd->count, 56);
  EXPECT_EQ(without_count->count, 0);
  EXPECT_EQ(without_count->cpu, 3);
  EXPECT_EQ(perf->count, 78);
  EXPECT_EQ(perf->cpu, -1);
  EXPECT_FALSE(ParseLostLine("cpus=2").has_value());
  EXPECT_FALSE(ParseLostLine("CPU:1 [LOST -5 EVENTS]").has_value());
  EXPECT_FALSE(ParseLostLine("CPU:1 [LOST 9223372036854775807 EVENTS]").has_value());
}

TEST(BufferRemarkTest, OverwrittenEventsAndLateBuffersAreRead) {
  EXPECT_EQ(
      ParseBufferRemark("# entries-in-buffer/entries-written: 330/5330   #P:2").overwritten_count,
      5000);
  EXPECT_EQ(
      ParseBufferRemark("# entries-in-buffer/entries-written: 330/330   #P:2").overwritten_count,
      0);
  EXPECT_EQ(ParseBufferRemark("##### CPU 3 buffer started ####").started_cpu, 3);
  EXPECT_EQ(ParseBufferRemark("# tracer: nop").started_cpu, -1);
}

}  // namespace
}  // namespace schedlab::ingest
