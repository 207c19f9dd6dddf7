#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/result.h"

namespace schedlab::client {

// Whether nothing listens on the loopback port.
bool IsPortFree(std::uint16_t port);

// `wanted` where it is given: kFailedPrecondition, naming `option`, where it is in use. Otherwise
// `preferred`, or any free port where that one is in use.
Result<std::uint16_t> ChoosePort(std::string_view option, std::optional<std::uint16_t> wanted,
                                 std::uint16_t preferred);

}  // namespace schedlab::client
