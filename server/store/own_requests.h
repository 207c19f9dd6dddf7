#pragma once

#include <string_view>

namespace schedlab::server {

// How the request ids of campaigns begin that coordinators create by themselves. What follows makes
// sure that each is created once, whichever coordinator does it; nobody else may use them.
inline constexpr std::string_view kAaRequestPrefix = "a/a ";  // the number of the period
inline constexpr std::string_view kBackfillRequestPrefix = "backfill of alert ";  // its id

}  // namespace schedlab::server
