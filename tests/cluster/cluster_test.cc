// Clusters under faults, each a function of its seed. --seeds=N plays N of them; a failing seed is
// printed; --seed=N repeats it alone, with its whole story.

#include "tests/cluster/cluster.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/limits.h"

namespace schedlab::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kSeedCount = 300;
constexpr seconds kFaultyTime{150};
// After the faults: leases expire, back-offs end, and five attempts of the longest run pass.
constexpr seconds kHealingTime{900};
constexpr seconds kRestTime{60};
constexpr std::int64_t kMaxActions = 2'000'000;
constexpr MessageFaults kMessageFaults = {.request_loss = 0.05,
                                          .response_loss = 0.05,
                                          .duplication = 0.05,
                                          .long_delay = 0.02,
                                          .silence = 0.3};

std::optional<std::uint64_t>& OnlySeed() {
  static std::optional<std::uint64_t> seed;
  return seed;
}

std::uint64_t& SeedCount() {
  static std::uint64_t count = kSeedCount;
  return count;
}

std::uint64_t DigestOf(std::int64_t run_seed) {
  return static_cast<std::uint64_t>(run_seed) * 0x9e3779b97f4a7c15U;
}

// Some runs fail whenever they are tried.
bool IsRefused(std::int64_t run_seed) { return run_seed % 17 == 0; }

worker::AttemptOutcome OutcomeOf(const Lease& lease) {
  if (IsRefused(lease.spec.seed)) {
    return AttemptFailure{.message = "the simulator refuses it", .is_retryable = false};
  }
  RunResult result = MakeResult(100);
  result.digest = DigestOf(lease.spec.seed);
  return result;
}

// Mostly short; one in ten outlives a lease, so that renewals matter.
std::chrono::microseconds DurationOf(const Lease& lease) {
  Dice dice(static_cast<std::uint64_t>(lease.spec.seed));
  if (dice.Chance(0.1)) return dice.Between(seconds(31), seconds(70));
  return dice.Between(milliseconds(1), seconds(3));
}

class FaultyCluster {
 public:
  explicit FaultyCluster(std::uint64_t seed)
      : cluster_(seed, {.duration_of = DurationOf, .outcome_of = OutcomeOf}) {}

  void Play() {
    StartUp();
    while (Now() < kFaultyTime) {
      cluster_.timeline().RunUntil(Now() + cluster_.dice().Between(seconds(1), seconds(8)));
      InjectFault();
      cluster_.CheckRuns();
    }
    Heal();
    while (!cluster_.IsAtRest() && Now() < kFaultyTime + kHealingTime) {
      cluster_.timeline().RunUntil(Now() + seconds(1));
      cluster_.CheckRuns();
    }
    if (!cluster_.IsAtRest()) cluster_.violations().emplace_back("it never comes to rest");
    // Late messages change nothing any more.
    cluster_.timeline().RunUntil(Now() + kRestTime);
    cluster_.CheckRuns();
    CheckOutcomes();
  }

  Cluster& cluster() { return cluster_; }
  std::int64_t succeeded_count() const { return succeeded_count_; }
  std::int64_t run_count() const { return run_count_; }

 private:
  std::chrono::microseconds Now() { return cluster_.timeline().now(); }

  void StartUp() {
    cluster_.network().set_faults(kMessageFaults);
    cluster_.store().set_failure_probability(0.03);
    const std::int64_t worker_count = 2 + cluster_.dice().Below(4);
    for (std::int64_t i = 0; i < worker_count; ++i) {
      cluster_.AddWorker(fmt::format("w{}", i),
                         static_cast<std::int32_t>(1 + cluster_.dice().Below(4)));
    }
    const JobShape first{.request_id = "first",
                         .revisions = {"aaaaaaaa", "bbbbbbbb"},
                         .repetitions = static_cast<std::int32_t>(5 + cluster_.dice().Below(20)),
                         .salt = std::to_string(cluster_.dice().Below(1000))};
    JobShape second = first;  // shares the runs of one revision
    second.request_id = "second";
    second.revisions = {"bbbbbbbb", "cccccccc"};
    kept_job_ = cluster_.Submit(first);
    other_job_ = cluster_.Submit(second);
  }

  void InjectFault() {
    Dice& dice = cluster_.dice();
    auto& workers = cluster_.workers();
    ClusterWorker& worker =
        *workers[static_cast<std::size_t>(dice.Below(static_cast<std::int64_t>(workers.size())))];
    switch (dice.Below(8)) {
      case 0:
        return worker.Kill();
      case 1:
      case 2:
        return StartUnlessAlive(worker);
      case 3:
        return CutFor(worker.link(), dice.Between(seconds(1), seconds(60)));
      case 4:
        return worker.Drain();
      case 5:
        cluster_.coordinator().Stop();
        return cluster_.timeline().After(dice.Between(milliseconds(100), seconds(10)),
                                         [this] { cluster_.coordinator().Start(); });
      case 6:
        if (!is_cancelled_ && dice.Chance(0.2)) {
          cluster_.Cancel(other_job_);
          is_cancelled_ = true;
        }
        return;
      default:
        return;  // a quiet time
    }
  }

  static void StartUnlessAlive(ClusterWorker& worker) {
    if (!worker.is_alive()) worker.Start();
  }

  void CutFor(Link& link, std::chrono::microseconds duration) {
    link.is_cut = true;
    cluster_.timeline().After(duration, [&link] { link.is_cut = false; });
  }

  void Heal() {
    cluster_.network().set_faults({});
    cluster_.store().set_failure_probability(0);
    cluster_.coordinator().Start();
    for (const auto& worker : cluster_.workers()) {
      worker->link().is_cut = false;
      StartUnlessAlive(*worker);
    }
    // One that drains since the last fault goes nevertheless, and does not come back.
    cluster_.AddWorker("fresh", 2);
  }

  void CheckOutcomes() {
    for (const Run& run : cluster_.RunsOf(kept_job_)) CheckOutcome(run, RunState::kFailed);
    const RunState allowed = is_cancelled_ ? RunState::kCancelled : RunState::kFailed;
    for (const Run& run : cluster_.RunsOf(other_job_)) CheckOutcome(run, allowed);
    const Result<server::QueueSnapshot> queue = cluster_.store().ReadQueue();
    if (queue->queued_count + queue->leased_count > 0) {
      cluster_.violations().push_back(fmt::format("{} runs queued and {} leased at the end",
                                                  queue->queued_count, queue->leased_count));
    }
    if (cluster_.timeline().action_count() > kMaxActions) {
      cluster_.violations().push_back(
          fmt::format("it took {} actions", cluster_.timeline().action_count()));
    }
  }

  void CheckOutcome(const Run& run, RunState allowed) {
    ++run_count_;
    bool is_right = run.state == allowed && allowed == RunState::kCancelled;
    if (run.state == RunState::kSucceeded) {
      ++succeeded_count_;
      is_right = run.result->digest == DigestOf(run.seed) && !IsRefused(run.seed);
    } else if (run.state == RunState::kFailed) {
      is_right = IsRefused(run.seed) || run.attempt == kMaxAttempts;
    }
    if (is_right) return;
    cluster_.violations().push_back(fmt::format("run {} (seed {}) ended as {} on attempt {}: {}",
                                                run.id.value, run.seed, ToString(run.state),
                                                run.attempt, run.failure));
  }

  Cluster cluster_;
  JobId kept_job_;
  JobId other_job_;
  bool is_cancelled_ = false;
  std::int64_t succeeded_count_ = 0;
  std::int64_t run_count_ = 0;
};

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(ClusterTest, EveryRunEndsOnceWithItsResultWhateverFails) {
  std::int64_t run_count = 0;
  std::int64_t succeeded_count = 0;
  const std::uint64_t first = OnlySeed().value_or(0);
  const std::uint64_t end = OnlySeed() ? first + 1 : SeedCount();
  for (std::uint64_t seed = first; seed < end; ++seed) {
    FaultyCluster faulty(seed);
    faulty.Play();
    run_count += faulty.run_count();
    succeeded_count += faulty.succeeded_count();
    EXPECT_TRUE(faulty.cluster().violations().empty())
        << "repeat with --seed=" << seed << "\n"
        << Joined(faulty.cluster().violations())
        << (OnlySeed() ? Joined(faulty.cluster().story()) : "");
    if (::testing::Test::HasFailure()) return;
  }
  // Faults cost attempts, and some runs all five; most must get through, or nothing was tested.
  EXPECT_GT(succeeded_count * 10, run_count * 7) << succeeded_count << " of " << run_count;
}

TEST(ClusterTest, IsAFunctionOfItsSeed) {
  FaultyCluster first(7);
  FaultyCluster second(7);

  first.Play();
  second.Play();

  EXPECT_EQ(first.cluster().story(), second.cluster().story());
}

std::optional<std::uint64_t> ReadFlag(std::string_view argument, std::string_view flag) {
  if (!argument.starts_with(flag)) return std::nullopt;
  argument.remove_prefix(flag.size());
  std::uint64_t value = 0;
  const char* const argument_end = argument.data() + argument.size();
  const auto [end, error] = std::from_chars(argument.data(), argument_end, value);
  if (error != std::errc() || end != argument_end) return std::nullopt;
  return value;
}

void ReadFlags(std::string_view argument) {
  if (const auto seed = ReadFlag(argument, "--seed=")) OnlySeed() = seed;
  if (const auto count = ReadFlag(argument, "--seeds=")) SeedCount() = *count;
}

}  // namespace
}  // namespace schedlab::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) schedlab::testing::ReadFlags(argv[i]);
  return RUN_ALL_TESTS();
}
