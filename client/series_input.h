#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace schedlab::client {

// One revision of a series that came as text.
struct InputPoint {
  std::string commit = {};      // empty where the text names none
  std::vector<double> runs;     // empty = not measured
  std::int64_t mean_count = 1;  // of how many runs each of `runs` is the mean

  friend bool operator==(const InputPoint&, const InputPoint&) = default;
};

// Numbers for `schedlab analyze series`, in one of three forms; kInvalidArgument with `file_name`
// and the line.
// * A JSON array of numbers or of arrays of numbers: an element is a revision, its numbers are
// runs.
// * Lines of comma-separated numbers: a line is a revision, its numbers are runs. A first line of
//   words is a heading.
// * Lines of commit, value and, if wanted, count: where the heading names these columns, or the
//   first field is no number, or counts the lines. Neighbouring lines of one commit are its runs.
//   A value with a count is the mean of so many runs; a count of 0 or no value = not measured.
Result<std::vector<InputPoint>> ParseSeriesInput(std::string_view text, std::string_view file_name);

}  // namespace schedlab::client
