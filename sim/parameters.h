#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/scenario.h"
#include "sim/sim_time.h"

namespace schedlab::sim {

// A parameter of a workload, with its bounds; the catalog states the same for people.
struct ParameterRule {
  std::string_view name;
  std::int64_t default_value = 0;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
};

// The value of every parameter of a workload.
class Parameters {
 public:
  // Requires: `name` is one of the rules' names.
  std::int64_t Get(std::string_view name) const;
  std::int32_t GetCount(std::string_view name) const;
  SimDuration GetTime(std::string_view name) const { return SimDuration(Get(name)); }

  // The defaults of `rules` with the parameters of `spec` laid over them. kInvalidArgument names a
  // parameter that is unknown or out of bounds.
  static Result<Parameters> Resolve(const WorkloadSpec& spec, std::span<const ParameterRule> rules);

 private:
  std::map<std::string, std::int64_t, std::less<>> values_;
};

}  // namespace schedlab::sim
