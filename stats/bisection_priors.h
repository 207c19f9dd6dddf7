#pragma once

#include <span>
#include <string>
#include <string_view>

namespace schedlab::stats {

// What is known of a commit before anything is measured.
struct CommitDescription {
  std::span<const std::string> touched_files;  // paths from the root of the tree
  std::string_view subject;
};

// How likely the commit is to change a scheduler's performance, relative to others: 1 at least, so
// that none is ruled out, more for files of the scheduler and for a subject that names it.
double PriorWeight(const CommitDescription& commit);

}  // namespace schedlab::stats
