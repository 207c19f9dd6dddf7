#include "server/analyzer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/limits.h"

namespace schedlab::server {
namespace {

// Whether a counter explains a series: same scenario, policy and engine.
bool Explains(const Series& counter, SeriesKey of) {
  of.metric = counter.key.metric;
  return counter.role == MetricRole::kCounter && counter.key == of;
}

std::span<const StoredChangePoint> ChangePointsOf(const AnalysisOutcome& outcome, SeriesId id) {
  for (const SeriesChangePoints& series : outcome.change_points) {
    if (series.series == id) return series.change_points;
  }
  return {};
}

}  // namespace

Analyzer::Analyzer(AnalysisStore& store, Log& log, Telemetry& telemetry,
                   std::function<void()> on_analyzed)
    : store_(store), log_(log), telemetry_(telemetry), on_analyzed_(std::move(on_analyzed)) {}

Status Analyzer::AnalyzeFinishedJobs(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Result<std::optional<Job>> job = store_.ClaimFinishedJob();
    if (!job) return Fail(job.error());
    if (!job->has_value()) return {};
    if (Status analyzed = Analyze(**job); !analyzed) return analyzed;
    telemetry_.CountAnalyzedJob();
    on_analyzed_();
  }
  return {};
}

Status Analyzer::Analyze(const Job& job) {
  const Result<std::vector<SeriesPoints>> series = store_.ReadSeriesOfJob(job.id);
  if (!series) return Fail(series.error());
  Analysis analysis = FindChanges(*series);
  for (const Error& refused : analysis.refused) {
    log_.Warn({"analyzer", "series_refused"}, {{"job", job.id.value}, {"error", refused.message}});
  }
  if (Status added = AddCounters(analysis.outcome); !added) return added;
  if (Status stored = store_.StoreAnalysis(job.id, analysis.outcome); !stored) return stored;
  log_.Info({"analyzer", "job_analyzed"}, {{"job", job.id.value},
                                           {"series_count", series->size()},
                                           {"alert_count", analysis.outcome.alerts.size()}});
  return {};
}

Status Analyzer::AddCounters(AnalysisOutcome& outcome) {
  for (Alert& alert : outcome.alerts) {
    for (AlertCell& cell : alert.cells) {
      const Result<std::vector<SeriesPoints>> counters = ReadCounters(cell.series.key);
      if (!counters) return Fail(counters.error());
      Result<std::vector<CounterChange>> moved =
          CountersOf(cell, ChangePointsOf(outcome, cell.series.id), *counters);
      if (!moved) return Fail(moved.error());
      cell.counters = std::move(*moved);
    }
  }
  return {};
}

Result<std::vector<SeriesPoints>> Analyzer::ReadCounters(const SeriesKey& key) {
  const SeriesFilter filter{.project = key.project,
                            .policy = key.policy,
                            .variant = key.variant,
                            .metric = "",
                            .topology = key.topology,
                            .workload = key.workload,
                            .headline_only = false};
  std::vector<SeriesPoints> counters;
  PageRequest page{.size = kMaxPageSize, .token = ""};
  do {
    const Result<Page<Series>> listed = store_.ListSeries(filter, page);
    if (!listed) return Fail(listed.error());
    for (const Series& series : listed->items) {
      if (!Explains(series, key)) continue;
      Result<SeriesPoints> points = store_.ReadSeries(series.id);
      if (!points) return Fail(points.error());
      counters.push_back(std::move(*points));
    }
    page.token = listed->next_token;
  } while (!page.token.empty());
  return counters;
}

}  // namespace schedlab::server
