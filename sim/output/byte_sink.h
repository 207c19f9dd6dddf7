#pragma once

#include <functional>
#include <string_view>

namespace schedlab::sim {

// Takes the next bytes that an encoder writes, in order. A sink that cannot store them keeps that
// to itself until the encoder has returned.
using ByteSink = std::function<void(std::string_view bytes)>;

}  // namespace schedlab::sim
