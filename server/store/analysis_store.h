#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/alert.h"
#include "core/coverage.h"
#include "core/ids.h"
#include "core/result.h"
#include "core/series.h"
#include "server/store/connection_pool.h"
#include "server/store/job_store.h"

namespace schedlab::server {

// How long a coordinator may take to analyse a job before another one does it.
inline constexpr std::chrono::seconds kAnalysisClaim{120};
// After so many analyses of a job that failed, it counts as analysed, with the reason.
inline constexpr std::int32_t kMaxAnalysisTries = 3;

// The exclusive right to analyse a job, until it runs out or is given back.
struct AnalysisClaim {
  Job job;
  std::string token;
};

// Which series; an empty field matches all.
struct SeriesFilter {
  std::string project = {};
  std::string policy = {};
  std::optional<std::string> variant = {};
  std::string metric = {};
  std::string topology = {};
  std::string workload = {};
  bool headline_only = false;
};

struct SeriesPoints {
  Series series;
  std::vector<Point> points;  // by ordinal
};

// Samples in order of repetition, with the seeds of their runs.
struct SeededSamples {
  std::vector<double> values;
  std::vector<std::int64_t> seeds;  // parallel to values
};

// The samples of a policy without a history in order of repetition.
struct YardstickSamples {
  std::string policy;
  std::vector<double> values;
};

// A series with the samples of two revisions; either may be empty.
struct SeriesPair {
  Series series;
  SeededSamples baseline;
  SeededSamples candidate;
  // Of the same metric, scenario, executor and engine version; by name.
  std::vector<YardstickSamples> yardsticks = {};
};

// Which revision's coverage.
struct CoverageQuery {
  std::string project;
  std::string policy = {};           // empty = every policy that has the revision
  std::string revision;              // as for FindRevision()
  std::int32_t neighbour_count = 3;  // measured revisions looked at on either side
  bool has_counters = false;
};

// What the analysis of a job works on.
struct AnalysisInput {
  std::int64_t generation = 0;  // of the project's analyses; see StoreAnalysis()
  std::vector<SeriesPoints> series;
};

struct SeriesChangePoints {
  SeriesId series;
  std::vector<StoredChangePoint> change_points;
};

// What the analysis of a job's results found: it replaces what was stored before for the same
// series. Alerts keep their identity and id by (project, policy, overlapping interval).
struct AnalysisOutcome {
  std::vector<SeriesChangePoints> change_points;  // every analysed series, also without any
  std::vector<Alert> alerts;                      // ids are not read
};

// Whether a revision that was only submitted counts as found.
enum class NeedsResults { kYes, kNo };

// Series, change points and alerts in PostgreSQL. Every call is one transaction. Thread-safe.
class AnalysisStore {
 public:
  explicit AnalysisStore(ConnectionPool& pool);

  // A finished job whose results have not been analysed, claimed for `kAnalysisClaim` so that no
  // other coordinator takes it meanwhile; nullopt where there is none.
  Result<std::optional<AnalysisClaim>> ClaimFinishedJob();
  // Stores the outcome and marks the job as analysed, in one transaction. May be repeated.
  // `generation` is that of the input. kAborted: another analysis of the project was stored since:
  // read again. kFailedPrecondition: the claim is another's now.
  Status StoreAnalysis(const AnalysisClaim& claim, std::int64_t generation,
                       const AnalysisOutcome& outcome);
  // Gives back the claim of an analysis that failed. After kMaxAnalysisTries the job counts as
  // analysed, with `failure`: true then. Changes nothing where the claim is another's now.
  Result<bool> ReleaseAnalysis(const AnalysisClaim& claim, const std::string& failure);

  // The headline series that the runs of a job belong to, with every stored point. Revisions that
  // were not measured between others are points without samples.
  Result<AnalysisInput> ReadSeriesOfJob(JobId job);
  Result<Page<Series>> ListSeries(const SeriesFilter& filter, const PageRequest& page);
  Result<SeriesPoints> ReadSeries(SeriesId id);
  Result<std::vector<StoredChangePoint>> ReadChangePoints(SeriesId id);

  // Every matching series that has samples of either revision (full ids).
  Result<std::vector<SeriesPair>> ReadPairs(const SeriesFilter& filter, const std::string& baseline,
                                            const std::string& candidate);
  // The stored revision whose id starts with `reference` or is an alias of it; "~" appended = the
  // one before it. kNotFound: none, or none with results; kInvalidArgument: ambiguous.
  Result<RevisionRef> FindRevision(const std::string& project, const std::string& policy,
                                   const std::string& reference,
                                   NeedsResults needs_results = NeedsResults::kYes);

  // What the revision and the measured ones around it have samples in. kNotFound: not stored.
  Result<Coverage> ReadCoverage(const CoverageQuery& query);

  // Newest first. Cells are complete, counters and unchanged cells included; without histories and
  // what was not run.
  Result<Page<Alert>> ListAlerts(const std::string& project, std::optional<AlertState> state,
                                 const PageRequest& page);
  Result<Alert> GetAlert(AlertId id);
  // Headline series of an alert's policy that have results before its change and since, and are
  // neither changed nor unchanged cells of it: noisy ones, and those that another job measured.
  Result<std::vector<SeriesPoints>> ReadSeriesBeside(AlertId id);
  // The alert as it is then. kNotFound: no such alert; kFailedPrecondition: see CheckChange(), or
  // it was merged into another; kAlreadyExists: the request id was used for another change.
  Result<Alert> ChangeAlertState(const AlertStateChange& change);
  // By project, of alerts that were raised within so many days; 0 = all.
  Result<std::vector<AlertPrecision>> ReadPrecision(const std::string& project,
                                                    std::int64_t day_count);
  // The newest analysed job that has runs of the series. kNotFound: none.
  Result<JobId> FindAnalysedJob(SeriesId series);
  // Alerts of the series' policy whose interval, or that of whose cell of the series, holds the
  // ordinal; newest first.
  Result<std::vector<Alert>> FindAlertsAround(const Series& series, std::int64_t ordinal);
  // For telemetry: by state, without those that were merged.
  Result<std::map<AlertState, std::int64_t>> CountAlerts();

 private:
  ConnectionPool& pool_;
};

}  // namespace schedlab::server
