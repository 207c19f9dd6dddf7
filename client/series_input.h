#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace schedlab::client {

// Numbers for `schedlab analyze series`: a JSON array of numbers or of arrays of numbers, or lines
// of comma-separated numbers, where a first line of words is a heading. One element or line is one
// revision, its numbers are runs. kInvalidArgument with `file_name` and the line.
Result<std::vector<std::vector<double>>> ParseSeriesInput(std::string_view text,
                                                          std::string_view file_name);

}  // namespace schedlab::client
