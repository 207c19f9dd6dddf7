#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/campaign.h"
#include "core/false_alarms.h"
#include "core/ids.h"
#include "core/result.h"
#include "core/run.h"
#include "core/series.h"
#include "server/store/connection_pool.h"
#include "server/store/job_store.h"
#include "server/store/own_requests.h"

namespace schedlab::server {

// How long a coordinator may take to advance a campaign before another one does it.
inline constexpr std::chrono::seconds kCampaignClaim{30};
// After so many failures to take one step, a campaign has failed.
inline constexpr std::int32_t kMaxCampaignTries = 5;

// Enough to know the noise of a series by.
inline constexpr std::int64_t kMostEarlierRevisions = 40;

struct NewCampaign {
  std::string request_id;
  std::string content_digest;  // what a repeated request_id must repeat
  std::string project;
  CampaignQuestion question;
  std::int64_t run_budget = 0;
};

struct CreatedCampaign {
  Campaign campaign;
  bool is_new = false;
};

// The exclusive right to take the next step of a campaign, until it runs out or is given back.
struct CampaignClaim {
  Campaign campaign;
  std::string token;
};

// A run of a campaign's jobs. A run of several rounds counts for the first.
struct CampaignRun {
  std::int32_t round = 0;
  std::string key;  // RunKey()
  RunState state = RunState::kQueued;
  std::string failure = {};
  std::string worker_name = {};
  std::map<std::string, double> metrics = {};  // of a run that succeeded

  friend bool operator==(const CampaignRun&, const CampaignRun&) = default;
};

// By series: the samples of each of at most kMostEarlierRevisions revisions with two or more,
// without the revisions that the campaign itself runs. They were stored before the campaign was, so
// that every step sees the same.
using EarlierSamples = std::map<SeriesId, std::vector<std::vector<double>>>;

// What a campaign's jobs have measured.
struct CampaignEvidence {
  std::vector<CampaignRun> runs;  // by round, then by age
  std::vector<Series> series;     // every series that the runs' samples may belong to
  EarlierSamples earlier;         // of the headline metrics among them
};

// Which stored results count as "measured before".
struct MeasuredSearch {
  std::string project;
  std::string policy;
  std::int64_t before_ordinal = 0;
  std::vector<std::string> scenario_digests;
  Executor executor = Executor::kSim;
  std::string engine_version;
};

// What an A/A evaluation runs.
struct AaSubject {
  std::int64_t period = 0;  // of the database's time since 1970
  JobSpec suite;
  std::string policy;
  std::string revision;
};

// Campaigns in PostgreSQL. Every call is one transaction; every instant is the database's own.
// Thread-safe.
class CampaignStore {
 public:
  explicit CampaignStore(ConnectionPool& pool) : pool_(pool) {}

  // The campaign that a request created earlier, where it did. kAlreadyExists: with other content.
  Result<std::optional<Campaign>> FindCreated(const std::string& request_id,
                                              const std::string& content_digest);
  // The same request_id and content returns the first campaign; other content is kAlreadyExists.
  Result<CreatedCampaign> CreateCampaign(const NewCampaign& campaign);

  Result<Campaign> GetCampaign(CampaignId id);
  // Those of `ids` that exist.
  Result<std::vector<Campaign>> GetCampaigns(std::span<const CampaignId> ids);
  // Newest first, without their answers; every project where `project` is empty.
  Result<Page<Campaign>> ListCampaigns(const std::string& project, const PageRequest& page);
  // Cancels the campaign and those of its jobs that have not ended. One that has ended stays.
  Result<Campaign> CancelCampaign(CampaignId id);

  // A running campaign all of whose jobs have ended, claimed for `kCampaignClaim` so that no other
  // coordinator takes the same step; nullopt where there is none.
  Result<std::optional<CampaignClaim>> ClaimCampaign();
  Result<CampaignEvidence> ReadEvidence(CampaignId id);

  // Creates the jobs of the next round and stores what is known by now, in one transaction, and
  // gives the claim back. kFailedPrecondition: the claim is another's now, or the campaign has
  // ended. kResourceExhausted: the jobs would bring more runs than the budget has; nothing changes.
  Result<Campaign> StoreRound(const CampaignClaim& claim, std::span<const NewJob> jobs,
                              const CampaignAnswer& so_far);
  // Ends the campaign with its answer. May be repeated; kFailedPrecondition as above.
  Status FinishCampaign(const CampaignClaim& claim, const CampaignAnswer& answer);
  // Gives back the claim of a step that failed. After kMaxCampaignTries in a row the campaign has
  // failed, with `failure`: true then. Changes nothing where the claim is another's now.
  Result<bool> ReleaseCampaign(const CampaignClaim& claim, const std::string& failure);

  // The newest revision with results that match; nullopt where there is none.
  Result<std::optional<std::string>> FindNewestMeasured(const MeasuredSearch& search);
  // What an A/A evaluation could run where every worker is idle and the period of `interval` has
  // none yet; else nullopt.
  Result<std::optional<AaSubject>> FindAaSubject(std::chrono::seconds interval,
                                                 const std::string& engine_version);
  // The oldest alert that a bisection could narrow down: open or acknowledged, not recovered, with
  // a cell that this engine measured, none of `refused`, without a backfill and in a project where
  // none is running; else nullopt.
  Result<std::optional<AlertId>> FindAlertToBackfill(std::span<const AlertId> refused,
                                                     const std::string& engine_version);
  // By project; every one where `project` is empty. Of the last days; 0 = all.
  Result<std::vector<FalseAlarms>> CountFalseAlarms(const std::string& project,
                                                    std::int64_t day_count);
  // For telemetry.
  Result<std::int64_t> CountRunning();

 private:
  ConnectionPool& pool_;
};

}  // namespace schedlab::server
