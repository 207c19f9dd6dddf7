#pragma once

#include <string>

#include "core/job.h"

namespace schedlab::client {

// How much of a job has been run, which cancelled runs are not: a bar that is redrawn on a
// terminal, else a line for each tenth.
class Progress {
 public:
  explicit Progress(bool has_bar) : has_bar_(has_bar) {}

  // What to write to stderr for this state of the job; often nothing.
  std::string Update(const RunCounts& counts);
  // Ends the bar's line, where one was drawn.
  std::string Finish();

 private:
  bool has_bar_;
  bool is_bar_drawn_ = false;
  std::int64_t last_tenth_ = -1;
};

}  // namespace schedlab::client
