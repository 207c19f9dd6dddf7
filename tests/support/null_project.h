#pragma once

#include <cstdint>
#include <vector>

#include "server/store/analysis_store.h"
#include "tests/support/noisy_series.h"

namespace schedlab::testing {

// A project in which no commit changes anything: series that share their revisions, each with noise
// of its own.
struct NullProject {
  int series_count = 200;
  std::size_t revision_count = 30;
  std::size_t runs_per_point = 3;
  double noise = 0.02;
  NoiseKind kind = NoiseKind::kNormal;
};

std::vector<server::SeriesPoints> MakeProject(const NullProject& project, std::uint64_t seed);

}  // namespace schedlab::testing
