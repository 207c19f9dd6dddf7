#include "measure/cache_line.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "measure/place.h"
#include "measure/stopwatch.h"
#include "stats/summary.h"

namespace schedlab::measure {
namespace {

constexpr std::size_t kLineBytes = 64;
constexpr std::int64_t kTransfers = 20'000;
constexpr std::int64_t kFreeLocks = 100'000;
constexpr std::int64_t kContendedLocks = 20'000;
constexpr std::int64_t kRefills = 100;
constexpr std::size_t kFootprintLines = static_cast<std::size_t>(kFootprintBytes) / kLineBytes;
// Coprime to the number of lines, and no pattern that a prefetcher knows.
constexpr std::size_t kLineStride = 167;

struct alignas(kLineBytes) Turn {
  std::atomic<std::int64_t> number{0};

  void Await(std::int64_t expected) const {
    while (number.load(std::memory_order_acquire) != expected) {
    }
  }
  void Pass(std::int64_t next) { number.store(next, std::memory_order_release); }
};

struct TicketLock {
  alignas(kLineBytes) std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> serving{0};

  void Take() {
    const std::int64_t mine = next.fetch_add(1, std::memory_order_acq_rel);
    while (serving.load(std::memory_order_acquire) != mine) {
    }
  }
  void Release() {
    serving.store(serving.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
};

// Both parts at the same time, each on its CPU.
Status OnBoth(const CpuPair& cpus, const std::function<void()>& first,
              const std::function<void()>& second) {
  if (Status bound = BindThisThread(cpus.first); !bound) return bound;
  Status placed;
  std::jthread other([&] {
    placed = BindThisThread(cpus.second);
    second();
  });
  first();
  other.join();
  return placed;
}

struct alignas(kLineBytes) Line {
  std::int64_t value = 0;
};

double WriteAll(std::vector<Line>& lines) {
  const std::int64_t begin = NowNs();
  std::size_t at = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ++lines[at].value;
    at = (at + kLineStride) % lines.size();
  }
  return static_cast<double>(NowNs() - begin);
}

}  // namespace

Result<Spread> MeasureLineTransfer(const CpuPair& cpus, const Effort& effort) {
  Turn turn;
  std::vector<double> rounds;
  const std::int64_t trips = effort.Operations(kTransfers);
  const std::int64_t total = trips * effort.round_count;
  const Status placed = OnBoth(
      cpus,
      [&] {
        std::int64_t trip = 0;
        for (std::int64_t round = 0; round < effort.round_count; ++round) {
          rounds.push_back(NsPerCall(trips,
                                     [&] {
                                       turn.Await(2 * trip);
                                       turn.Pass(2 * trip++ + 1);
                                     }) /
                           2);
        }
      },
      [&] {
        for (std::int64_t trip = 0; trip < total; ++trip) {
          turn.Await(2 * trip + 1);
          turn.Pass(2 * trip + 2);
        }
      });
  if (!placed) return Fail(placed.error());
  return SpreadOf(rounds);
}

Result<Spread> MeasureFreeLock(std::int32_t cpu, const Effort& effort) {
  if (const Status bound = BindThisThread(cpu); !bound) return Fail(bound.error());
  TicketLock lock;
  std::vector<double> rounds;
  for (std::int64_t i = 0; i < effort.round_count; ++i) {
    rounds.push_back(NsPerCall(effort.Operations(kFreeLocks), [&] {
      lock.Take();
      lock.Release();
    }));
  }
  return SpreadOf(rounds);
}

Result<Spread> MeasureContendedLock(const CpuPair& cpus, const Effort& effort) {
  TicketLock lock;
  std::vector<double> rounds;
  const std::int64_t count = effort.Operations(kContendedLocks);
  std::atomic<bool> has_begun{false};
  std::atomic<bool> is_over{false};
  const Status placed = OnBoth(
      cpus,
      [&] {
        while (!has_begun.load(std::memory_order_acquire)) {
        }
        for (std::int64_t round = 0; round < effort.round_count; ++round) {
          // Each of ours is followed by one of the other's.
          rounds.push_back(NsPerCall(count,
                                     [&] {
                                       lock.Take();
                                       lock.Release();
                                     }) /
                           2);
        }
        is_over = true;
      },
      [&] {
        while (!is_over.load(std::memory_order_relaxed)) {
          lock.Take();
          lock.Release();
          has_begun.store(true, std::memory_order_release);
        }
      });
  if (!placed) return Fail(placed.error());
  return SpreadOf(rounds);
}

Result<Spread> MeasureRefill(const CpuPair& cpus, const Effort& effort) {
  std::vector<Line> lines(kFootprintLines);
  Turn turn;
  const std::int64_t count = effort.Operations(kRefills);
  std::vector<double> rounds;
  const Status placed = OnBoth(
      cpus,
      [&] {
        for (std::int64_t round = 0; round < effort.round_count; ++round) {
          std::vector<double> refills;
          for (std::int64_t i = 0; i < count; ++i) {
            turn.Await(2 * (round * count + i));
            const double cold = WriteAll(lines);
            refills.push_back(std::max(0.0, cold - WriteAll(lines)));
            turn.Pass(2 * (round * count + i) + 1);
          }
          rounds.push_back(stats::Median(refills));
        }
      },
      [&] {
        for (std::int64_t i = 0; i < effort.round_count * count; ++i) {
          turn.Await(2 * i + 1);
          WriteAll(lines);
          turn.Pass(2 * i + 2);
        }
      });
  if (!placed) return Fail(placed.error());
  return SpreadOf(rounds);
}

}  // namespace schedlab::measure
