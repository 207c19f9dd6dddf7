#pragma once

#include <string_view>

namespace schedlab::worker {

// The version that this binary was built as (the project's version in CMakeLists.txt).
inline constexpr std::string_view kBuildVersion = SCHEDLAB_VERSION;

}  // namespace schedlab::worker
