#include "ingest/rt_app.h"

#include <gtest/gtest.h>

#include "core/limits.h"
#include "tests/unit/ingest/rt_app_text.h"

namespace schedlab {
namespace {

using testing::OneThread;
using testing::RefusalOf;
using testing::RefusalOfThread;
using testing::ScriptOf;

std::string WithGlobal(const std::string& members) {
  return R"({"tasks": {"a": {"run": 1}}, "global": {)" + members + "}}";
}

TEST(RtAppTest, AThreadWithoutAnythingElseHasItsDefaults) {
  const TaskScript script = ScriptOf(OneThread("\"run\": 5000"));

  const ScriptThread& thread = script.threads.at(0);
  EXPECT_EQ(thread.name, "a");
  EXPECT_EQ(thread.instance_count, 1);
  EXPECT_EQ(thread.delay_ns, 0);
  EXPECT_EQ(thread.pass_count, kForEver);
  EXPECT_EQ(thread.attributes.policy, SchedPolicy::kNormal);
  EXPECT_EQ(thread.attributes.nice, 0);
  EXPECT_EQ(thread.phases.at(0).pass_count, 1);
  EXPECT_TRUE(thread.phases[0].cpus.empty());
  EXPECT_EQ(thread.phases[0].events.at(0).duration_ns, 5'000'000);
  EXPECT_EQ(script.duration_ns, 0);
  EXPECT_FALSE(script.inherits_priority);
}

TEST(RtAppTest, TheFileOfTheReferenceRunIsRead) {
  const auto file = ingest::ParseRtApp(R"({
    "tasks": {
      "periodic": {"instance": 2, "loop": -1, "run": 3000,
                   "timer": {"ref": "unique", "period": 10000}},
      "bursty": {"instance": 1, "loop": -1, "phases": {
        "light": {"loop": 50, "run": 1000, "sleep": 4000},
        "heavy": {"loop": 50, "run": 8000, "sleep": 2000}}}
    },
    "global": {"duration": 2, "calibration": 20, "default_policy": "SCHED_OTHER", "log_size": 2,
               "logdir": "./run/rtlog", "log_basename": "rt", "ftrace": false, "gnuplot": false}
  })");

  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->script.threads[0].instance_count, 2);
  EXPECT_EQ(file->script.threads[1].phases[1].name, "heavy");
  EXPECT_EQ(file->script.threads[1].phases[1].pass_count, 50);
  EXPECT_EQ(file->script.duration_ns, 2'000'000'000);
  EXPECT_EQ(file->ignored,
            (std::vector<std::string>{"global.calibration", "global.logdir", "global.log_basename",
                                      "global.log_size", "global.ftrace", "global.gnuplot"}));
}

TEST(RtAppTest, ThePropertiesOfAThreadAreRead) {
  const ScriptThread thread =
      ScriptOf(OneThread(R"("instance": 3, "delay": 7, "loop": 4, "priority": -5, "cpus": [3, 1],
                            "taskgroup": "/x/y", "run": 1)"))
          .threads.at(0);

  EXPECT_EQ(thread.instance_count, 3);
  EXPECT_EQ(thread.delay_ns, 7'000);
  EXPECT_EQ(thread.pass_count, 4);
  EXPECT_EQ(thread.attributes.nice, -5);
  EXPECT_EQ(thread.phases[0].cpus, (std::vector<std::int32_t>{1, 3}));
  EXPECT_EQ(thread.group, 0);
}

TEST(RtAppTest, APhaseWithoutCpusHasThoseOfItsThread) {
  const ScriptThread thread = ScriptOf(OneThread(R"("cpus": [2], "phases": {
      "p1": {"cpus": [0], "run": 1}, "p2": {"run": 1}})"))
                                  .threads.at(0);

  EXPECT_EQ(thread.phases[0].cpus, std::vector<std::int32_t>{0});
  EXPECT_EQ(thread.phases[1].cpus, std::vector<std::int32_t>{2});
}

TEST(RtAppTest, EveryPolicyIsRead) {
  const auto policy = [](const std::string& name) {
    return ScriptOf(OneThread("\"policy\": \"SCHED_" + name + "\", \"run\": 1"))
        .threads[0]
        .attributes.policy;
  };

  EXPECT_EQ(policy("OTHER"), SchedPolicy::kNormal);
  EXPECT_EQ(policy("BATCH"), SchedPolicy::kBatch);
  EXPECT_EQ(policy("IDLE"), SchedPolicy::kIdle);
  EXPECT_EQ(policy("RR"), SchedPolicy::kRoundRobin);
  EXPECT_EQ(policy("FIFO"), SchedPolicy::kFifo);
}

TEST(RtAppTest, ARealTimeThreadHasPriorityTenUnlessItSaysOtherwise) {
  const auto priority = [](const std::string& members) {
    return ScriptOf(OneThread("\"policy\": \"SCHED_FIFO\", \"run\": 1" + members))
        .threads[0]
        .attributes.rt_priority;
  };

  EXPECT_EQ(priority(""), 10);
  EXPECT_EQ(priority(", \"priority\": 99"), 99);
}

TEST(RtAppTest, ADeadlineThreadTakesItsPeriodFromItsRuntimeAndItsDeadlineFromThat) {
  const auto attributes = [](const std::string& members) {
    return ScriptOf(OneThread("\"policy\": \"SCHED_DEADLINE\", \"run\": 1, " + members))
        .threads[0]
        .attributes;
  };

  const SchedAttributes one = attributes("\"dl-runtime\": 5000");
  EXPECT_EQ(one.runtime_ns, 5'000'000);
  EXPECT_EQ(one.period_ns, 5'000'000);
  EXPECT_EQ(one.deadline_ns, 5'000'000);
  const SchedAttributes two =
      attributes(R"("dl-runtime": 5000, "dl-period": 20000, "dl-deadline": 10000)");
  EXPECT_EQ(two.deadline_ns, 10'000'000);
  EXPECT_EQ(two.period_ns, 20'000'000);
}

TEST(RtAppTest, TheDeadlineKeysOfEarlierVersionsAreRead) {
  const SchedAttributes attributes =
      ScriptOf(OneThread(R"("policy": "SCHED_DEADLINE", "runtime": 3000, "period": 9000,
                            "deadline": 6000, "phases": {"p": {"run": 1}})"))
          .threads[0]
          .attributes;

  EXPECT_EQ(attributes.runtime_ns, 3'000'000);
  EXPECT_EQ(attributes.deadline_ns, 6'000'000);
  EXPECT_EQ(attributes.period_ns, 9'000'000);
}

TEST(RtAppTest, TheRuntimeOfAFairThreadIsTheSliceThatItAsksFor) {
  EXPECT_EQ(ScriptOf(OneThread("\"dl-runtime\": 3000, \"run\": 1")).threads[0].attributes.slice_ns,
            3'000'000);
}

TEST(RtAppTest, APhaseChangesOnlyWhatItNames) {
  const ScriptThread thread = ScriptOf(OneThread(R"("priority": 3, "phases": {
      "same": {"run": 1},
      "nicer": {"priority": 7, "run": 1},
      "urgent": {"policy": "SCHED_FIFO", "run": 1},
      "more": {"priority": 20, "run": 1},
      "back": {"policy": "SCHED_OTHER", "run": 1},
      "slice": {"dl-runtime": 100, "run": 1}})"))
                                  .threads.at(0);

  EXPECT_FALSE(thread.phases[0].attributes.has_value());
  EXPECT_EQ(thread.phases[1].attributes->nice, 7);
  EXPECT_EQ(thread.phases[2].attributes->policy, SchedPolicy::kFifo);
  EXPECT_EQ(thread.phases[2].attributes->rt_priority, 10);
  EXPECT_EQ(thread.phases[3].attributes->policy, SchedPolicy::kFifo);
  EXPECT_EQ(thread.phases[3].attributes->rt_priority, 20);
  EXPECT_EQ(thread.phases[4].attributes->nice, 0);
  EXPECT_EQ(thread.phases[5].attributes->slice_ns, 100'000);
  EXPECT_EQ(thread.phases[5].attributes->policy, SchedPolicy::kNormal);
}

TEST(RtAppTest, GroupsAreNumberedByTheirPaths) {
  const TaskScript script = ScriptOf(R"({"tasks": {
      "a": {"taskgroup": "/x", "run": 1},
      "b": {"phases": {"p": {"taskgroup": "/x/y", "run": 1}, "q": {"taskgroup": "", "run": 1}}},
      "c": {"taskgroup": "/x", "run": 1}}})");

  EXPECT_EQ(script.groups, (std::vector<std::string>{"/x", "/x/y"}));
  EXPECT_EQ(script.threads[1].phases[0].group, 1);
  EXPECT_FALSE(script.threads[1].phases[1].group.has_value());
  EXPECT_EQ(script.threads[2].group, 0);
}

TEST(RtAppTest, TheGlobalSettingsThatMatterAreRead) {
  const TaskScript script =
      ScriptOf(WithGlobal(R"("duration": 6, "default_policy": "SCHED_RR", "pi_enabled": true,
                             "cumulative_slack": true, "mem_buffer_size": 4096)"));

  EXPECT_EQ(script.duration_ns, 6'000'000'000);
  EXPECT_EQ(script.threads[0].attributes.policy, SchedPolicy::kRoundRobin);
  EXPECT_TRUE(script.inherits_priority);
  EXPECT_TRUE(script.adds_slack);
  EXPECT_EQ(script.buffer_bytes, 4096);
}

TEST(RtAppTest, WhatHasNoEffectIsReported) {
  const auto file = ingest::ParseRtApp(
      R"({"resources": 3, "tasks": {"a": {"util_min": 5, "util_max": 9, "nodes_membind": [0],
          "run": 1}}, "global": {"lock_pages": true, "frag": 1}})");

  EXPECT_EQ(
      file.value().ignored,
      (std::vector<std::string>{"global.lock_pages", "global.frag", "resources", "tasks.a.util_min",
                                "tasks.a.util_max", "tasks.a.nodes_membind"}));
}

TEST(RtAppTest, AnUnknownKeyIsRefusedByItsPath) {
  EXPECT_EQ(RefusalOf(R"({"task": {}})"), "tasks: is missing");
  EXPECT_EQ(RefusalOf(R"({"tasks": {"a": {"run": 1}}, "globals": {}})"), "globals: is not known");
  EXPECT_EQ(RefusalOf(WithGlobal("\"durations\": 1")), "global.durations: is not known");
  EXPECT_EQ(RefusalOfThread("\"run\": 1, \"foo\": 2"), "tasks.a.foo: is not known");
  EXPECT_EQ(RefusalOfThread(R"("phases": {"p1": {"run": 1, "foo": 2}})"),
            "tasks.a.phases.p1.foo: is not known");
  EXPECT_EQ(RefusalOfThread(R"("sleep": 1, "phases": {"p1": {"run": 1}})"),
            "tasks.a.sleep: is not known");
}

TEST(RtAppTest, ADurationIsAWholeNumberOfSeconds) {
  EXPECT_EQ(RefusalOf(WithGlobal("\"duration\": 0.5")),
            "global.duration: must be a whole number from -1 to 3600, in digits alone");
  EXPECT_EQ(RefusalOf(WithGlobal("\"duration\": 3601")),
            "global.duration: must be from -1 to 3600, is 3601");
  EXPECT_EQ(RefusalOf(WithGlobal("\"duration\": 0")),
            "global.duration: must be -1, for ever, or at least 1");
  EXPECT_EQ(ScriptOf(WithGlobal("\"duration\": -1")).duration_ns, 0);
}

TEST(RtAppTest, ValuesOfTheWrongKindAreRefused) {
  EXPECT_EQ(RefusalOf("[]"), "must be an object");
  EXPECT_EQ(RefusalOf(R"({"tasks": []})"), "tasks: must be an object");
  EXPECT_EQ(RefusalOf(R"({"tasks": {"a": 1}})"), "tasks.a: must be an object");
  EXPECT_EQ(RefusalOf(WithGlobal("\"pi_enabled\": 1")), "global.pi_enabled: must be true or false");
  EXPECT_EQ(RefusalOfThread("\"run\": 1, \"policy\": 3"), "tasks.a.policy: must be a string");
  EXPECT_EQ(RefusalOfThread("\"run\": 1, \"cpus\": 3"),
            "tasks.a.cpus: must be an array of numbers, of at least one");
  EXPECT_EQ(RefusalOfThread("\"run\": 1, \"cpus\": []"),
            "tasks.a.cpus: must be an array of numbers, of at least one");
}

TEST(RtAppTest, ValuesOutOfBoundsAreRefused) {
  EXPECT_EQ(RefusalOfThread("\"run\": 1, \"instance\": -1"),
            "tasks.a.instance: must be from 0 to 100000, is -1");
  EXPECT_EQ(RefusalOfThread("\"run\": 1, \"loop\": 0"),
            "tasks.a.loop: must be -1, for ever, or at least 1");
  EXPECT_EQ(RefusalOfThread("\"run\": 1, \"loop\": 99999999999999999999"),
            "tasks.a.loop: must be a whole number from -1 to 2147483647, in digits alone");
  EXPECT_EQ(RefusalOfThread("\"run\": 1, \"priority\": 20"),
            "tasks.a.priority: must be from -20 to 19, is 20");
  EXPECT_EQ(RefusalOfThread(R"("run": 1, "policy": "SCHED_RR", "priority": 0)"),
            "tasks.a.priority: must be from 1 to 99, is 0");
  EXPECT_EQ(RefusalOfThread("\"run\": 1, \"cpus\": [4096]"),
            "tasks.a.cpus: must be from 0 to 4095, is 4096");
  EXPECT_EQ(RefusalOfThread("\"run\": 1, \"cpus\": [1, 1]"), "tasks.a.cpus: has a number twice");
  EXPECT_EQ(RefusalOfThread("\"run\": 1, \"util_max\": 1025"),
            "tasks.a.util_max: must be from -1 to 1024, is 1025");
  EXPECT_EQ(RefusalOfThread("\"run\": 1, \"delay\": 3600000001"),
            "tasks.a.delay: must be from 0 to 3600000000, is 3600000001");
}

TEST(RtAppTest, ANumberThatIsNotWrittenInDigitsIsToldItsRange) {
  const std::string expected =
      "tasks.a.run: must be a whole number from 0 to 3600000000, in digits alone";

  EXPECT_EQ(RefusalOfThread("\"run\": 99999999999999999999999"), expected);
  EXPECT_EQ(RefusalOfThread("\"run\": 1e3"), expected);
}

TEST(RtAppTest, TheNamesOfObjectsAreKeptInTheOrderOfTheirIndices) {
  const TaskScript script = ScriptOf(
      OneThread(R"("lock": "m", "lock1": "n", "unlock": "n", "unlock1": "m", "sem_wait": "s")"));

  EXPECT_EQ(script.names.mutexes, (std::vector<std::string>{"m", "n"}));
  EXPECT_EQ(script.names.semaphores, (std::vector<std::string>{"s"}));
}

TEST(RtAppTest, AnUnknownPolicyIsRefused) {
  EXPECT_EQ(RefusalOfThread(R"("run": 1, "policy": "SCHED_EXT")"),
            "tasks.a.policy: there is no policy 'SCHED_EXT'; the policies are SCHED_OTHER, "
            "SCHED_BATCH, SCHED_IDLE, SCHED_RR, SCHED_FIFO and SCHED_DEADLINE");
}

TEST(RtAppTest, ADeadlineThreadNeedsARuntime) {
  EXPECT_EQ(RefusalOfThread(R"("policy": "SCHED_DEADLINE", "run": 1)"),
            "tasks.a.dl-runtime: is missing: SCHED_DEADLINE has no budget without it");
  EXPECT_NE(RefusalOfThread(R"("policy": "SCHED_DEADLINE", "run": 1, "dl-runtime": 5,
                               "dl-period": 4)"),
            "");
}

TEST(RtAppTest, OnlyFairThreadsHaveAGroup) {
  EXPECT_EQ(RefusalOfThread(R"("policy": "SCHED_FIFO", "taskgroup": "/x", "run": 1)"),
            "tasks.a.taskgroup: only threads of SCHED_OTHER, SCHED_BATCH and SCHED_IDLE can be in "
            "one");
  EXPECT_EQ(RefusalOfThread("\"taskgroup\": \"x\", \"run\": 1"),
            "tasks.a.taskgroup: must be a path such as /a/b of at most 8 names");
}

TEST(RtAppTest, ASettingThatStandsTwiceIsRefused) {
  EXPECT_EQ(RefusalOfThread("\"loop\": 1, \"run\": 1, \"loop\": 2"),
            "tasks.a.loop: stands twice in its object");
  EXPECT_EQ(RefusalOf(R"({"tasks": {"a": {"run": 1}, "a": {"run": 1}}})"), "tasks.a: stands twice");
  EXPECT_EQ(RefusalOfThread(R"("phases": {"p": {"run": 1}, "p": {"run": 1}})"),
            "tasks.a.phases.p: stands twice");
}

TEST(RtAppTest, NothingToDoIsRefused) {
  EXPECT_EQ(RefusalOf(R"({"tasks": {}})"), "tasks: has no thread");
  EXPECT_EQ(RefusalOfThread(""), "tasks.a: has no event");
  EXPECT_EQ(RefusalOfThread("\"phases\": {}"), "tasks.a.phases: has no phase");
  EXPECT_EQ(RefusalOfThread("\"instance\": 0, \"run\": 1"),
            "tasks: no thread starts: every instance is 0");
}

TEST(RtAppTest, AFileHasALimit) {
  EXPECT_EQ(RefusalOf(std::string(kMaxDocumentBytes + 1, ' ')),
            "it has 262145 bytes; at most 262144 are allowed");
}

TEST(RtAppTest, ThreadsHaveALimitTogether) {
  EXPECT_EQ(RefusalOf(R"({"tasks": {"a": {"instance": 100000, "run": 1}, "b": {"run": 1}}})"),
            "tasks: there are 100001 threads; at most 100000 are allowed");
}

}  // namespace
}  // namespace schedlab
