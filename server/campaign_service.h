#pragma once

#include "core/catalog.h"
#include "schedlab/v1/campaigns.grpc.pb.h"
#include "server/call_runner.h"
#include "server/loop.h"
#include "server/store/campaign_store.h"
#include "server/sync_hub.h"
#include "server/watch_hub.h"

namespace schedlab::server {

// schedlab.v1.CampaignService. All references must outlive it.
class CampaignService final : public v1::CampaignService::CallbackService {
 public:
  // Who wants to hear of what a call did.
  struct Listeners {
    SyncHub& sync;
    WatchHub& jobs;
    CampaignWatchHub& campaigns;
    Loop& steps;
  };

  CampaignService(const Catalog& catalog, CampaignStore& store, WorkPool& pool,
                  Telemetry& telemetry, Listeners listeners);

  grpc::ServerUnaryReactor* CreateCampaign(grpc::CallbackServerContext* context,
                                           const v1::CreateCampaignRequest* request,
                                           v1::CreateCampaignResponse* response) override;
  grpc::ServerUnaryReactor* GetCampaign(grpc::CallbackServerContext* context,
                                        const v1::GetCampaignRequest* request,
                                        v1::GetCampaignResponse* response) override;
  grpc::ServerUnaryReactor* ListCampaigns(grpc::CallbackServerContext* context,
                                          const v1::ListCampaignsRequest* request,
                                          v1::ListCampaignsResponse* response) override;
  grpc::ServerWriteReactor<v1::WatchCampaignResponse>* WatchCampaign(
      grpc::CallbackServerContext* context, const v1::WatchCampaignRequest* request) override;
  grpc::ServerUnaryReactor* CancelCampaign(grpc::CallbackServerContext* context,
                                           const v1::CancelCampaignRequest* request,
                                           v1::CancelCampaignResponse* response) override;

 private:
  Result<CreatedCampaign> Create(const v1::CreateCampaignRequest& request);
  Result<CreatedCampaign> CreateGate(const v1::CreateCampaignRequest& request);
  Result<CreatedCampaign> CreateBisection(const v1::CreateCampaignRequest& request);
  // Settled is a question once, when it is new.
  template <class Question>
  Result<CreatedCampaign> CreateFrom(const v1::CreateCampaignRequest& request,
                                     const Question& question, std::int64_t default_budget);
  Result<CampaignQuestion> Settle(const GateQuestion& question);
  Result<CampaignQuestion> Settle(const BisectionQuestion& question);

  const Catalog& catalog_;
  CampaignStore& store_;
  WorkPool& pool_;
  Telemetry& telemetry_;
  CallRunner calls_;
  Listeners listeners_;
};

}  // namespace schedlab::server
