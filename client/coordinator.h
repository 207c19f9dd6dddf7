#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/alert.h"
#include "core/campaign.h"
#include "core/change_explanation.h"
#include "core/comparison.h"
#include "core/coverage.h"
#include "core/false_alarms.h"
#include "core/job.h"
#include "core/result.h"
#include "core/run.h"
#include "core/series.h"
#include "core/worker.h"

namespace schedlab::v1 {
class CreateCampaignRequest;
}

namespace schedlab::client {

struct CreatedJob {
  Job job;
  bool is_new = false;
};

struct CreatedCampaign {
  Campaign campaign;
  bool is_new = false;
};

// What a kind of campaign is called.
struct CampaignWords {
  std::string_view kind;     // KindOf()
  std::string_view command;  // "gate": its commands begin with it
};
inline constexpr CampaignWords kGateWords{"gate", "gate"};
inline constexpr CampaignWords kBisectionWords{"bisection", "bisect"};

// Which series; an empty field matches all.
struct SeriesQuery {
  std::string project;
  std::string policy;
  std::string metric;
  std::string topology;
  std::string workload;
  bool is_headline_only = false;
};

struct CoverageRequest {
  std::string project;
  std::string policy;  // empty = every policy that has the revision
  std::string revision;
  std::int32_t neighbour_count = 0;  // 0 = the coordinator's default
  bool has_counters = false;
};

struct SeriesHistory {
  Series series;
  std::vector<Point> points;
  std::vector<SampleSummary> summaries;  // parallel to points
  std::vector<StoredChangePoint> change_points;
};

struct ComparisonQuery {
  std::string project;
  std::string policy;
  std::string variant;
  std::string baseline;
  std::string candidate;
  std::string topology;
  std::string workload;
  bool is_paired = false;
};

// How long to follow a job or a campaign, and who may end that early.
struct WatchLimits {
  std::chrono::milliseconds timeout{0};
  std::stop_token stop;
};

// A coordinator at an address. Every call has a deadline; its errors name the address and, where
// the coordinator cannot be reached, what to do. Thread-safe.
class Coordinator {
 public:
  explicit Coordinator(std::string address);
  ~Coordinator();
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  const std::string& address() const { return address_; }

  Result<CreatedJob> CreateJob(const std::string& request_id, const JobSpec& spec);
  Result<Job> GetJob(JobId id);
  Result<std::vector<Job>> ListJobs(const std::string& project, std::size_t limit);
  Result<Job> CancelJob(JobId id);
  Result<std::vector<Run>> ListRuns(JobId id);
  // Calls `on_change` with the job as it is and after every change until it has ended, through
  // restarts of the coordinator, and returns its last state. kDeadlineExceeded: the time was up;
  // kCancelled: stopped.
  Result<Job> WatchJob(JobId id, const WatchLimits& limits,
                       const std::function<void(const Job&)>& on_change);
  // Waits until a finished job's results have been searched for change points.
  Result<Job> WaitForAnalysis(JobId id, const WatchLimits& limits);

  // A budget of 0 is the coordinator's default.
  Result<CreatedCampaign> CreateGate(const std::string& request_id, const GateQuestion& question,
                                     std::int64_t run_budget);
  Result<CreatedCampaign> CreateBisection(const std::string& request_id,
                                          const BisectionQuestion& question,
                                          std::int64_t run_budget);
  // kInvalidArgument: a campaign of another kind.
  Result<Campaign> GetCampaign(const CampaignWords& words, CampaignId id);
  // Of one kind.
  Result<std::vector<Campaign>> ListCampaigns(const CampaignWords& words,
                                              const std::string& project, std::size_t limit);
  Result<Campaign> CancelCampaign(CampaignId id);
  // By project; of the last days, 0 = all.
  Result<std::vector<FalseAlarms>> GetFalseAlarms(const std::string& project,
                                                  std::int64_t day_count);
  // As WatchJob().
  Result<Campaign> WatchCampaign(const CampaignWords& words, CampaignId id,
                                 const WatchLimits& limits,
                                 const std::function<void(const Campaign&)>& on_change);

  Result<std::vector<Series>> ListSeries(const SeriesQuery& query);
  // `since` names the revision where the points begin; empty = all.
  Result<SeriesHistory> GetSeries(SeriesId id, const std::string& since = {});
  Result<Coverage> GetCoverage(const CoverageRequest& query);
  Result<RevisionComparison> Compare(const ComparisonQuery& query);
  Result<std::vector<Alert>> ListAlerts(const std::string& project,
                                        std::optional<AlertState> state = std::nullopt);
  Result<Alert> GetAlert(AlertId id);
  // The alert as it is then.
  Result<Alert> ChangeAlertState(const AlertStateChange& change);
  Result<ChangeExplanation> ExplainChange(SeriesId series, const std::string& revision);
  // Of alerts raised within so many days; 0 = all.
  Result<std::vector<AlertPrecision>> GetAlertPrecision(const std::string& project,
                                                        std::int64_t day_count);
  Result<std::vector<Worker>> ListWorkers();

 private:
  struct Stubs;
  Result<CreatedCampaign> CreateCampaign(const v1::CreateCampaignRequest& request);
  Error Explain(Error error) const;
  Error ExplainFollowing(Error error) const;

  std::string address_;
  std::unique_ptr<Stubs> stubs_;
};

}  // namespace schedlab::client
