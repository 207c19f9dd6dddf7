#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/series.h"

namespace schedlab {

// One series that a revision or one of its neighbours has results in.
struct CoverageCell {
  Series series;
  std::int64_t sample_count = 0;     // the revision's; 0 = none
  std::int32_t neighbour_count = 0;  // neighbours with samples

  friend bool operator==(const CoverageCell&, const CoverageCell&) = default;
};

// What a revision was run in, beside what the measured revisions around it were run in.
struct Coverage {
  RevisionRef revision;
  std::vector<std::string> neighbours;  // ids, by policy and ordinal
  std::vector<CoverageCell> cells;      // by topology, workload and metric

  friend bool operator==(const Coverage&, const Coverage&) = default;
};

}  // namespace schedlab
