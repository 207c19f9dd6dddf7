#include "core/disturbance.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "core/limits.h"

namespace schedlab {
namespace {

tl::unexpected<Error> Refuse(std::string what) {
  return Fail(ErrorCode::kInvalidArgument, std::move(what));
}

bool IsCpuOf(const Topology& topology, std::int32_t cpu) {
  return cpu >= 0 && static_cast<std::size_t>(cpu) < topology.cpus.size();
}

// In the largest unit of which there is one.
std::string Time(std::int64_t ns) {
  const auto value = static_cast<double>(ns);
  const double magnitude = std::abs(value);
  if (magnitude >= 1e9) return fmt::format("{:.9g} s", value / 1e9);
  if (magnitude >= 1e6) return fmt::format("{:.9g} ms", value / 1e6);
  if (magnitude >= 1e3) return fmt::format("{:.9g} us", value / 1e3);
  return fmt::format("{} ns", ns);
}

std::string CpusOf(const Topology& topology) {
  return fmt::format("the machine has CPUs 0 to {}", topology.cpus.size() - 1);
}

std::string Describe(const HotplugEvent& event) {
  return fmt::format("CPU {} goes {} at {}", event.cpu, event.is_online ? "online" : "offline",
                     Time(event.at_ns));
}

std::string Describe(const IrqSource& source) {
  return fmt::format("interrupts of {} every {} on CPU {}", Time(source.duration_ns),
                     Time(source.period_ns), source.cpu);
}

template <class Disturbance>
tl::unexpected<Error> Refuse(const Disturbance& one, std::string_view why) {
  return Refuse(fmt::format("{}: {}", Describe(one), why));
}

// Which CPUs are online as the events happen.
class HotplugCheck {
 public:
  HotplugCheck(const Topology& topology, std::int64_t duration_ns)
      : topology_(topology),
        duration_ns_(duration_ns),
        is_online_(topology.cpus.size(), true),
        online_count_(topology.cpus.size()) {}

  Status Add(const HotplugEvent& event) {
    if (event.at_ns < last_at_ns_) {
      return Refuse(event, fmt::format("that is before {}", Time(last_at_ns_)));
    }
    if (event.at_ns >= duration_ns_) {
      return Refuse(event, fmt::format("the run ends at {}", Time(duration_ns_)));
    }
    if (!IsCpuOf(topology_, event.cpu)) return Refuse(event, CpusOf(topology_));
    const auto cpu = static_cast<std::size_t>(event.cpu);
    if (is_online_[cpu] == event.is_online) return Refuse(event, "it is so already");
    is_online_[cpu] = event.is_online;
    online_count_ += event.is_online ? 1 : std::size_t{0} - 1;
    if (online_count_ == 0) return Refuse(event, "it is the last one online");
    last_at_ns_ = event.at_ns;
    return {};
  }

 private:
  const Topology& topology_;
  std::int64_t duration_ns_;
  std::vector<bool> is_online_;
  std::size_t online_count_;
  std::int64_t last_at_ns_ = 0;
};

}  // namespace

Status Validate(const std::vector<HotplugEvent>& events, const Topology& topology,
                std::int64_t duration_ns) {
  if (events.size() > kMaxHotplugEvents) {
    return Refuse(
        fmt::format("{} hotplug events are more than {}", events.size(), kMaxHotplugEvents));
  }
  HotplugCheck check(topology, duration_ns);
  for (const HotplugEvent& event : events) {
    if (Status valid = check.Add(event); !valid) return valid;
  }
  return {};
}

Status Validate(const std::vector<IrqSource>& sources, const Topology& topology) {
  if (sources.size() > kMaxIrqSources) {
    return Refuse(
        fmt::format("{} interrupt sources are more than {}", sources.size(), kMaxIrqSources));
  }
  std::vector<double> shares(topology.cpus.size());
  for (const IrqSource& source : sources) {
    if (!IsCpuOf(topology, source.cpu)) return Refuse(source, CpusOf(topology));
    if (source.duration_ns <= 0 || source.period_ns <= 0 || source.period_ns > kMaxSimulatedNs) {
      return Refuse(
          source, fmt::format("both must be above 0, and at most {} apart", Time(kMaxSimulatedNs)));
    }
    double& share = shares[static_cast<std::size_t>(source.cpu)];
    share += static_cast<double>(source.duration_ns) / static_cast<double>(source.period_ns);
    if (share >= 1) return Refuse(source, "they leave it no time");
  }
  return {};
}

}  // namespace schedlab
