#pragma once

#include <string>
#include <vector>

#include "core/disturbance.h"
#include "core/result.h"

namespace schedlab::client {

// "2s:3:off" and "4s:3:on": CPU 3 goes after two seconds and is back after four.
Result<std::vector<HotplugEvent>> ParseHotplug(const std::vector<std::string>& texts);

// "0:1ms:50us": CPU 0 is interrupted each millisecond for 50 microseconds.
Result<std::vector<IrqSource>> ParseIrqSources(const std::vector<std::string>& texts);

}  // namespace schedlab::client
