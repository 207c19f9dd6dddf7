#pragma once

#include <functional>
#include <stop_token>

#include "core/log.h"
#include "core/result.h"
#include "server/find_changes.h"
#include "server/store/analysis_store.h"
#include "server/telemetry.h"

namespace schedlab::server {

// Searches the results of finished jobs for change points and keeps what it finds. Every
// coordinator has one; the store sees to it that no two take the same job. To be called from one
// thread.
class Analyzer {
 public:
  Analyzer(AnalysisStore& store, Log& log, Telemetry& telemetry, std::function<void()> on_analyzed);

  // Analyses jobs until there is none left, or until `stop`. A job whose analysis fails is given
  // back, and in the end settled with the reason, so that it holds up neither others nor those who
  // wait for it. Fails where the store is away.
  Status AnalyzeFinishedJobs(const std::stop_token& stop);

 private:
  Status Analyze(const AnalysisClaim& claim);
  Status AnalyzeOnce(const AnalysisClaim& claim);
  Status GiveBack(const AnalysisClaim& claim, const Error& failure);
  Status AddCounters(AnalysisOutcome& outcome);
  Result<std::vector<SeriesPoints>> ReadCounters(const SeriesKey& key);

  AnalysisStore& store_;
  Log& log_;
  Telemetry& telemetry_;
  const std::function<void()> on_analyzed_;
};

}  // namespace schedlab::server
