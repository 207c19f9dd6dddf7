#include "measure/idle_choice.h"

#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

#include "measure/futex_word.h"
#include "measure/place.h"
#include "measure/stopwatch.h"

namespace schedlab::measure {
namespace {

constexpr std::int64_t kChoices = 50;

struct Choices {
  FutexWord asked;
  std::atomic<std::uint32_t> answered{0};
  std::atomic<std::int32_t> chosen_cpu{0};
};

// Goes back to the first CPU before each sleep.
void Answer(Choices& choices, const CpuPair& cpus, std::uint32_t count, Status& placed) {
  for (std::uint32_t i = 0; i < count; ++i) {
    placed = BindThisThread(cpus.first);
    AllowThisThread({cpus.first, cpus.second});
    while (choices.asked.Load() == i) choices.asked.WaitWhile(i);
    choices.chosen_cpu.store(sched_getcpu(), std::memory_order_release);
    choices.answered.store(i + 1, std::memory_order_release);
  }
}

bool GoesToSecond(Choices& choices, const CpuPair& cpus, std::uint32_t number) {
  choices.asked.Store(number + 1);
  choices.asked.WakeOne();
  while (choices.answered.load(std::memory_order_acquire) != number + 1) sched_yield();
  const bool goes = choices.chosen_cpu.load(std::memory_order_acquire) == cpus.second;
  // To bind itself to the first CPU it needs a turn there.
  sched_yield();
  return goes;
}

}  // namespace

Result<Spread> MeasureIdleChoice(const CpuPair& cpus, std::int64_t idle_ns, const Effort& effort) {
  if (const Status bound = BindThisThread(cpus.first); !bound) return Fail(bound.error());
  Choices choices;
  Status placed;
  const auto count = static_cast<std::uint32_t>(effort.Operations(kChoices));
  const auto rounds = static_cast<std::uint32_t>(effort.round_count);
  std::jthread wakee([&] { Answer(choices, cpus, count * rounds, placed); });
  std::vector<double> permille;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    double gone = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      SpinFor(idle_ns);
      gone += GoesToSecond(choices, cpus, round * count + i) ? 1 : 0;
    }
    permille.push_back(1000 * gone / count);
  }
  wakee.join();
  if (!placed) return Fail(placed.error());
  return SpreadOf(permille);
}

}  // namespace schedlab::measure
