#pragma once

#include <vector>

#include "core/campaign.h"
#include "core/catalog.h"
#include "core/job.h"
#include "core/result.h"
#include "server/store/campaign_store.h"

namespace schedlab::server {

// What a campaign does next: the jobs of another round, or nothing more.
struct CampaignStep {
  std::vector<JobSpec> jobs;  // together they bring no more runs than are left of the budget
  CampaignAnswer answer;      // so far; final where there are no jobs
};

// The next step of any kind of campaign: a pure function of its question and of what its jobs have
// measured, so that whoever asks again, after whatever has died, gets the same step. Runs that
// failed are evidence like others. An error is one of the question: it cannot be asked (any more).
Result<CampaignStep> NextStep(const Catalog& catalog, const Campaign& campaign,
                              const CampaignEvidence& evidence);

}  // namespace schedlab::server
