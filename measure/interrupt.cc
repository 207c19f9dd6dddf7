#include "measure/interrupt.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "measure/place.h"
#include "measure/stopwatch.h"
#include "stats/summary.h"

namespace schedlab::measure {
namespace {

constexpr std::int64_t kInterrupts = 200;
constexpr std::int64_t kRestNs = 20'000;
// Beyond the last interrupt of a round.
constexpr std::int64_t kMarginNs = 500;

bool CallMembarrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }

bool InterruptOthers() { return CallMembarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED); }

// It waits for the other CPU to have answered, so that its span covers the interrupt.
std::vector<TimeSpan> Interrupt(std::int64_t count) {
  std::vector<TimeSpan> spans;
  for (std::int64_t i = 0; i < count; ++i) {
    SpinFor(kRestNs);
    const std::int64_t begin = NowNs();
    InterruptOthers();
    spans.push_back({.begin_ns = begin, .end_ns = NowNs()});
  }
  return spans;
}

// Watches until told to stop, a piece at a time.
class Watcher {
 public:
  explicit Watcher(std::int32_t cpu)
      : thread_([this, cpu](std::stop_token stop) {
          placed_ = BindThisThread(cpu);
          while (!stop.stop_requested()) {
            for (const Gap& gap : Watch(NowNs() + kRestNs)) gaps_.push_back(gap);
            has_begun_.store(true, std::memory_order_release);
          }
        }) {}

  void AwaitBegin() const {
    while (!has_begun_.load(std::memory_order_acquire)) std::this_thread::yield();
  }
  // Ends it. What it saw, or why it saw nothing.
  Result<std::vector<Gap>> Stop() {
    thread_.request_stop();
    thread_.join();
    if (!placed_) return Fail(placed_.error());
    return gaps_;
  }

 private:
  Status placed_;
  std::vector<Gap> gaps_;
  std::atomic<bool> has_begun_{false};
  std::jthread thread_;  // last: it uses the others
};

}  // namespace

std::vector<Gap> GapsWithin(const std::vector<Gap>& gaps, const std::vector<TimeSpan>& spans,
                            std::int64_t margin_ns) {
  std::vector<Gap> within;
  auto span = spans.begin();
  for (const Gap& gap : gaps) {
    while (span != spans.end() && span->end_ns + margin_ns < gap.begin_ns + gap.length_ns) ++span;
    if (span == spans.end()) break;
    if (gap.begin_ns >= span->begin_ns - margin_ns) within.push_back(gap);
  }
  return within;
}

Result<Spread> MeasureInterrupt(const CpuPair& cpus, const Effort& effort) {
  if (!CallMembarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)) return SpreadOf({});
  if (const Status bound = BindThisThread(cpus.first); !bound) return Fail(bound.error());
  std::vector<double> rounds;
  for (std::int64_t i = 0; i < effort.round_count; ++i) {
    Watcher watcher(cpus.second);
    watcher.AwaitBegin();
    const std::vector<TimeSpan> spans = Interrupt(effort.Operations(kInterrupts));
    const Result<std::vector<Gap>> gaps = watcher.Stop();
    if (!gaps) return Fail(gaps.error());
    std::vector<double> lengths;
    for (const Gap& gap : GapsWithin(*gaps, spans, kMarginNs)) {
      lengths.push_back(static_cast<double>(gap.length_ns));
    }
    if (!lengths.empty()) rounds.push_back(stats::Median(lengths));
  }
  return SpreadOf(rounds);
}

}  // namespace schedlab::measure
