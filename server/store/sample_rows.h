#pragma once

#include <cstdint>
#include <map>
#include <pqxx/pqxx>
#include <span>
#include <string>

#include "core/ids.h"
#include "core/run_result.h"

namespace schedlab::server {

using MetricIds = std::map<std::string, std::int64_t>;

// The metrics that jobs brought with them, by name.
MetricIds ReadMetricIds(pqxx::work& transaction);

struct MeasuredRun {
  RunId run;
  const RunResult* result = nullptr;
};

// Stores ranked results twice: by run, and by series with their points. Requires: every metric is
// in `metric_ids` and finite; no run has a result already.
void StoreResults(pqxx::work& transaction, const MetricIds& metric_ids,
                  std::span<const MeasuredRun> measured);

}  // namespace schedlab::server
