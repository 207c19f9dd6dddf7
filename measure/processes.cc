#include "measure/processes.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "measure/place.h"
#include "measure/stopwatch.h"
#include "stats/summary.h"

namespace schedlab::measure {
namespace {

constexpr std::int64_t kLives = 30;

struct Times {
  std::vector<double> starts;
  std::vector<double> lives;
  std::vector<double> exits;
};

// A number that a child process can write and its parent read.
class SharedInstant {
 public:
  SharedInstant()
      : page_(mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
  ~SharedInstant() {
    if (is_mapped()) munmap(page_, sizeof(std::int64_t));
  }
  SharedInstant(const SharedInstant&) = delete;
  SharedInstant& operator=(const SharedInstant&) = delete;

  bool is_mapped() const { return page_ != MAP_FAILED; }
  // Requires: is_mapped().
  volatile std::int64_t& ns() { return *static_cast<volatile std::int64_t*>(page_); }

 private:
  void* page_;
};

void LiveOnce(SharedInstant& end, Times& times) {
  const std::int64_t begin = NowNs();
  const pid_t child = fork();
  if (child == 0) {
    end.ns() = NowNs();
    _exit(0);
  }
  if (child < 0) return;
  times.starts.push_back(static_cast<double>(NowNs() - begin));
  waitpid(child, nullptr, 0);
  const std::int64_t waited = NowNs();
  times.lives.push_back(static_cast<double>(waited - begin));
  times.exits.push_back(static_cast<double>(waited - end.ns()));
}

void LiveOnceAsThread(SharedInstant& end, Times& times) {
  const std::int64_t begin = NowNs();
  std::jthread thread([&end] { end.ns() = NowNs(); });
  times.starts.push_back(static_cast<double>(NowNs() - begin));
  thread.join();
  const std::int64_t joined = NowNs();
  times.lives.push_back(static_cast<double>(joined - begin));
  times.exits.push_back(static_cast<double>(joined - end.ns()));
}

struct Spreads {
  Spread start;
  Spread life;
  Spread exit;
};

Spreads Rounds(const Effort& effort, SharedInstant& end, void (*live)(SharedInstant&, Times&)) {
  std::vector<double> starts;
  std::vector<double> lives;
  std::vector<double> exits;
  for (std::int64_t round = 0; round < effort.round_count; ++round) {
    Times times;
    for (std::int64_t i = 0; i < effort.Operations(kLives); ++i) live(end, times);
    if (times.starts.empty()) continue;
    starts.push_back(stats::Median(times.starts));
    lives.push_back(stats::Median(times.lives));
    exits.push_back(stats::Median(times.exits));
  }
  return {.start = SpreadOf(starts), .life = SpreadOf(lives), .exit = SpreadOf(exits)};
}

}  // namespace

Result<ProcessTimes> MeasureProcesses(std::int32_t cpu, const Effort& effort) {
  if (const Status bound = BindThisThread(cpu); !bound) return Fail(bound.error());
  SharedInstant end;
  if (!end.is_mapped()) return Fail(ErrorCode::kInternal, "cannot share a page with a child");
  const Spreads processes = Rounds(effort, end, LiveOnce);
  const Spreads threads = Rounds(effort, end, LiveOnceAsThread);
  return ProcessTimes{.fork = processes.start,
                      .life = processes.life,
                      .exit = processes.exit,
                      .thread_create = threads.start,
                      .thread_life = threads.life,
                      .thread_exit = threads.exit};
}

}  // namespace schedlab::measure
