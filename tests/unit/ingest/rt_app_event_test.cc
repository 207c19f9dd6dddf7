#include <gtest/gtest.h>

#include "tests/unit/ingest/rt_app_text.h"

namespace schedlab {
namespace {

using Kind = ScriptEvent::Kind;
using testing::EventsOf;
using testing::OneThread;
using testing::RefusalOfThread;
using testing::ScriptOf;

ScriptEvent EventOf(std::string_view members) { return EventsOf(members).at(0); }

TEST(RtAppEventTest, RunIsWork) {
  EXPECT_EQ(EventOf("\"run\": 3"), (ScriptEvent{.kind = Kind::kRun, .duration_ns = 3'000}));
}

TEST(RtAppEventTest, RuntimeIsTimeOnTheCpu) {
  EXPECT_EQ(EventOf("\"runtime\": 3"), (ScriptEvent{.kind = Kind::kRunFor, .duration_ns = 3'000}));
}

TEST(RtAppEventTest, SleepIsRelative) {
  EXPECT_EQ(EventOf("\"sleep\": 3"), (ScriptEvent{.kind = Kind::kSleep, .duration_ns = 3'000}));
}

TEST(RtAppEventTest, NamesMatchByPrefixAndTheLongestWins) {
  const std::vector<ScriptEvent> events =
      EventsOf(R"("run0": 1, "run_a": 2, "runtime7": 3, "mem1": 4,
                  "memrun2": {"size": 5}, "sleepy": 6)");

  EXPECT_EQ(events[0].kind, Kind::kRun);
  EXPECT_EQ(events[1].kind, Kind::kRun);
  EXPECT_EQ(events[2].kind, Kind::kRunFor);
  EXPECT_EQ(events[3].byte_count, 4);
  EXPECT_EQ(events[4].byte_count, 5);
  EXPECT_EQ(events[5].kind, Kind::kSleep);
}

TEST(RtAppEventTest, EventsOfOneNameKeepTheirOrder) {
  const std::vector<ScriptEvent> events = EventsOf(R"("run": 1, "sleep": 2, "run": 3)");

  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].duration_ns, 1'000);
  EXPECT_EQ(events[2].duration_ns, 3'000);
}

TEST(RtAppEventTest, TimesAreBounded) {
  EXPECT_EQ(RefusalOfThread("\"run\": -1"), "tasks.a.run: must be from 0 to 3600000000, is -1");
  EXPECT_EQ(RefusalOfThread("\"sleep\": 1.5"),
            "tasks.a.sleep: must be a whole number from 0 to 3600000000, in digits alone");
  EXPECT_EQ(RefusalOfThread("\"runtime\": \"x\""),
            "tasks.a.runtime: must be a whole number from 0 to 3600000000, in digits alone");
}

TEST(RtAppEventTest, ATimerOfOneNameIsOneTimer) {
  const TaskScript script = ScriptOf(R"({"tasks": {
      "a": {"timer": {"ref": "t", "period": 10}},
      "b": {"timer": {"ref": "u", "period": 10}, "timer": {"ref": "t", "period": 20}}}})");

  EXPECT_EQ(script.timers.size(), 2U);
  EXPECT_EQ(script.threads[0].phases[0].events[0].target, 0);
  EXPECT_EQ(script.threads[1].phases[0].events[1].target, 0);
  EXPECT_EQ(script.threads[1].phases[0].events[1].duration_ns, 20'000);
}

TEST(RtAppEventTest, ATimerWhoseNameBeginsWithUniqueBelongsToItsThread) {
  const TaskScript script = ScriptOf(R"({"tasks": {
      "a": {"timer": {"ref": "uniqueA", "period": 10}, "timer": {"ref": "uniqueB", "period": 10}},
      "b": {"timer": {"ref": "uniqueB", "period": 10}}}})");

  EXPECT_TRUE(script.timers.empty());
  EXPECT_EQ(script.threads[0].timers.size(), 2U);
  EXPECT_TRUE(script.threads[1].phases[0].events[0].is_private);
  EXPECT_EQ(script.threads[1].phases[0].events[0].target, 0);
}

TEST(RtAppEventTest, ATimerIsRelativeUnlessOneUseOfItIsAbsolute) {
  const TaskScript script = ScriptOf(OneThread(
      R"("timer": {"ref": "r", "period": 1, "mode": "relative"},
         "timer": {"ref": "a", "period": 1, "mode": "absolute"},
         "timer": {"ref": "a", "period": 1})"));

  EXPECT_FALSE(script.timers[0].is_absolute);
  EXPECT_TRUE(script.timers[1].is_absolute);
}

TEST(RtAppEventTest, AWrongTimerIsRefused) {
  EXPECT_EQ(RefusalOfThread("\"timer\": 5"), "tasks.a.timer: must be an object");
  EXPECT_EQ(RefusalOfThread("\"timer\": {\"period\": 5}"), "tasks.a.timer.ref: is missing");
  EXPECT_EQ(RefusalOfThread("\"timer\": {\"ref\": \"t\"}"),
            "tasks.a.timer.period: must be at least 1");
  EXPECT_EQ(RefusalOfThread(R"("timer": {"ref": "t", "period": 5, "mode": "x"})"),
            "tasks.a.timer.mode: must be relative or absolute");
  EXPECT_EQ(RefusalOfThread(R"("timer": {"ref": "t", "period": 5, "perod": 1})"),
            "tasks.a.timer.perod: is not known");
}

TEST(RtAppEventTest, ASuspensionWithoutANameHasItsThreads) {
  const TaskScript script = ScriptOf(R"({"tasks": {
      "a": {"suspend", "run": 1},
      "b": {"suspend": "", "run": 1},
      "c": {"resume": "a", "resume": "b", "resume": "pool", "run": 1},
      "d": {"suspend": "pool", "run": 1}}})");

  const std::vector<ScriptEvent>& resumes = script.threads[2].phases[0].events;
  EXPECT_EQ(script.suspension_count, 3);
  EXPECT_EQ(resumes[0].target, script.threads[0].phases[0].events[0].target);
  EXPECT_EQ(resumes[1].target, script.threads[1].phases[0].events[0].target);
  EXPECT_EQ(resumes[2].target, script.threads[3].phases[0].events[0].target);
}

TEST(RtAppEventTest, LocksAndUnlocksNameAMutex) {
  const TaskScript script =
      ScriptOf(OneThread(R"("lock": "m", "lock": "n", "unlock": "n", "unlock": "m", "run": 1)"));

  const std::vector<ScriptEvent>& events = script.threads[0].phases[0].events;
  EXPECT_EQ(script.mutex_count, 2);
  EXPECT_EQ(events[0], (ScriptEvent{.kind = Kind::kLock, .target = 0}));
  EXPECT_EQ(events[2], (ScriptEvent{.kind = Kind::kUnlock, .target = 1}));
}

TEST(RtAppEventTest, WaitsAndSignalsNameACondition) {
  const TaskScript script = ScriptOf(OneThread(
      R"("lock": "m", "wait": {"ref": "q", "mutex": "m"}, "unlock": "m", "signal": "q",
         "broad": {"ref": "q"})"));

  const std::vector<ScriptEvent>& events = script.threads[0].phases[0].events;
  EXPECT_EQ(script.condition_count, 1);
  EXPECT_EQ(events[1], (ScriptEvent{.kind = Kind::kWait, .target = 0, .mutex = 0}));
  EXPECT_EQ(events[3].kind, Kind::kSignal);
  EXPECT_EQ(events[4].kind, Kind::kBroadcast);
  EXPECT_EQ(RefusalOfThread("\"wait\": {\"ref\": \"q\"}"), "tasks.a.wait.mutex: is missing");
  EXPECT_EQ(RefusalOfThread("\"signal\": 5"), "tasks.a.signal: must be a string");
}

TEST(RtAppEventTest, ASyncLocksItsMutexWhereItIsNotLocked) {
  const std::vector<ScriptEvent> events = EventsOf(
      R"("sync": {"ref": "q", "mutex": "m"}, "lock": "m", "sync": {"ref": "q", "mutex": "m"},
         "unlock": "m")");

  EXPECT_TRUE(events[0].locks_itself);
  EXPECT_FALSE(events[2].locks_itself);
}

TEST(RtAppEventTest, ABarrierCountsTheInstancesOfItsThreads) {
  const TaskScript script = ScriptOf(R"({"tasks": {
      "a": {"instance": 3, "barrier": "meet", "run": 1},
      "b": {"barrier": "meet", "barrier": "other", "run": 1}}})");

  EXPECT_EQ(script.barrier_user_counts, (std::vector<std::int32_t>{4, 1}));
}

TEST(RtAppEventTest, SemaphoresAreNumbered) {
  const TaskScript script =
      ScriptOf(OneThread(R"("sem_post": "s", "sem_wait": "t", "sem_wait0": "s", "run": 1)"));

  const std::vector<ScriptEvent>& events = script.threads[0].phases[0].events;
  EXPECT_EQ(script.semaphore_count, 2);
  EXPECT_EQ(events[0], (ScriptEvent{.kind = Kind::kSemPost, .target = 0}));
  EXPECT_EQ(events[2], (ScriptEvent{.kind = Kind::kSemWait, .target = 0}));
}

TEST(RtAppEventTest, YieldTakesAnyStringOrNone) {
  EXPECT_EQ(EventsOf("\"yield\": \"\", \"run\": 1")[0].kind, Kind::kYield);
  EXPECT_EQ(EventsOf("\"yield\", \"run\": 1")[0].kind, Kind::kYield);
  EXPECT_EQ(RefusalOfThread("\"yield\": 1, \"run\": 1"), "tasks.a.yield: must be a string");
}

TEST(RtAppEventTest, AForkNamesAThreadOfTheFile) {
  const TaskScript script = ScriptOf(
      R"({"tasks": {"a": {"fork": "b", "run": 1}, "b": {"instance": 0, "loop": 1, "run": 1}}})");

  EXPECT_EQ(script.threads[0].phases[0].events[0].target, 1);
  EXPECT_FALSE(script.threads[0].is_forked);
  EXPECT_TRUE(script.threads[1].is_forked);
  EXPECT_EQ(RefusalOfThread("\"fork\": \"b\", \"run\": 1"), "tasks.a.fork: there is no thread 'b'");
}

TEST(RtAppEventTest, MemoryEventsCountTheBytesThatTheyMove) {
  const std::vector<ScriptEvent> events = EventsOf(
      R"("mem": 100, "memrun": {"size": 6400, "count": 3},
         "memrun": {"size": 6400, "stride": 640}, "memrun": {"size": 100, "stride": 8})");

  EXPECT_EQ(events[0], (ScriptEvent{.kind = Kind::kMemory, .byte_count = 100}));
  EXPECT_EQ(events[1].byte_count, 19'200);
  EXPECT_EQ(events[2].byte_count, 640);
  EXPECT_EQ(events[3].byte_count, 100);
}

TEST(RtAppEventTest, TheRestOfAMemoryRunIsIgnoredByName) {
  const auto file = ingest::ParseRtApp(
      OneThread(R"("memrun": {"size": 1, "type": "read", "pattern": "random", "ref": "b"})"));

  EXPECT_EQ(file.value().ignored,
            (std::vector<std::string>{"tasks.a.memrun.type", "tasks.a.memrun.pattern",
                                      "tasks.a.memrun.ref"}));
  EXPECT_EQ(RefusalOfThread("\"memrun\": {}"), "tasks.a.memrun.size: is missing");
  EXPECT_EQ(RefusalOfThread(R"("memrun": {"size": 1099511627776, "count": 2})"),
            "tasks.a.memrun: moves more than 1099511627776 bytes");
}

TEST(RtAppEventTest, WritesToTheNullDeviceAreWorkAndToAnotherBlock) {
  const std::string text =
      R"({"tasks": {"a": {"iorun": 512}}, "global": {"io_device": "/dev/sda"}})";

  EXPECT_EQ(EventOf("\"iorun\": 512"), (ScriptEvent{.kind = Kind::kNull, .byte_count = 512}));
  EXPECT_EQ(ScriptOf(text).threads[0].phases[0].events[0].kind, Kind::kDevice);
}

}  // namespace
}  // namespace schedlab
