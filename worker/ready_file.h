#pragma once

#include <string>

#include "core/result.h"

namespace schedlab::worker {

// Writes the file so that it is never seen half-written. kInternal with the reason.
Status WriteReadyFile(const std::string& path, const std::string& text);

}  // namespace schedlab::worker
