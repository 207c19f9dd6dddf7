#include "sim/fair/load_history.h"

#include <algorithm>

#include "sim/fair/load.h"

namespace schedlab::sim::fair {
namespace {

// Entry i forgets 1 part in 2^i at every tick.
std::int64_t DecayMissed(std::int64_t load, unsigned entry, std::int64_t missed) {
  const std::int64_t scale = std::int64_t{1} << entry;
  for (; missed > 0 && load > 0; --missed) load = load * (scale - 1) / scale;
  return load;
}

void Update(RunQueue& queue, std::int64_t tick, std::int64_t load) {
  const std::int64_t pending = tick - queue.history_tick;
  if (pending <= 0) return;
  queue.history_tick = tick;
  queue.load_history[0] = load;
  for (unsigned i = 1; i < kLoadHistoryLength; ++i) {
    const std::int64_t scale = std::int64_t{1} << i;
    const std::int64_t old_load = DecayMissed(queue.load_history[i], i, pending - 1);
    // Rounded up while it rises, or it would never reach a constant load.
    const std::int64_t round_up = load > old_load ? scale - 1 : 0;
    queue.load_history[i] = (old_load * (scale - 1) + load + round_up) >> i;
  }
}

}  // namespace

void UpdateLoadHistory(State& state, CpuNumber cpu) {
  Update(state.Queue(cpu), state.machine.tick_count(), CpuLoad(state, cpu));
}

void CatchUpIdleHistory(State& state, CpuNumber cpu) {
  Update(state.Queue(cpu), state.machine.tick_count(), 0);
}

std::int64_t SourceLoad(const State& state, CpuNumber cpu, const LoadReading& reading,
                        std::int64_t live) {
  switch (state.switches.bias_mode) {
    case BiasMode::kHistory:
      if (reading.history == 0) return live;
      return std::min(state.Queue(cpu).load_history[reading.history - 1], live);
    case BiasMode::kNone:
    case BiasMode::kPctOnTarget:
    case BiasMode::kPctOnce:
      return live;
  }
  return live;
}

std::int64_t TargetLoad(const State& state, CpuNumber cpu, const LoadReading& reading,
                        std::int64_t live) {
  switch (state.switches.bias_mode) {
    case BiasMode::kHistory:
      if (reading.history == 0) return live;
      return std::max(state.Queue(cpu).load_history[reading.history - 1], live);
    case BiasMode::kNone:
      return live;
    case BiasMode::kPctOnTarget:
    case BiasMode::kPctOnce:
      return live * reading.target_percent / 100;
  }
  return live;
}

}  // namespace schedlab::sim::fair
