#include "sim/output/schedstat_text.h"

#include <gtest/gtest.h>

#include <numeric>
#include <sstream>
#include <vector>

#include "tests/unit/sim/output/traces.h"

namespace schedlab::sim {
namespace {

// Every counter has a value of its own.
PassCounters Passes(std::int64_t base) {
  return {.count = base + 1,
          .balanced = base + 2,
          .failed = base + 3,
          .imbalance_load = 1'000 * (base + 4),
          .imbalance_util = 100 * (base + 4),
          .imbalance_task = 10 * (base + 4),
          .imbalance_misfit = base + 4,
          .gained = base + 5,
          .hot_gained = base + 6,
          .no_busy_queue = base + 7,
          .no_busy_group = base + 8,
          .moved_passes = 0};
}

Schedstat OneCpuOfForty() {
  Schedstat schedstat{.at = At(1'500'000), .tick_hz = 250, .cpus = {}};
  schedstat.cpus.resize(40);
  Schedstat::PerCpu& cpu = schedstat.cpus[0];
  cpu.counters = {.yields = 1,
                  .schedules = 2,
                  .idle_picks = 3,
                  .wakeups = 4,
                  .wakeups_local = 5,
                  .run_time = SimDuration(6),
                  .run_delay = SimDuration(7),
                  .timeslices = 8};
  cpu.domains.push_back({.name = "MC",
                         .span = {0, 1, 33},
                         .passes = {Passes(0), Passes(10), Passes(20)},
                         .active_count = 31,
                         .active_failed = 32,
                         .active_pushed = 33,
                         .wakeups_remote = 34,
                         .wakeups_moved_affine = 35});
  return schedstat;
}

std::string HeadOf(SchedstatVersion version) {
  const std::string text = SchedstatText(OneCpuOfForty(), version);
  return text.substr(0, text.find("cpu1 "));
}

TEST(SchedstatTextTest, Version15HasIdleBusyAndNewlyIdlePasses) {
  EXPECT_EQ(
      HeadOf(SchedstatVersion::k15),
      "version 15\n"
      "timestamp 375\n"
      "cpu0 1 0 2 3 4 5 6 7 8\n"
      "domain0 02,00000003 1 2 3 4444 5 6 7 8 11 12 13 15554 15 16 17 18 21 22 23 26664 25 26 "
      "27 28 31 32 33 0 0 0 0 0 0 34 35 0\n");
}

TEST(SchedstatTextTest, Version16HasBusyPassesFirst) {
  EXPECT_EQ(
      HeadOf(SchedstatVersion::k16),
      "version 16\n"
      "timestamp 375\n"
      "cpu0 1 0 2 3 4 5 6 7 8\n"
      "domain0 02,00000003 11 12 13 15554 15 16 17 18 1 2 3 4444 5 6 7 8 21 22 23 26664 25 26 "
      "27 28 31 32 33 0 0 0 0 0 0 34 35 0\n");
}

TEST(SchedstatTextTest, Version17NamesDomainsAndSplitsTheImbalance) {
  EXPECT_EQ(
      HeadOf(SchedstatVersion::k17),
      "version 17\n"
      "timestamp 375\n"
      "cpu0 1 0 2 3 4 5 6 7 8\n"
      "domain0 MC 02,00000003 11 12 13 14000 1400 140 14 15 16 17 18 1 2 3 4000 400 40 4 5 6 7 8 "
      "21 22 23 24000 2400 240 24 25 26 27 28 31 32 33 0 0 0 0 0 0 34 35 0\n");
}

// Numbers of the lines of a text that begin with `word` and a number, without their first
// `skipped_count` fields.
std::vector<std::vector<std::int64_t>> Lines(const std::string& text, const std::string& word,
                                             int skipped_count) {
  std::vector<std::vector<std::int64_t>> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(word)) continue;
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i < skipped_count; ++i) fields >> field;
    std::vector<std::int64_t>& numbers = lines.emplace_back();
    for (std::int64_t number = 0; fields >> number;) numbers.push_back(number);
  }
  return lines;
}

class SchedstatOfARunTest : public testing::TestWithParam<const char*> {
 protected:
  static std::string Text(SchedstatVersion version) {
    const TracedRun run =
        RunTraced(ShortHackbench(GetParam(), Costs::kReal), ShippedPolicy("linux-fair@v3.11"), 1);
    return SchedstatText(run.schedstat, version);
  }
};

TEST_P(SchedstatOfARunTest, LinesHaveAsManyFieldsAsTheirVersion) {
  for (const std::vector<std::int64_t>& cpu : Lines(Text(SchedstatVersion::k15), "cpu", 1)) {
    EXPECT_EQ(cpu.size(), 9U);
  }
  for (const std::vector<std::int64_t>& domain : Lines(Text(SchedstatVersion::k16), "domain", 2)) {
    EXPECT_EQ(domain.size(), 36U);
  }
  for (const std::vector<std::int64_t>& domain : Lines(Text(SchedstatVersion::k17), "domain", 3)) {
    EXPECT_EQ(domain.size(), 45U);
  }
  EXPECT_EQ(Lines(Text(SchedstatVersion::k15), "cpu", 1).size(), 16U);
}

TEST_P(SchedstatOfARunTest, PassesAreBalancedOrFailedOrMoveSomething) {
  std::int64_t pass_count = 0;
  for (const std::vector<std::int64_t>& domain : Lines(Text(SchedstatVersion::k15), "domain", 2)) {
    for (std::size_t type = 0; type < kIdleTypeCount; ++type) {
      const std::int64_t* const passes = &domain.at(8 * type);
      const std::int64_t moved = passes[0] - passes[1] - passes[2];
      EXPECT_GE(moved, 0);
      EXPECT_GE(passes[4], moved);
      pass_count += passes[0];
    }
  }
  EXPECT_GT(pass_count, 0);
}

TEST_P(SchedstatOfARunTest, NoCpuHasMoreLocalWakeupsThanWakeups) {
  std::int64_t wakeups = 0;
  for (const std::vector<std::int64_t>& cpu : Lines(Text(SchedstatVersion::k15), "cpu", 1)) {
    EXPECT_GE(cpu.at(4), cpu.at(5));
    EXPECT_GE(cpu.at(2), cpu.at(3));
    EXPECT_GE(cpu.at(2), cpu.at(8));
    wakeups += cpu.at(4);
  }
  EXPECT_GT(wakeups, 0);
}

INSTANTIATE_TEST_SUITE_P(Guests, SchedstatOfARunTest,
                         testing::Values("kvm-16x1", "kvm-1x16", "kvm-4x4"));

}  // namespace
}  // namespace schedlab::sim
