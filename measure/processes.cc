#include "measure/processes.h"

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
};

void LiveOnce(Times& times) {
  const std::int64_t begin = NowNs();
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child < 0) return;
  times.starts.push_back(static_cast<double>(NowNs() - begin));
  waitpid(child, nullptr, 0);
  times.lives.push_back(static_cast<double>(NowNs() - begin));
}

void LiveOnceAsThread(Times& times) {
  const std::int64_t begin = NowNs();
  std::jthread thread([] {});
  times.starts.push_back(static_cast<double>(NowNs() - begin));
  thread.join();
  times.lives.push_back(static_cast<double>(NowNs() - begin));
}

struct Spreads {
  Spread start;
  Spread life;
};

Spreads Rounds(const Effort& effort, void (*live)(Times&)) {
  std::vector<double> starts;
  std::vector<double> lives;
  for (std::int64_t round = 0; round < effort.round_count; ++round) {
    Times times;
    for (std::int64_t i = 0; i < effort.Operations(kLives); ++i) live(times);
    if (times.starts.empty()) continue;
    starts.push_back(stats::Median(times.starts));
    lives.push_back(stats::Median(times.lives));
  }
  return {.start = SpreadOf(starts), .life = SpreadOf(lives)};
}

}  // namespace

Result<ProcessTimes> MeasureProcesses(std::int32_t cpu, const Effort& effort) {
  if (const Status bound = BindThisThread(cpu); !bound) return Fail(bound.error());
  const Spreads processes = Rounds(effort, LiveOnce);
  const Spreads threads = Rounds(effort, LiveOnceAsThread);
  return ProcessTimes{.fork = processes.start,
                      .life = processes.life,
                      .thread_create = threads.start,
                      .thread_life = threads.life};
}

}  // namespace schedlab::measure
