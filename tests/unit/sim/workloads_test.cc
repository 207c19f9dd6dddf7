#include <gtest/gtest.h>

#include "tests/support/topologies.h"
#include "tests/unit/sim/runs.h"

// What each workload comes to where that can be worked out by hand: costs are off, spreads are 0.

namespace schedlab::sim {
namespace {

using Settings = std::map<std::string, std::int64_t>;
using Metrics = std::map<std::string, double>;

constexpr std::int64_t kMs = 1'000'000;

struct Setting {
  const char* shape = "core:1";
  const char* policy = "global-fifo";
  std::int64_t duration_ms = 1'000;
};

RunResult Measure(const std::string& workload, const Settings& parameters, const Setting& setting) {
  Scenario scenario;
  scenario.topology = testing::FreeTopology(setting.shape);
  scenario.workload = ResolveWorkload(ShippedCatalog(), workload, parameters).value();
  scenario.duration_ns = setting.duration_ms * kMs;
  return RunTwice(scenario, BarePolicy(setting.policy, {}), 1);
}

TEST(PipeTest, AnExchangeTakesTheWorkOfBothSides) {
  const RunResult result = Measure("pipe",
                                   {{"client_work_ns", 2'000},
                                    {"server_work_ns", 3'000},
                                    {"work_spread_permille", 0},
                                    {"fork_work_ns", 1'000}},
                                   {});

  EXPECT_NEAR(result.metrics.at("exchanges_per_sec"), 1e9 / 5'000, 10);
  EXPECT_EQ(result.metrics.at("wakeups_off_llc_ratio"), 0);
}

TEST(PipeTest, BoundToOneCpuItLeavesTheOtherIdle) {
  const Settings parameters = {{"cpus_count", 1}, {"fork_work_ns", 1'000}};
  const RunResult result = Measure("pipe", parameters, {.shape = "core:2", .policy = "linux-fair"});

  EXPECT_NEAR(result.metrics.at("idle_ratio"), 0.5, 0.01);
  EXPECT_GT(result.metrics.at("exchanges_per_sec"), 100'000);
}

TEST(PipeTest, AWakeupDoesNotChooseAnIdleCpuThatTheHostHasTakenOff) {
  Scenario scenario = ShippedScenario("kvm-2", "pipe");
  scenario.duration_ns = 200 * kMs;
  const double chosen = RunTwice(scenario, ShippedPolicy("linux-fair-releases@v6.12"), 1)
                            .metrics.at("goidle_per_sec");
  scenario.topology.costs.idle_preempted_ns = 1;
  const double shunned = RunTwice(scenario, ShippedPolicy("linux-fair-releases@v6.12"), 1)
                             .metrics.at("goidle_per_sec");

  EXPECT_GT(chosen, 10'000);
  EXPECT_LT(shunned, 1'000);
}

TEST(PipeTest, ItEndsWithItsLastExchange) {
  const RunResult result = Measure("pipe", {{"exchanges_count", 100}}, {});

  EXPECT_EQ(result.verdict, RunVerdict::kCompleted);
  EXPECT_TRUE(result.metrics.contains("elapsed_sec"));
}

TEST(TbenchTest, CopyingTakesItsTimePerByte) {
  const Settings parameters = {{"pairs_count", 1},          {"client_work_ns", 1'000},
                               {"server_work_ns", 1'000},   {"work_spread_permille", 0},
                               {"payload_bytes", 1'024},    {"large_payload_permille", 0},
                               {"copy_ns_per_kib", 10'000}, {"softirq_work_ns", 0}};

  EXPECT_NEAR(Measure("tbench", parameters, {}).metrics.at("exchanges_per_sec"), 1e9 / 22'000, 100);
}

TEST(TbenchTest, CopyingFromAnotherCacheCostsMore) {
  const auto rate = [](std::int64_t remote_copy_permille) {
    Scenario scenario =
        ShippedScenario("kvm-16x1", "tbench", {{"remote_copy_permille", remote_copy_permille}});
    scenario.duration_ns = 200 * kMs;
    // Without attraction to the waker, client and server stay where they were forked.
    const PolicySpec policy = ShippedPolicy("linux-fair", {{"wake_affine", "off"}});
    const RunResult result = RunTwice(scenario, policy, 1);
    EXPECT_GT(result.metrics.at("wakeups_off_llc_ratio"), 0.1);
    return result.metrics.at("exchanges_per_sec");
  };

  EXPECT_LT(rate(5'000), rate(1'000));
}

TEST(TbenchTest, SoftirqsAreInterruptTimeOfTheSender) {
  const Settings parameters = {
      {"pairs_count", 1},          {"client_work_ns", 1'000},     {"server_work_ns", 1'000},
      {"work_spread_permille", 0}, {"large_payload_permille", 0}, {"copy_ns_per_kib", 0},
      {"softirq_work_ns", 1'500}};

  EXPECT_NEAR(Measure("tbench", parameters, {}).metrics.at("exchanges_per_sec"), 1e9 / 5'000, 100);
}

TEST(BarrierTest, WithACpuEachAPhaseTakesOnePiece) {
  const RunResult result = Measure(
      "barrier", {{"piece_work_ns", 1 * kMs}, {"work_spread_permille", 0}}, {.shape = "core:4"});

  EXPECT_NEAR(result.metrics.at("phases_per_sec"), 1'000, 3);
}

TEST(BarrierTest, TheSlowestPieceDecides) {
  const Settings even = {{"piece_work_ns", 1 * kMs}, {"work_spread_permille", 0}};
  const Settings uneven = {{"piece_work_ns", 1 * kMs}, {"work_spread_permille", 500}};
  const Setting setting{.shape = "core:8"};

  // The largest of eight even draws from 0.5 to 1.5 is 0.5 + 8/9 on average.
  EXPECT_NEAR(Measure("barrier", uneven, setting).metrics.at("phases_per_sec") * (0.5 + 8.0 / 9),
              Measure("barrier", even, setting).metrics.at("phases_per_sec"), 30);
}

TEST(BarrierTest, WhoSpinsInAQueueKeepsOutWhomHeWaitsFor) {
  const Settings spinning = {{"threads_count", 2}, {"spin_ns", 3'600'000 * kMs}};
  const Settings sleeping = {{"threads_count", 2}, {"spin_ns", 0}};

  EXPECT_EQ(Measure("barrier", spinning, {}).metrics.at("phases_per_sec"), 0);
  EXPECT_GT(Measure("barrier", sleeping, {}).metrics.at("phases_per_sec"), 50);
}

TEST(BarrierTest, WhoSpinsInVainSleepsInTheEnd) {
  const Settings parameters = {{"threads_count", 2},
                               {"piece_work_ns", 2 * kMs},
                               {"work_spread_permille", 0},
                               {"spin_ns", 1 * kMs}};

  // One CPU: a piece, a millisecond in vain, the other piece, after which the last one opens.
  EXPECT_NEAR(Measure("barrier", parameters, {}).metrics.at("phases_per_sec"), 200, 5);
}

TEST(SysbenchCpuTest, EventsArriveAtTheRateOfTheirWork) {
  const RunResult result = Measure("sysbench_cpu",
                                   {{"threads_count", 4},
                                    {"statement_work_ns", 1 * kMs},
                                    {"work_spread_permille", 0},
                                    {"fork_work_ns", 1'000}},
                                   {.shape = "core:2"});

  EXPECT_NEAR(result.metrics.at("transactions_per_sec"), 2'000, 10);
}

TEST(DbenchTest, OneLockLetsOneThreadWorkAtATime) {
  const Settings parameters = {{"threads_count", 8},         {"statements_count", 1},
                               {"statement_work_ns", 1'000}, {"work_spread_permille", 0},
                               {"locks_count", 1},           {"locked_statements_permille", 1'000},
                               {"lock_work_ns", 100'000}};

  EXPECT_NEAR(Measure("dbench", parameters, {.shape = "core:8"}).metrics.at("transactions_per_sec"),
              10'000, 100);
}

TEST(SysbenchOltpTest, OneFlushCommitsForAllWhoWait) {
  const Settings parameters = {{"threads_count", 8},
                               {"statements_count", 1},
                               {"statement_work_ns", 1'000},
                               {"work_spread_permille", 0},
                               {"locked_statements_permille", 0},
                               {"io_statements_permille", 0},
                               {"commit_latency_ns", 980'000}};

  // A flush takes 1 ms with the writer's own work, and half of the threads miss it.
  EXPECT_GT(
      Measure("sysbench_oltp", parameters, {.shape = "core:8"}).metrics.at("transactions_per_sec"),
      3'500);
}

TEST(SchbenchTest, ARequestIsItsThinkTimeAndItsPieces) {
  const RunResult result = Measure("schbench",
                                   {{"workers_count", 2},
                                    {"think_ns", 100'000},
                                    {"pieces_count", 3},
                                    {"piece_work_ns", 500'000},
                                    {"work_spread_permille", 0}},
                                   {.shape = "core:4"});

  EXPECT_NEAR(result.metrics.at("request_time_p50_ns"), 1'600'000, 1'600'000 / 16);
  EXPECT_EQ(result.metrics.at("worker_wakeup_p99_ns"), 0);
}

TEST(KbuildTest, OneJobAtATimeTakesTheSumOfAllSteps) {
  const RunResult result = Measure("kbuild",
                                   {{"jobs_count", 1},
                                    {"units_count", 10},
                                    {"make_work_ns", 1 * kMs},
                                    {"driver_work_ns", 2 * kMs},
                                    {"read_latency_ns", 3 * kMs},
                                    {"compile_work_ns", 4 * kMs},
                                    {"assemble_work_ns", 5 * kMs},
                                    {"link_work_ns", 6 * kMs},
                                    {"work_spread_permille", 0}},
                                   {});

  EXPECT_EQ(result.verdict, RunVerdict::kCompleted);
  EXPECT_NEAR(result.metrics.at("elapsed_sec"), 0.156, 1e-6);
}

TEST(MmapPreadSeqTest, FaultsAddUpToThePagesTouched) {
  const RunResult result = Measure("mmap_pread_seq",
                                   {{"readers_count", 6},
                                    {"windows_count", 100},
                                    {"window_pages_count", 32},
                                    {"cached_windows_count", 5}},
                                   {.shape = "core:2", .duration_ms = 60'000});

  EXPECT_EQ(result.metrics.at("major_faults") + result.metrics.at("minor_faults"), 6 * 100 * 32);
}

TEST(MmapPreadSeqTest, AWindowIsReadOnceWhereTheCacheHoldsTheFile) {
  const RunResult result =
      Measure("mmap_pread_seq",
              {{"readers_count", 6}, {"windows_count", 100}, {"cached_windows_count", 100}},
              {.shape = "core:2", .duration_ms = 60'000});

  EXPECT_EQ(result.metrics.at("major_faults"), 100);
}

TEST(MmapPreadSeqTest, AReaderWhoComesTooLateReadsAgain) {
  Scenario scenario =
      ShippedScenario("kvm-4x4", "mmap_pread_seq",
                      {{"readers_count", 64}, {"windows_count", 200}, {"cached_windows_count", 1}});
  const RunResult result = RunTwice(scenario, ShippedPolicy("linux-fair"), 1);

  EXPECT_GT(result.metrics.at("major_faults"), 200);
}

TEST(SpinnersTest, TasksStartOnAsManyCpusAsAskedFor) {
  // Too short for any balancing.
  const RunResult result = Measure("spinners", {{"tasks_count", 4}, {"start_cpus_count", 4}},
                                   {.shape = "core:4", .policy = "linux-fair", .duration_ms = 1});

  EXPECT_EQ(result.metrics.at("idle_ratio"), 0);
}

TEST(StressTest, EveryKindOfStressorDoesItsOperations) {
  for (const char* kind : {"cpu_count", "io_count", "vm_count", "fork_count", "yield_count"}) {
    Settings parameters = {
        {"cpu_count", 0}, {"io_count", 0}, {"vm_count", 0}, {"fork_count", 0}, {"yield_count", 0}};
    parameters[kind] = 2;

    const RunResult result = Measure("stress", parameters, {.shape = "core:2"});

    EXPECT_GT(result.metrics.at("stress_operations_per_sec"), 100) << kind;
  }
}

TEST(HackbenchTest, ThreadsAreSparedTheSwitchOfAddressSpaces) {
  Scenario scenario = ShippedScenario("kvm-1x16", "hackbench", {{"loops_count", 20}});
  scenario.topology.costs.mm_switch_ns = 2'000;
  const double processes =
      RunTwice(scenario, ShippedPolicy("linux-fair"), 1).metrics.at("messages_per_sec");
  scenario.workload.parameters["threads_flag"] = 1;
  const double threads =
      RunTwice(scenario, ShippedPolicy("linux-fair"), 1).metrics.at("messages_per_sec");

  EXPECT_GT(threads, processes);
}

TEST(HackbenchTest, TasksOfTheFifoPolicyRunUntilTheyBlock) {
  const auto mean_slice = [](std::int64_t policy_number) {
    const Scenario scenario = ShippedScenario(
        "kvm-2", "hackbench",
        {{"groups_count", 1}, {"loops_count", 100}, {"policy_number", policy_number}});
    return RunTwice(scenario, ShippedPolicy("linux-fair-releases@v6.12"), 1)
        .metrics.at("slice_mean_ns");
  };

  EXPECT_GT(mean_slice(1), 10 * mean_slice(0));  // whoever is woken does not preempt its equal
}

TEST(HackbenchTest, TheEndOfTheChildrenBelongsToTheTime) {
  const auto elapsed_sec = [](std::int64_t exit_work_ns) {
    const Scenario scenario =
        ShippedScenario("kvm-2", "hackbench",
                        {{"groups_count", 1}, {"loops_count", 20}, {"exit_work_ns", exit_work_ns}});
    return RunTwice(scenario, ShippedPolicy("linux-fair-releases@v6.12"), 1)
        .metrics.at("elapsed_sec");
  };

  // 40 children on 2 CPUs, 1 ms each; who leaves early lets others send without being woken.
  const double difference = elapsed_sec(1'000'000) - elapsed_sec(0);
  EXPECT_GT(difference, 0.015);
  EXPECT_LT(difference, 0.021);
}

TEST(HackbenchTest, AnEvenStartTakesTheStartOfOneChildOnEachCpu) {
  const Settings parameters = {{"groups_count", 1},        {"pairs_count", 2},
                               {"loops_count", 1},         {"start_work_ns", kMs},
                               {"fork_work_ns", 10 * kMs}, {"even_start_flag", 1}};

  const RunResult result =
      Measure("hackbench", parameters, {.shape = "core:4", .policy = "per-cpu-fifo"});

  EXPECT_EQ(result.verdict, RunVerdict::kCompleted);
  EXPECT_LT(result.simulated_ns, 2 * kMs);
}

TEST(HackbenchTest, APipeIsRefilledPageByPage) {
  const auto switches = [](std::int64_t pipes) {
    const Scenario scenario =
        ShippedScenario("kvm-1x16", "hackbench", {{"loops_count", 50}, {"pipes_flag", pipes}});
    return RunTwice(scenario, ShippedPolicy("linux-fair"), 1).metrics.at("elapsed_sec");
  };

  EXPECT_NE(switches(0), switches(1));
}

}  // namespace
}  // namespace schedlab::sim
