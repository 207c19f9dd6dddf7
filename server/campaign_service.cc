#include "server/campaign_service.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "core/limits.h"
#include "proto/rpc/bisections.h"
#include "proto/rpc/campaigns.h"
#include "server/campaigns/settle_question.h"
#include "server/page_request.h"
#include "server/store/own_requests.h"
#include "server/watch_stream.h"

namespace schedlab::server {
namespace {

using CampaignStream = WatchStream<Campaign, v1::WatchCampaignResponse>;

void EncodeState(const Campaign& campaign, v1::WatchCampaignResponse& response) {
  *response.mutable_campaign() = rpc::Encode(campaign);
}

constexpr RpcMethod MethodOf(std::string_view name) {
  return {"schedlab.v1.CampaignService", name};
}

Status CheckFields(const v1::CreateCampaignRequest& request) {
  if (request.request_id().empty() || request.request_id().size() > kMaxNameLength) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("request_id must have 1 to {} characters, has {}", kMaxNameLength,
                            request.request_id().size()));
  }
  for (const std::string_view own : {kAaRequestPrefix, kBackfillRequestPrefix}) {
    if (!request.request_id().starts_with(own)) continue;
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("request_id must not begin with '{}': coordinators use these", own));
  }
  const std::int64_t most = request.has_bisection() ? kMaxBisectionRuns : kMaxCampaignRuns;
  if (request.run_budget() < 0 || request.run_budget() > most) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("run_budget must be from 0 to {}, is {}", most, request.run_budget()));
  }
  return {};
}

const JobSpec& SpecOf(const GateQuestion& question) { return question.suite; }
const JobSpec& SpecOf(const BisectionQuestion& question) { return question.probe; }

// A page of campaigns with what may be long would not fit a message.
void LeaveOutDocuments(v1::JobSpec& spec) {
  for (v1::WorkloadSelection& workload : *spec.mutable_workloads()) {
    workload.clear_document();
    workload.clear_hotplug();
    workload.clear_irq_sources();
  }
}

void LeaveOutDocuments(v1::Campaign& campaign) {
  if (campaign.has_gate()) {
    LeaveOutDocuments(*campaign.mutable_gate()->mutable_question()->mutable_suite());
  }
  if (campaign.has_bisection()) {
    LeaveOutDocuments(*campaign.mutable_bisection()->mutable_question()->mutable_probe());
  }
}

}  // namespace

CampaignService::CampaignService(const Catalog& catalog, CampaignStore& store, WorkPool& pool,
                                 Telemetry& telemetry, Listeners listeners)
    : catalog_(catalog),
      store_(store),
      pool_(pool),
      telemetry_(telemetry),
      calls_(pool, telemetry),
      listeners_(listeners) {
  for (const char* name : {"CreateCampaign", "GetCampaign", "ListCampaigns", "WatchCampaign",
                           "CancelCampaign", "GetFalseAlarms"}) {
    telemetry.DeclareMethod(MethodOf(name));
  }
}

Result<CampaignQuestion> CampaignService::Settle(const GateQuestion& question) {
  return SettleQuestion(catalog_, question, [this](const MeasuredSearch& search) {
    return store_.FindNewestMeasured(search);
  });
}

Result<CampaignQuestion> CampaignService::Settle(const BisectionQuestion& question) {
  return SettleQuestion(catalog_, question);
}

template <class Question>
Result<CreatedCampaign> CampaignService::CreateFrom(const v1::CreateCampaignRequest& request,
                                                    const Question& question,
                                                    std::int64_t default_budget) {
  const std::int64_t run_budget = request.run_budget() > 0 ? request.run_budget() : default_budget;
  std::string digest = QuestionDigest(question, run_budget);
  Result<std::optional<Campaign>> first = store_.FindCreated(request.request_id(), digest);
  if (!first) return Fail(first.error());
  if (*first) return CreatedCampaign{.campaign = std::move(**first), .is_new = false};
  Result<CampaignQuestion> settled = Settle(question);
  if (!settled) return Fail(settled.error());
  return store_.CreateCampaign({.request_id = request.request_id(),
                                .content_digest = std::move(digest),
                                .project = SpecOf(question).project,
                                .question = std::move(*settled),
                                .run_budget = run_budget});
}

Result<CreatedCampaign> CampaignService::CreateGate(const v1::CreateCampaignRequest& request) {
  const Result<GateQuestion> question = rpc::Decode(request.gate());
  if (!question) return Fail(question.error());
  return CreateFrom(request, *question, kDefaultCampaignRuns);
}

Result<CreatedCampaign> CampaignService::CreateBisection(const v1::CreateCampaignRequest& request) {
  const Result<BisectionQuestion> question = rpc::Decode(request.bisection());
  if (!question) return Fail(question.error());
  return CreateFrom(request, *question, kDefaultBisectionRuns);
}

Result<CreatedCampaign> CampaignService::Create(const v1::CreateCampaignRequest& request) {
  if (const Status checked = CheckFields(request); !checked) return Fail(checked.error());
  switch (request.question_case()) {
    case v1::CreateCampaignRequest::kGate:
      return CreateGate(request);
    case v1::CreateCampaignRequest::kBisection:
      return CreateBisection(request);
    case v1::CreateCampaignRequest::QUESTION_NOT_SET:
      break;
  }
  return Fail(ErrorCode::kInvalidArgument, "question must be set to one that this server knows");
}

grpc::ServerUnaryReactor* CampaignService::CreateCampaign(grpc::CallbackServerContext* context,
                                                          const v1::CreateCampaignRequest* request,
                                                          v1::CreateCampaignResponse* response) {
  return calls_.Run(context, MethodOf("CreateCampaign"), [this, request, response]() -> Status {
    const Result<CreatedCampaign> created = Create(*request);
    if (!created) return Fail(created.error());
    *response->mutable_campaign() = rpc::Encode(created->campaign);
    response->set_is_new(created->is_new);
    listeners_.steps.Wake();
    return {};
  });
}

grpc::ServerUnaryReactor* CampaignService::GetCampaign(grpc::CallbackServerContext* context,
                                                       const v1::GetCampaignRequest* request,
                                                       v1::GetCampaignResponse* response) {
  return calls_.Run(context, MethodOf("GetCampaign"), [this, request, response]() -> Status {
    const Result<Campaign> campaign = store_.GetCampaign(CampaignId{request->campaign_id()});
    if (!campaign) return Fail(campaign.error());
    *response->mutable_campaign() = rpc::Encode(*campaign);
    return {};
  });
}

grpc::ServerUnaryReactor* CampaignService::ListCampaigns(grpc::CallbackServerContext* context,
                                                         const v1::ListCampaignsRequest* request,
                                                         v1::ListCampaignsResponse* response) {
  return calls_.Run(context, MethodOf("ListCampaigns"), [this, request, response]() -> Status {
    const Result<PageRequest> page = PageOf(request->page_size(), request->page_token());
    if (!page) return Fail(page.error());
    const Result<Page<Campaign>> campaigns = store_.ListCampaigns(request->project(), *page);
    if (!campaigns) return Fail(campaigns.error());
    for (const Campaign& campaign : campaigns->items) {
      v1::Campaign& wire = *response->add_campaigns();
      wire = rpc::Encode(campaign);
      LeaveOutDocuments(wire);
    }
    response->set_next_page_token(campaigns->next_token);
    return {};
  });
}

grpc::ServerWriteReactor<v1::WatchCampaignResponse>* CampaignService::WatchCampaign(
    grpc::CallbackServerContext* /*context*/, const v1::WatchCampaignRequest* request) {
  const CampaignId id{request->campaign_id()};
  return StartWatch(CampaignStream::Open(MethodOf("WatchCampaign"), telemetry_, &EncodeState),
                    pool_, listeners_.campaigns, [this, id] { return store_.GetCampaign(id); });
}

grpc::ServerUnaryReactor* CampaignService::CancelCampaign(grpc::CallbackServerContext* context,
                                                          const v1::CancelCampaignRequest* request,
                                                          v1::CancelCampaignResponse* response) {
  return calls_.Run(context, MethodOf("CancelCampaign"), [this, request, response]() -> Status {
    const Result<Campaign> campaign = store_.CancelCampaign(CampaignId{request->campaign_id()});
    if (!campaign) return Fail(campaign.error());
    *response->mutable_campaign() = rpc::Encode(*campaign);
    listeners_.sync.WakeRunning();
    listeners_.jobs.Wake();
    listeners_.campaigns.Wake();
    return {};
  });
}

grpc::ServerUnaryReactor* CampaignService::GetFalseAlarms(grpc::CallbackServerContext* context,
                                                          const v1::GetFalseAlarmsRequest* request,
                                                          v1::GetFalseAlarmsResponse* response) {
  return calls_.Run(context, MethodOf("GetFalseAlarms"), [this, request, response]() -> Status {
    if (request->days() < 0 || request->days() > kMaxDays) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("days must be from 0 to {}, is {}", kMaxDays, request->days()));
    }
    const Result<std::vector<FalseAlarms>> projects =
        store_.CountFalseAlarms(request->project(), request->days());
    if (!projects) return Fail(projects.error());
    for (const FalseAlarms& one : *projects) *response->add_projects() = rpc::Encode(one);
    return {};
  });
}

}  // namespace schedlab::server
