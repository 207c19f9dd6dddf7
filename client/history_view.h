#pragma once

#include <string>
#include <vector>

#include "client/coordinator.h"
#include "client/grid.h"

namespace schedlab::client {

// Which series of a metric; an empty field matches all.
struct SeriesChoice {
  std::string project;
  std::string policy;
  std::string topology;
  std::string workload;
};

// Every matching series, from the revision `since` on (empty = from the beginning). kNotFound: none
// matches; the message says what may be wrong.
Result<std::vector<SeriesHistory>> ReadHistories(Coordinator& coordinator,
                                                 const SeriesChoice& choice,
                                                 const std::string& metric,
                                                 const std::string& since);

// "fs_mark.files_per_sec  on kvm-16x1  (linux-fair, higher is better, scenario 0123456789ab)".
std::string HistoryHeading(const Series& series);
// A line for each revision, with change points marked in words.
Grid HistoryGrid(const SeriesHistory& history);
// For programs: a record for each revision of each series.
Grid HistoryRecords(const std::vector<SeriesHistory>& histories);

}  // namespace schedlab::client
