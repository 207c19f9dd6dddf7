#pragma once

#include <cstdint>

#include "core/result.h"
#include "core/sched_attributes.h"
#include "sim/linux/fair_server.h"

namespace schedlab::sim::linux {

// Parts of 2^20 of a CPU that `runtime` within each `period` takes. Requires valid attributes, of
// which none exceeds 2^42.
constexpr std::int64_t BandwidthOf(std::int64_t runtime_ns, std::int64_t period_ns) {
  return runtime_ns * (std::int64_t{1} << 20) / period_ns;
}

// Admission to the deadline class: what was promised never exceeds 95 % of the online CPUs, of
// which a fair server takes 5.
class DeadlineBandwidth {
 public:
  DeadlineBandwidth(std::int32_t cpu_count, FairServerMode fair_server)
      : percent_(fair_server == FairServerMode::kOn ? 90 : 95), cpu_count_(cpu_count) {}

  // Replaces a reservation of `before` by one for `attributes`, and returns that; or changes
  // nothing and fails.
  Result<std::int64_t> Reserve(std::int64_t before, const SchedAttributes& attributes);
  void Release(std::int64_t bandwidth) { reserved_ -= bandwidth; }
  // CPUs go and come; what was promised stays promised.
  void SetCpuCount(std::int32_t cpu_count) { cpu_count_ = cpu_count; }

  std::int64_t reserved() const { return reserved_; }

 private:
  const std::int64_t percent_;
  std::int32_t cpu_count_;
  std::int64_t reserved_ = 0;
};

}  // namespace schedlab::sim::linux
