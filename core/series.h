#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/executor.h"
#include "core/ids.h"
#include "core/metric.h"

namespace schedlab {

// What holds the points of a series together. A series never mixes executors, scenarios (digest
// over topology with costs, workload and parameters), variants or engine versions.
struct SeriesKey {
  std::string project;
  std::string policy;
  std::string variant;
  std::string topology;
  std::string workload;
  std::string scenario_digest;
  Executor executor = Executor::kSim;
  std::string engine_version;
  std::string metric;

  friend auto operator<=>(const SeriesKey&, const SeriesKey&) = default;
};

// A series without its points. Unit, direction and role are those under which it was stored.
struct Series {
  SeriesId id;
  SeriesKey key;
  std::string unit;
  Direction direction = Direction::kHigherIsBetter;
  MetricRole role = MetricRole::kCounter;
  double minimum_effect = 0;
  std::int64_t point_count = 0;

  friend bool operator==(const Series&, const Series&) = default;
};

// A revision of a project, as far as results need it.
struct RevisionRef {
  std::string id;
  std::int64_t ordinal = 0;
  std::string subject;
  std::string date;

  friend bool operator==(const RevisionRef&, const RevisionRef&) = default;
};

// One revision's samples in order of repetition.
struct Point {
  RevisionRef revision;
  std::vector<double> samples;

  friend bool operator==(const Point&, const Point&) = default;
};

}  // namespace schedlab
