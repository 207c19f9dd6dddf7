#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/store/analysis_store.h"

namespace schedlab::server {

inline RevisionRef RevisionAt(std::int64_t ordinal) {
  return {.id = "r" + std::to_string(ordinal),
          .ordinal = ordinal,
          .subject = "subject " + std::to_string(ordinal),
          .date = ""};
}

// A headline series of files_per_sec on one topology, without points.
inline Series SampleSeries(std::int64_t id, const std::string& topology) {
  return {.id = SeriesId{id},
          .key = {.project = "linux",
                  .policy = "linux-fair",
                  .variant = "",
                  .topology = topology,
                  .workload = "fs_mark",
                  .scenario_digest = "digest of " + topology,
                  .executor = Executor::kSim,
                  .engine_version = "1",
                  .metric = "files_per_sec"},
          .unit = "1/s",
          .direction = Direction::kHigherIsBetter,
          .role = MetricRole::kHeadline,
          .minimum_effect = 0.03,
          .point_count = 0};
}

// Five samples about `level`, with a spread of one per cent that differs from point to point.
inline std::vector<double> SamplesAbout(double level, std::int64_t ordinal) {
  std::vector<double> samples;
  for (std::int64_t i = 0; i < 5; ++i) {
    const auto offset = static_cast<double>((ordinal * 7 + i * 3) % 11 - 5);
    samples.push_back(level * (1 + offset * 0.002));
  }
  return samples;
}

// One point for each level, from ordinal 0.
inline SeriesPoints WithLevels(Series series, const std::vector<double>& levels) {
  SeriesPoints points{.series = std::move(series), .points = {}};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto ordinal = static_cast<std::int64_t>(i);
    points.points.push_back({RevisionAt(ordinal), SamplesAbout(levels[i], ordinal)});
  }
  points.series.point_count = static_cast<std::int64_t>(levels.size());
  return points;
}

}  // namespace schedlab::server
