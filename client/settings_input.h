#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"

namespace schedlab::client {

// Repeated options of the form name=value; kInvalidArgument for another form and for a repeated
// name.
Result<std::map<std::string, std::int64_t>> ParseParameters(const std::vector<std::string>& texts);
Result<std::map<std::string, std::string>> ParseSwitches(const std::vector<std::string>& texts);

}  // namespace schedlab::client
