#include "core/disturbance.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/limits.h"

namespace schedlab {
namespace {

tl::unexpected<Error> Refuse(std::string what) {
  return Fail(ErrorCode::kInvalidArgument, std::move(what));
}

bool IsCpuOf(const Topology& topology, std::int32_t cpu) {
  return cpu >= 0 && static_cast<std::size_t>(cpu) < topology.cpus.size();
}

}  // namespace

Status Validate(const std::vector<HotplugEvent>& events, const Topology& topology) {
  if (events.size() > kMaxHotplugEvents) {
    return Refuse(
        fmt::format("{} hotplug events are more than {}", events.size(), kMaxHotplugEvents));
  }
  std::vector<bool> is_online(topology.cpus.size(), true);
  std::size_t online_count = topology.cpus.size();
  std::int64_t last_at_ns = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const HotplugEvent& event = events[i];
    if (event.at_ns < last_at_ns || event.at_ns > kMaxSimulatedNs) {
      return Refuse(fmt::format("hotplug event {} is at {} ns, which is before {} or after {}", i,
                                event.at_ns, last_at_ns, kMaxSimulatedNs));
    }
    last_at_ns = event.at_ns;
    if (!IsCpuOf(topology, event.cpu)) {
      return Refuse(
          fmt::format("hotplug event {} is of CPU {} of {}", i, event.cpu, topology.cpus.size()));
    }
    const auto cpu = static_cast<std::size_t>(event.cpu);
    if (is_online[cpu] == event.is_online) {
      return Refuse(fmt::format("hotplug event {} finds CPU {} {} already", i, event.cpu,
                                event.is_online ? "online" : "offline"));
    }
    is_online[cpu] = event.is_online;
    online_count += event.is_online ? 1 : std::size_t{0} - 1;
    if (online_count == 0) {
      return Refuse(fmt::format("hotplug event {} takes the last CPU, {}, offline", i, event.cpu));
    }
  }
  return {};
}

Status Validate(const std::vector<IrqSource>& sources, const Topology& topology) {
  if (sources.size() > kMaxIrqSources) {
    return Refuse(
        fmt::format("{} interrupt sources are more than {}", sources.size(), kMaxIrqSources));
  }
  std::vector<double> shares(topology.cpus.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const IrqSource& source = sources[i];
    if (!IsCpuOf(topology, source.cpu)) {
      return Refuse(fmt::format("interrupt source {} is on CPU {} of {}", i, source.cpu,
                                topology.cpus.size()));
    }
    if (source.duration_ns <= 0 || source.period_ns <= 0 || source.period_ns > kMaxSimulatedNs) {
      return Refuse(fmt::format("interrupt source {} takes {} ns in each {} ns", i,
                                source.duration_ns, source.period_ns));
    }
    double& share = shares[static_cast<std::size_t>(source.cpu)];
    share += static_cast<double>(source.duration_ns) / static_cast<double>(source.period_ns);
    if (share >= 1) {
      return Refuse(fmt::format("interrupt source {} leaves CPU {} no time", i, source.cpu));
    }
  }
  return {};
}

}  // namespace schedlab
