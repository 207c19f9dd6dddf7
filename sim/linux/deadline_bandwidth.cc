#include "sim/linux/deadline_bandwidth.h"

#include <fmt/format.h>

namespace schedlab::sim::linux {
namespace {

double InCpus(std::int64_t bandwidth) { return static_cast<double>(bandwidth) / (1 << 20); }

}  // namespace

// A task that asks for no more than before is never refused, whatever has become of the machine.
Result<std::int64_t> DeadlineBandwidth::Reserve(std::int64_t before,
                                                const SchedAttributes& attributes) {
  const std::int64_t wanted = BandwidthOf(attributes.runtime_ns, attributes.period_ns);
  const std::int64_t total = reserved_ - before + wanted;
  const std::int64_t limit = BandwidthOf(percent_, 100) * cpu_count_;
  if (wanted > before && total > limit) {
    return Fail(
        ErrorCode::kResourceExhausted,
        fmt::format("{} ns in each {} ns would take the deadline tasks from {:.3f} to {:.3f}"
                    " CPUs, of which they may have {:.3f} ({} % of {})",
                    attributes.runtime_ns, attributes.period_ns, InCpus(reserved_ - before),
                    InCpus(total), InCpus(limit), percent_, cpu_count_));
  }
  reserved_ = total;
  return wanted;
}

}  // namespace schedlab::sim::linux
