#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"
#include "core/topology.h"

namespace schedlab {

// A CPU is taken offline, or brought back, during a run.
struct HotplugEvent {
  std::int64_t at_ns = 0;
  std::int32_t cpu = 0;
  bool is_online = false;

  friend bool operator==(const HotplugEvent&, const HotplugEvent&) = default;
};

// A device that interrupts one CPU for `duration` at each multiple of `period`.
struct IrqSource {
  std::int32_t cpu = 0;
  std::int64_t period_ns = 0;
  std::int64_t duration_ns = 0;

  friend bool operator==(const IrqSource&, const IrqSource&) = default;
};

// Events happen in the order of the list where their times are equal. kInvalidArgument names the
// event for which a CPU is none of the topology's, is already as asked for, would be the last one
// online, or whose time is before that of the event ahead of it or not before the run's end.
Status Validate(const std::vector<HotplugEvent>& events, const Topology& topology,
                std::int64_t duration_ns);

// kInvalidArgument names the source whose CPU is none of the topology's, or whose interrupts take
// no time, or all of the time of a CPU together with the other sources'.
Status Validate(const std::vector<IrqSource>& sources, const Topology& topology);

}  // namespace schedlab
