// What each event and property of an rt-app file does in a run.
#include <gtest/gtest.h>

#include "tests/scenarios/rt_app_runs.h"

namespace schedlab {
namespace {

using testing::RtAppRun;
using testing::RtAppSetup;
using testing::RunRtApp;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): durations only

RtAppSetup OnCpus(std::string_view shape) { return {.shape = shape}; }

sim::SimTime At(sim::SimDuration time) { return sim::SimTime(time); }

// A machine with a slow CPU 1.
Topology LopsidedTopology() {
  Topology topology = testing::FreeTopology("core:2");
  topology.cpus[1].capacity = 512;
  return topology;
}

sim::SimDuration DurationOnSlowCpu(const std::string& event) {
  const TaskScript script =
      ingest::ParseRtApp(R"({"tasks": {"a": {"loop": 1, "cpus": [1], ")" + event + "\": 1000}}}")
          .value()
          .script;
  return sim::SimDuration(testing::RunOnce({}, script, LopsidedTopology()).result.simulated_ns);
}

TEST(RtAppEventsTest, RunIsWorkThatTakesLongerOnASlowCpu) {
  EXPECT_EQ(DurationOnSlowCpu("run"), 2ms);
}

TEST(RtAppEventsTest, RuntimeIsTimeWhateverTheCpu) { EXPECT_EQ(DurationOnSlowCpu("runtime"), 1ms); }

TEST(RtAppEventsTest, SleepCountsFromItsBeginning) {
  const RtAppRun run = RunRtApp({}, R"({"tasks": {"a": {"loop": 3, "run": 1000, "sleep": 4000}}})");

  EXPECT_EQ(run.result.simulated_ns, 15'000'000);
}

TEST(RtAppEventsTest, ATimerCountsFromItsLastExpiry) {
  const RtAppRun run = RunRtApp({}, R"({"tasks": {"a": {"loop": 3, "run": 1000,
      "timer": {"ref": "t", "period": 4000}}}})");

  EXPECT_EQ(run.result.simulated_ns, 12'000'000);
  EXPECT_EQ(run.Of("a").slack_min, 3ms);
  EXPECT_EQ(run.Of("a").slack_sum, 9ms);
}

constexpr std::string_view kLateOnce = R"({"tasks": {"a": {"loop": 1, "phases": {
    "p1": {"loop": 2, "run": 10000, "timer": {"ref": "t", "period": 20000, "mode": "MODE"}},
    "p2": {"run": 30000, "timer": {"ref": "t", "period": 20000}},
    "p3": {"loop": 2, "run": 10000, "timer": {"ref": "t", "period": 20000}}}}}})";

RtAppRun RunLateOnce(std::string_view mode) {
  std::string text(kLateOnce);
  text.replace(text.find("MODE"), 4, mode);
  return RunRtApp({.duration = 1s}, text);
}

// The two examples of rt-app's tutorial.
TEST(RtAppEventsTest, AMissMovesARelativeTimer) {
  const RtAppRun run = RunLateOnce("relative");

  EXPECT_EQ(run.result.simulated_ns, 110'000'000);
  EXPECT_EQ(run.Of("a").missed_count, 1);
  EXPECT_EQ(run.Of("a").slack_min, -10ms);
}

TEST(RtAppEventsTest, AMissLeavesAnAbsoluteTimer) {
  const RtAppRun run = RunLateOnce("absolute");

  EXPECT_EQ(run.result.simulated_ns, 100'000'000);
  EXPECT_EQ(run.Of("a").missed_count, 2);
}

TEST(RtAppEventsTest, EveryInstanceHasItsOwnUniqueTimer) {
  const auto duration = [](const std::string& ref) {
    return RunRtApp(OnCpus("core:2"),
                    R"({"tasks": {"a": {"instance": 2, "loop": 2, "run": 1000,
                        "timer": {"ref": ")" +
                        ref + R"(", "period": 4000}}}})")
        .result.simulated_ns;
  };

  EXPECT_EQ(duration("unique"), 8'000'000);
  EXPECT_EQ(duration("shared"), 16'000'000);
}

TEST(RtAppEventsTest, SlackIsTheLastTimersUnlessItIsCumulative) {
  const auto slack = [](const std::string& cumulative) {
    return RunRtApp({}, R"({"tasks": {"a": {"loop": 1, "run": 1000,
                            "timer": {"ref": "t", "period": 4000}, "run": 1000,
                            "timer": {"ref": "t", "period": 4000}}},
                            "global": {"cumulative_slack": )" +
                            cumulative + "}}")
        .Of("a")
        .slack_sum;
  };

  EXPECT_EQ(slack("false"), 3ms);
  EXPECT_EQ(slack("true"), 6ms);
}

TEST(RtAppEventsTest, AResumeOfNobodyIsNotRemembered) {
  const RtAppRun run = RunRtApp(OnCpus("core:2"), R"({"tasks": {
      "a": {"loop": 1, "run": 2000, "suspend": "", "run": 1000},
      "b": {"loop": 1, "run": 1000, "resume": "a", "run": 4000, "resume": "a", "run": 5000}}})");

  EXPECT_EQ(run.Of("a").work_done, 3ms);
  EXPECT_EQ(run.log.last_left_.at("a-0"), At(6ms));
}

TEST(RtAppEventsTest, AResumeWakesEverybodyOfThatName) {
  const RtAppRun run = RunRtApp(OnCpus("core:4"), R"({"tasks": {
      "a": {"instance": 3, "loop": 1, "suspend": "pool", "run": 1000},
      "b": {"loop": 1, "run": 5000, "resume": "pool"}}})");

  EXPECT_EQ(run.result.verdict, RunVerdict::kCompleted);
  EXPECT_EQ(run.Of("a").work_done, 3ms);
  EXPECT_EQ(run.result.simulated_ns, 6'000'000);
}

TEST(RtAppEventsTest, AMutexIsHandedOverInTheOrderOfArrival) {
  const RtAppRun run = RunRtApp(OnCpus("core:4"), R"({"tasks": {
      "a": {"loop": 1, "lock": "m", "run": 5000, "unlock": "m", "sleep": 1},
      "c": {"loop": 1, "delay": 2000, "lock": "m", "run": 5000, "unlock": "m", "sleep": 1},
      "b": {"loop": 1, "delay": 1000, "lock": "m", "run": 5000, "unlock": "m", "sleep": 1}}})");

  EXPECT_EQ(run.log.last_left_.at("a-0"), At(5ms + 1us));
  EXPECT_EQ(run.log.last_left_.at("b-2"), At(10ms + 1us));
  EXPECT_EQ(run.log.last_left_.at("c-1"), At(15ms + 1us));
}

constexpr std::string_view kInversion = R"({"tasks": {
    "holder": {"loop": 1, "priority": 19, "lock": "m", "run": 10000, "unlock": "m"},
    "other": {"loop": 1, "delay": 1000, "run": 200000},
    "urgent": {"loop": 1, "priority": -20, "delay": 2000, "lock": "m", "run": 1000,
               "unlock": "m"}}, "global": {"pi_enabled": PI}})";

sim::SimTime EndOfUrgent(std::string_view inherits) {
  std::string text(kInversion);
  text.replace(text.find("PI}"), 2, inherits);
  return RunRtApp({.duration = 10s}, text).log.last_left_.at("urgent-2");
}

TEST(RtAppEventsTest, AnInheritedPriorityEndsAnInversion) {
  EXPECT_GT(EndOfUrgent("false"), At(100ms));
  EXPECT_LT(EndOfUrgent("true"), At(30ms));
}

constexpr std::string_view kRealTimeInversion = R"({"tasks": {
    "holder": {"loop": 1, "policy": "SCHED_FIFO", "priority": 1, "lock": "m", "run": 10000,
               "unlock": "m"},
    "other": {"loop": 1, "policy": "SCHED_FIFO", "priority": 2, "delay": 1000, "run": 60000},
    "urgent": {"loop": 1, "policy": "SCHED_FIFO", "priority": 3, "delay": 2000, "lock": "m",
               "run": 1000, "unlock": "m"}}, "global": {"pi_enabled": PI}})";

std::set<std::int32_t> PrioritiesOfHolder(std::string_view inherits) {
  std::string text(kRealTimeInversion);
  text.replace(text.find("PI}"), 2, inherits);
  return RunRtApp({.duration = 1s}, text).log.rt_priorities_.at("holder-0");
}

TEST(RtAppEventsTest, AHolderHasTheRealTimePriorityOfItsMostUrgentWaiter) {
  EXPECT_EQ(PrioritiesOfHolder("true"), (std::set<std::int32_t>{1, 3}));
  EXPECT_EQ(PrioritiesOfHolder("false"), (std::set<std::int32_t>{1}));
}

TEST(RtAppEventsTest, AWaitReleasesItsMutexAndHasItAgainAfterwards) {
  const RtAppRun run = RunRtApp(OnCpus("core:2"), R"({"tasks": {
      "a": {"loop": 1, "lock": "m", "wait": {"ref": "q", "mutex": "m"}, "run": 1000,
            "unlock": "m"},
      "b": {"loop": 1, "run": 1000, "lock": "m", "signal": "q", "run": 3000, "unlock": "m"}}})");

  EXPECT_EQ(run.result.verdict, RunVerdict::kCompleted);
  EXPECT_EQ(run.log.last_left_.at("a-0"), At(5ms));
}

TEST(RtAppEventsTest, ASignalWakesOneAndABroadcastAll) {
  const auto activations = [](const std::string& event) {
    return RunRtApp(OnCpus("core:4"), R"({"tasks": {
        "a": {"instance": 3, "loop": 1, "lock": "m", "wait": {"ref": "q", "mutex": "m"},
              "unlock": "m", "run": 10},
        "b": {"run": 1000, ")" + event + R"(": "q", "sleep": 200000}}})")
        .Of("a")
        .activation_count;
  };

  EXPECT_EQ(activations("signal"), 1);
  EXPECT_EQ(activations("broad"), 3);
}

TEST(RtAppEventsTest, ASyncWakesItsPartnerAndWaits) {
  const RtAppRun run = RunRtApp(OnCpus("core:2"), R"({"tasks": {
      "a": {"loop": 1, "lock": "m", "wait": {"ref": "q", "mutex": "m"}, "unlock": "m",
            "run": 2000, "lock": "m", "signal": "q", "unlock": "m"},
      "b": {"loop": 1, "run": 1000, "sync": {"ref": "q", "mutex": "m"}, "run": 1000}}})");

  EXPECT_EQ(run.result.verdict, RunVerdict::kCompleted);
  EXPECT_EQ(run.result.simulated_ns, 4'000'000);
}

TEST(RtAppEventsTest, ABarrierOpensWhenTheLastHasCome) {
  const RtAppRun run = RunRtApp(OnCpus("core:3"), R"({"tasks": {
      "a": {"instance": 2, "loop": 1, "run": 1000, "barrier": "meet", "run": 1000},
      "b": {"loop": 1, "run": 5000, "barrier": "meet", "run": 1000}}})");

  EXPECT_EQ(run.result.verdict, RunVerdict::kCompleted);
  EXPECT_EQ(run.result.simulated_ns, 6'000'000);
}

TEST(RtAppEventsTest, ASemaphoreRemembersWhatWasPosted) {
  const RtAppRun run = RunRtApp(OnCpus("core:2"), R"({"tasks": {
      "a": {"loop": 1, "run": 5000, "sem_wait": "s", "sem_wait": "s", "sem_wait": "s",
            "run": 1000},
      "b": {"loop": 1, "sem_post": "s", "sem_post": "s", "run": 8000, "sem_post": "s"}}})");

  EXPECT_EQ(run.result.verdict, RunVerdict::kCompleted);
  EXPECT_EQ(run.log.last_left_.at("a-0"), At(9ms));
}

TEST(RtAppEventsTest, AYieldLetsTheOtherGoFirst) {
  const auto starts = [](const std::string& event) {
    return RunRtApp({.duration = 10ms},
                    R"({"tasks": {"a": {"instance": 2, "run": 100)" + event + "}}}")
        .log.starts_.at("a-0");
  };

  EXPECT_GT(starts(", \"yield\": \"\""), 10 * starts(""));
}

TEST(RtAppEventsTest, AForkStartsAnotherThread) {
  const RtAppRun run = RunRtApp(OnCpus("core:4"), R"({"tasks": {
      "a": {"loop": 3, "run": 1000, "fork": "b"},
      "b": {"instance": 0, "loop": 1, "run": 2000}}})");

  EXPECT_EQ(run.result.verdict, RunVerdict::kCompleted);
  EXPECT_EQ(run.Of("b").started_count, 3);
  EXPECT_EQ(run.Of("b").work_done, 6ms);
  EXPECT_EQ(run.result.simulated_ns, 5'000'000);
}

TEST(RtAppEventsTest, ForksWithoutEndUseTheirThreadsAgain) {
  const RtAppRun run = RunRtApp({.shape = "core:2", .duration = 3s}, R"({"tasks": {
      "a": {"run": 500, "fork": "b", "run": 500},
      "b": {"instance": 0, "loop": 1, "run": 200}}})");

  EXPECT_NEAR(static_cast<double>(run.Of("b").started_count), 3'000, 2);
  EXPECT_EQ(run.result.metrics.count("forks_refused"), 0U);
}

TEST(RtAppEventsTest, ForksAboveTheLimitAreLeftOutAndCounted) {
  const RtAppRun run = RunRtApp({.shape = "core:2", .duration = 2s}, R"({"tasks": {
      "a": {"run": 1000, "fork": "b"}, "b": {"instance": 0, "loop": 1, "suspend": ""}}})");

  EXPECT_EQ(run.Of("b").started_count, kMaxForksAlive);
  EXPECT_GT(run.result.metrics.at("forks_refused"), 900);
}

TEST(RtAppEventsTest, MemoryIsWorkAtTheSpeedOfTheMemory) {
  const RtAppRun run = RunRtApp({.parameters = {{"memory_mb_per_sec", 2'000}}},
                                R"({"tasks": {"a": {"loop": 1, "mem": 2000000,
                                    "memrun": {"size": 1000000, "count": 2}}}})");

  EXPECT_EQ(run.Of("a").work_done, 2ms);
}

TEST(RtAppEventsTest, TheNullDeviceCostsAWriteForEachBufferOfBytes) {
  const RtAppRun run = RunRtApp({.parameters = {{"write_call_ns", 500}}},
                                R"({"tasks": {"a": {"loop": 1, "iorun": 4097}},
                                    "global": {"mem_buffer_size": 4096}})");

  EXPECT_EQ(run.Of("a").work_done, 1us);
}

TEST(RtAppEventsTest, ADeviceServesOneRequestAfterTheOther) {
  const RtAppRun run = RunRtApp({.shape = "core:2", .parameters = {{"device_mb_per_sec", 1'000}}},
                                R"({"tasks": {"a": {"instance": 2, "loop": 1, "iorun": 5000000}},
                                    "global": {"io_device": "/dev/sda"}})");

  EXPECT_EQ(run.Of("a").work_done, 0ms);
  EXPECT_EQ(run.result.simulated_ns, 10'000'000);
}

TEST(RtAppEventsTest, ADelayComesBeforeTheFirstPhase) {
  const RtAppRun run = RunRtApp({}, R"({"tasks": {"a": {"delay": 3000, "loop": 2, "run": 1000,
                                       "timer": {"ref": "t", "period": 2000}}}})");

  EXPECT_EQ(run.result.simulated_ns, 7'000'000);
}

TEST(RtAppEventsTest, PhasesAndThreadsLoop) {
  const RtAppRun run = RunRtApp({}, R"({"tasks": {"a": {"loop": 2, "phases": {
      "p": {"loop": 3, "run": 1000}, "q": {"run": 500}}}}})");

  EXPECT_EQ(run.Of("a").activation_count, 8);
  EXPECT_EQ(run.Of("a").work_done, 7ms);
}

TEST(RtAppEventsTest, APhaseMovesItsThreadToItsCpus) {
  const RtAppRun run = RunRtApp(OnCpus("core:3"), R"({"tasks": {"a": {"loop": 1, "cpus": [2],
      "phases": {"p": {"cpus": [0], "run": 1000}, "q": {"cpus": [1], "run": 1000},
                 "r": {"run": 1000}}}}})");

  EXPECT_EQ(run.log.cpus_.at("a-0"), (std::set<sim::CpuNumber>{0, 1, 2}));
  EXPECT_EQ(run.result.simulated_ns, 3'000'000);
}

TEST(RtAppEventsTest, APhaseChangesThePriorityOfItsThread) {
  const RtAppRun run = RunRtApp({.duration = 400ms}, R"({"tasks": {
      "a": {"loop": 1, "phases": {"p": {"run": 50000}, "q": {"priority": 19, "loop": -1,
                                                             "run": 1000}}},
      "b": {"loop": -1, "run": 1000}}})");

  // Half of the first 100 ms, then the share of nice 19: 15 of 1039.
  EXPECT_NEAR(run.WorkMs("a"), 55, 10);
}

TEST(RtAppEventsTest, APhaseChangesThePolicyOfItsThread) {
  const RtAppRun run = RunRtApp({.duration = 200ms}, R"({"tasks": {
      "a": {"loop": 1, "phases": {"p": {"run": 1000},
                                  "q": {"policy": "SCHED_FIFO", "priority": 7, "run": 50000}}},
      "b": {"run": 1000}}})");

  EXPECT_EQ(run.log.rt_priorities_.at("a-0"), (std::set<std::int32_t>{7}));
}

TEST(RtAppEventsTest, ADeadlineThreadMeetsItsTimersBesideSpinners) {
  const RtAppRun run = RunRtApp({.duration = 1s}, R"({"tasks": {
      "a": {"policy": "SCHED_DEADLINE", "dl-runtime": 3000, "dl-period": 10000, "run": 2000,
            "timer": {"ref": "unique", "period": 10000}},
      "b": {"instance": 3, "run": 1000}}})");

  EXPECT_EQ(run.Of("a").missed_count, 0);
  EXPECT_NEAR(run.WorkMs("a"), 200, 2);
}

TEST(RtAppEventsTest, AScriptThatCannotGoOnIsADeadlock) {
  const RtAppRun run = RunRtApp(OnCpus("core:2"), R"({"tasks": {
      "a": {"lock": "m", "run": 1000, "lock": "n", "unlock": "n", "unlock": "m"},
      "b": {"lock": "n", "run": 1000, "lock": "m", "unlock": "m", "unlock": "n"}}})");

  EXPECT_EQ(run.result.verdict, RunVerdict::kDeadlock);
  EXPECT_EQ(run.deadlock,
            "'a-0' waits for mutex 'n', which 'b-1' holds; 'b-1' waits for mutex 'm', which 'a-0' "
            "holds");
}

TEST(RtAppEventsTest, ADeadlockNamesThePhaseAndTheKindOfWhatIsAwaited) {
  const RtAppRun run = RunRtApp(OnCpus("core:2"), R"({"tasks": {
      "a": {"phases": {"p": {"run": 1000}, "q": {"sem_wait": "s"}}},
      "b": {"loop": 1, "lock": "m", "wait": {"ref": "c", "mutex": "m"}, "unlock": "m"}}})");

  EXPECT_EQ(run.deadlock,
            "'a-0' waits for semaphore 's' (phase 'q'); 'b-1' waits for condition 'c'");
}

TEST(RtAppEventsTest, AScriptThatLetsNoTimePassMeetsTheEventLimit) {
  const RtAppRun run = RunRtApp(OnCpus("core:1"), R"({"tasks": {
      "a": {"loop": 2000000000, "phases": {"p": {"loop": 2000000000, "signal": "q"}}}}})");

  EXPECT_EQ(run.result.verdict, RunVerdict::kEventLimit);
}

TEST(RtAppEventsTest, MetricsAreThoseOfAllThreads) {
  const RtAppRun run = RunRtApp({.shape = "core:2"}, R"({"tasks": {
      "a": {"loop": 10, "run": 1000, "timer": {"ref": "unique", "period": 10000}},
      "b": {"loop": 5, "run": 4000, "timer": {"ref": "unique", "period": 20000}}}})");

  EXPECT_DOUBLE_EQ(run.result.metrics.at("activations_per_sec"), 150);
  EXPECT_DOUBLE_EQ(run.result.metrics.at("work_per_sec"), 0.3);
  EXPECT_DOUBLE_EQ(run.result.metrics.at("elapsed_sec"), 0.1);
  EXPECT_DOUBLE_EQ(run.result.metrics.at("slack_min_ns"), 9'000'000);
  EXPECT_DOUBLE_EQ(run.result.metrics.at("slack_mean_ns"), (10 * 9e6 + 5 * 16e6) / 15);
  EXPECT_DOUBLE_EQ(run.result.metrics.at("timers_missed_ratio"), 0);
  EXPECT_DOUBLE_EQ(run.result.metrics.at("timer_latency_p99_ns"), 0);
}

TEST(RtAppEventsTest, EveryMetricOfARunIsDescribed) {
  const Catalog catalog = ParseCatalog(EmbeddedCatalogFiles()).value();
  const RtAppRun run = RunRtApp({.shape = "core:2", .duration = 2s}, R"({"tasks": {
      "a": {"run": 1000, "timer": {"ref": "t", "period": 1500}, "fork": "b"},
      "b": {"instance": 0, "loop": 1, "suspend": ""}}})");

  for (const auto& [name, value] : run.result.metrics)
    EXPECT_TRUE(catalog.FindMetric(name)) << name;
}

}  // namespace
}  // namespace schedlab
