#pragma once

#include <cstdint>
#include <string>

#include "sim/sim_time.h"

namespace schedlab::sim {

// What the threads of one kind did. An activation is a pass over a phase.
struct ScriptThreadReport {
  std::string name;
  std::int64_t started_count = 0;  // threads
  std::int64_t activation_count = 0;
  SimDuration work_done{0};
  // What was left until the timer when a pass came to it; negative where it came too late.
  std::int64_t slack_count = 0;  // activations with a timer
  SimDuration slack_sum{0};
  SimDuration slack_min{0};
  std::int64_t timer_count = 0;   // times that a thread came to a timer
  std::int64_t missed_count = 0;  // of these, after it had expired
  // From the expiry of a timer to the first instruction behind it.
  SimDuration timer_latency_sum{0};
  SimDuration timer_latency_max{0};
};

}  // namespace schedlab::sim
