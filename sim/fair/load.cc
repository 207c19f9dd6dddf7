#include "sim/fair/load.h"

namespace schedlab::sim::fair {

std::int64_t CpuLoad(const State& state, CpuNumber cpu) { return state.Queue(cpu).load; }

std::int64_t TaskLoad(const State& /*state*/, const Task& task) { return task.fair.load; }

}  // namespace schedlab::sim::fair
