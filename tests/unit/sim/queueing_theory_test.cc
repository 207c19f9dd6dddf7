#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/check.h"
#include "sim/random_stream.h"
#include "sim/run.h"
#include "tests/support/topologies.h"

// First come, first served queues against their closed forms (Kleinrock, Queueing Systems I, 1975).

namespace schedlab::sim {
namespace {

constexpr std::int32_t kPoolSize = 4'000;
constexpr double kMeanServiceNs = 100'000;

// Poisson arrivals of tasks that run once, for an exponentially distributed time. Tasks that have
// exited are used again.
class Arrivals final : public Workload {
 public:
  Arrivals(double load_per_cpu, std::int32_t cpu_count, std::int64_t count, std::uint64_t seed)
      : mean_gap_ns_(kMeanServiceNs / (load_per_cpu * cpu_count)),
        left_(count),
        gaps_(seed, "gaps"),
        services_(seed, "services") {}

  TaskDemand Demand() const override { return {kPoolSize, "the pool of tasks"}; }

  void Start(Kernel& kernel) override {
    for (std::int32_t i = 0; i < kPoolSize; ++i) free_.push_back(&kernel.AddTask("task", 0, i));
    started_.resize(kPoolSize);
    kernel.AddTimer(0);
    kernel.ArmTimer(0, SimTime(Exponential(gaps_, mean_gap_ns_)));
  }

  Step Next(Kernel& kernel, Task& task) override {
    char& has_started = started_[static_cast<std::size_t>(task.number)];
    if (has_started == 0) {
      has_started = 1;
      return Step::Run(Exponential(services_, kMeanServiceNs));
    }
    has_started = 0;
    free_.push_back(&task);
    if (left_ == 0 && free_.size() == kPoolSize) kernel.End();
    return Step::Exit();
  }

  void TimerFired(Kernel& kernel, std::int32_t timer) override {
    SCHEDLAB_CHECK(!free_.empty());
    Task* const task = free_.back();
    free_.pop_back();
    kernel.Fork(*task, {.cpu = 0});
    if (--left_ > 0) kernel.ArmTimer(timer, kernel.now() + Exponential(gaps_, mean_gap_ns_));
  }

  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& /*metrics*/) override {
    const Counters& counters = kernel.machine().counters();
    mean_wait_ = static_cast<double>(Ns(counters.total_run_delay)) /
                 static_cast<double>(counters.run_delay.count()) / kMeanServiceNs;
  }

  double mean_wait() const { return mean_wait_; }

 private:
  static SimDuration Exponential(RandomStream& stream, double mean) {
    const double uniform = (static_cast<double>(stream.Below(1LL << 53)) + 0.5) / 0x1p53;
    return SimDuration(std::llround(-mean * std::log(uniform)));
  }

  const double mean_gap_ns_;
  std::int64_t left_;
  RandomStream gaps_;
  RandomStream services_;
  std::vector<Task*> free_;
  std::vector<char> started_;
  double mean_wait_ = 0;
};

// Mean time in the queue, in mean service times.
double SimulatedWait(double load_per_cpu, std::int32_t cpu_count, std::int64_t count) {
  const Topology topology = testing::FreeTopology(fmt::format("core:{}", cpu_count));
  const PolicySpec policy{.name = "global-fifo", .revision = "", .variant = "", .switches = {}};
  Arrivals workload(load_per_cpu, cpu_count, count, 1);
  const Result<RunResult> result = Run({.topology = topology,
                                        .policy = policy,
                                        .duration = SimDuration(3'600'000'000'000),
                                        .seed = 1},
                                       workload, {});
  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(result->verdict, RunVerdict::kCompleted);
  return workload.mean_wait();
}

// Erlang's C formula, over the mean service time.
double ExpectedWait(double load_per_cpu, std::int32_t cpu_count) {
  const double offered = load_per_cpu * cpu_count;
  double blocking = 1;  // Erlang's B, by its recursion over the number of servers
  for (int k = 1; k <= cpu_count; ++k) blocking = offered * blocking / (k + offered * blocking);
  const double waits = blocking / (1 - load_per_cpu * (1 - blocking));
  return waits / (cpu_count * (1 - load_per_cpu));
}

struct Case {
  double load_per_cpu;
  std::int32_t cpu_count;
  std::int64_t arrival_count;
};

class QueueingTheoryTest : public ::testing::TestWithParam<Case> {};

// The counts make the standard error of the mean about half a percent.
TEST_P(QueueingTheoryTest, TheMeanWaitIsThatOfErlangWithinTwoPercent) {
  const Case c = GetParam();
  const double expected = ExpectedWait(c.load_per_cpu, c.cpu_count);

  EXPECT_NEAR(SimulatedWait(c.load_per_cpu, c.cpu_count, c.arrival_count), expected,
              0.02 * expected);
}

INSTANTIATE_TEST_SUITE_P(Loads, QueueingTheoryTest,
                         ::testing::Values(Case{0.5, 1, 1'000'000}, Case{0.8, 1, 3'000'000},
                                           Case{0.9, 1, 12'000'000}, Case{0.5, 2, 1'000'000},
                                           Case{0.8, 2, 3'000'000}, Case{0.9, 2, 12'000'000},
                                           Case{0.5, 8, 3'000'000}, Case{0.8, 8, 3'000'000},
                                           Case{0.9, 8, 12'000'000}));

}  // namespace
}  // namespace schedlab::sim
