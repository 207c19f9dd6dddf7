#include "server/analyzer.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/limits.h"

namespace schedlab::server {
namespace {

// How often one analysis is done again because another was stored meanwhile.
constexpr std::int32_t kMaxAnalysisConflicts = 10;

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
    const Result<std::optional<AnalysisClaim>> claim = store_.ClaimFinishedJob();
    if (!claim) return Fail(claim.error());
    if (!claim->has_value()) return {};
    const Status analyzed = Analyze(**claim);
    if (!analyzed) {
      if (analyzed.error().code == ErrorCode::kUnavailable) return analyzed;
      if (Status given = GiveBack(**claim, analyzed.error()); !given) return given;
      continue;
    }
    telemetry_.CountAnalyzedJob();
    on_analyzed_();
  }
  return {};
}

// Another analysis of the project that is stored first makes this one out of date.
Status Analyzer::Analyze(const AnalysisClaim& claim) {
  for (std::int32_t conflict_count = 0;; ++conflict_count) {
    Status analyzed = AnalyzeOnce(claim);
    const bool is_stale = !analyzed && analyzed.error().code == ErrorCode::kAborted;
    if (!is_stale || conflict_count == kMaxAnalysisConflicts) return analyzed;
  }
}

Status Analyzer::AnalyzeOnce(const AnalysisClaim& claim) {
  const JobId job = claim.job.id;
  const Result<AnalysisInput> input = store_.ReadSeriesOfJob(job);
  if (!input) return Fail(input.error());
  Analysis analysis = FindChanges(input->series);
  for (const Error& refused : analysis.refused) {
    log_.Warn({"analyzer", "series_refused"}, {{"job", job.value}, {"error", refused.message}});
  }
  if (Status added = AddCounters(analysis.outcome); !added) return added;
  Status stored = store_.StoreAnalysis(claim, input->generation, analysis.outcome);
  if (!stored) return stored;
  log_.Info({"analyzer", "job_analyzed"}, {{"job", job.value},
                                           {"series_count", input->series.size()},
                                           {"alert_count", analysis.outcome.alerts.size()}});
  return {};
}

Status Analyzer::GiveBack(const AnalysisClaim& claim, const Error& failure) {
  const Result<bool> is_settled = store_.ReleaseAnalysis(claim, failure.message);
  if (!is_settled) return Fail(is_settled.error());
  log_.Warn({"analyzer", *is_settled ? "job_not_analyzed" : "analysis_failed"},
            {{"job", claim.job.id.value}, {"error", failure.message}});
  if (*is_settled) on_analyzed_();
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
