#include "measure/queue_move.h"

#include <algorithm>
#include <atomic>
#include <stop_token>
#include <thread>
#include <vector>

#include "measure/place.h"
#include "measure/stopwatch.h"
#include "stats/summary.h"

namespace schedlab::measure {
namespace {

constexpr std::int64_t kMoves = 100;

// A thread that executes until it is destroyed.
class Spinner {
 public:
  Spinner(std::int32_t cpu, FairPolicy policy)
      : thread_([this, cpu, policy](std::stop_token stop) {
          placed_ = BindThisThread(cpu);
          if (placed_) placed_ = SetThisPolicy(policy);
          id_.store(ThisThread(), std::memory_order_release);
          while (!stop.stop_requested()) {
          }
        }) {}

  // Its number, once it has settled.
  pid_t Await() const {
    while (id_.load(std::memory_order_acquire) == 0) {
      std::this_thread::yield();
    }
    return id_.load(std::memory_order_acquire);
  }
  const Status& placed() const { return placed_; }

 private:
  std::atomic<pid_t> id_{0};
  Status placed_;
  std::jthread thread_;
};

double NsToBind(pid_t thread, std::int32_t cpu) {
  const std::int64_t begin = NowNs();
  const Status bound = BindThread(thread, cpu);
  return bound ? static_cast<double>(NowNs() - begin) : 0;
}

// There and back: a move to another queue and one that stays, by turns.
double Round(pid_t moved, const CpuPair& cpus, std::int64_t count) {
  std::vector<double> moves;
  std::vector<double> stays;
  for (std::int64_t i = 0; i < count; ++i) {
    moves.push_back(NsToBind(moved, cpus.second));
    stays.push_back(NsToBind(moved, cpus.second));
    BindThread(moved, cpus.first).has_value();
  }
  return std::max(0.0, stats::Median(moves) - stats::Median(stays));
}

}  // namespace

Result<Spread> MeasureQueueMove(const CpuPair& cpus, const Effort& effort) {
  if (const Status bound = BindThisThread(cpus.first); !bound) return Fail(bound.error());
  const Spinner busy(cpus.second, FairPolicy::kNormal);
  const Spinner moved(cpus.first, FairPolicy::kIdle);
  const pid_t thread = moved.Await();
  busy.Await();
  for (const Spinner* spinner : {&busy, &moved}) {
    if (!spinner->placed()) return Fail(spinner->placed().error());
  }
  std::vector<double> rounds;
  for (std::int64_t i = 0; i < effort.round_count; ++i) {
    rounds.push_back(Round(thread, cpus, effort.Operations(kMoves)));
  }
  return SpreadOf(rounds);
}

}  // namespace schedlab::measure
