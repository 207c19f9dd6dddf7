#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalog.h"
#include "core/job.h"
#include "core/run.h"

namespace schedlab::client {

// One metric of a run as it was stored and as its repetition measured it.
struct RepeatedMetric {
  std::string name;
  std::optional<double> stored;
  std::optional<double> repeated;

  // Bit for bit.
  bool IsEqual() const;
};

struct RepeatedRun {
  RunResult stored;
  RunResult repeated;

  bool IsEqual() const;
  std::vector<RepeatedMetric> Metrics() const;  // of either, by name
};

// What `run` of a job with `spec` executed, by this program's catalog. kFailedPrecondition: this
// catalog plans no such run, or this simulator is of another engine version than `series_engine`.
Result<RunSpec> SpecOfRun(const Catalog& catalog, const JobSpec& spec, const Run& run,
                          std::string_view scenario_digest, std::string_view series_engine);

// Executes a simulated run again, in this process. Requires: the run has a result.
Result<RepeatedRun> RepeatRun(const RunSpec& spec, const Run& run, std::stop_token stop);

}  // namespace schedlab::client
