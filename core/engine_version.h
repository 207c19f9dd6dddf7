#pragma once

#include <string_view>

namespace schedlab {

// The version of the simulator's behaviour. A change that moves any digest raises it; results of
// two versions are never compared, and a worker of another version gets no simulated runs.
inline constexpr std::string_view kEngineVersion = "4";

}  // namespace schedlab
