#include "client/coordinator.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <utility>

#include "client/number_format.h"
#include "client/outage.h"
#include "core/limits.h"
#include "core/mutex.h"
#include "proto/rpc/alerts.h"
#include "proto/rpc/bisections.h"
#include "proto/rpc/campaigns.h"
#include "proto/rpc/channel.h"
#include "proto/rpc/comparison.h"
#include "proto/rpc/fleet.h"
#include "proto/rpc/jobs.h"
#include "proto/rpc/results.h"
#include "proto/rpc/status.h"
#include "schedlab/v1/alerts.grpc.pb.h"
#include "schedlab/v1/campaigns.grpc.pb.h"
#include "schedlab/v1/comparison.grpc.pb.h"
#include "schedlab/v1/fleet.grpc.pb.h"
#include "schedlab/v1/jobs.grpc.pb.h"
#include "schedlab/v1/results.grpc.pb.h"

namespace schedlab::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds kCallTakesAtMost{30};
constexpr milliseconds kPollPeriod{200};
// How long a job that is being followed survives without its coordinator.
constexpr seconds kOutageTakesAtMost{60};

template <class Message>
using DecodedValue = typename decltype(rpc::Decode(std::declval<const Message&>()))::value_type;

template <class Messages>
auto DecodeAll(const Messages& messages)
    -> Result<std::vector<DecodedValue<typename Messages::value_type>>> {
  std::vector<DecodedValue<typename Messages::value_type>> values;
  for (const auto& message : messages) {
    auto value = rpc::Decode(message);
    if (!value) return Fail(value.error());
    values.push_back(std::move(*value));
  }
  return values;
}

template <class T>
void Append(std::vector<T>& all, std::vector<T> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

milliseconds TimeLeft(steady_clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  return std::max(left, milliseconds{1});
}

// Waits, unless a stop is requested before.
void Pause(const std::stop_token& stop, milliseconds duration) {
  Mutex mutex;
  ConditionVariable condition;
  const std::stop_callback wake(stop, [&condition] { condition.NotifyAll(); });
  const auto end = steady_clock::now() + duration;
  const MutexLock lock(mutex);
  while (!stop.stop_requested() && steady_clock::now() < end) {
    condition.WaitFor(mutex, std::min(TimeLeft(end), kPollPeriod));
  }
}

// What is followed, for people.
struct Followed {
  std::string_view noun;  // "job"
  std::string command;    // "job watch"
  std::int64_t id = 0;
};

Error TimeIsUp(const Followed& followed, const WatchLimits& limits) {
  return {
      ErrorCode::kDeadlineExceeded,
      fmt::format("{} {} has not ended within {}; it continues: follow it with `schedlab {} {}`",
                  followed.noun, followed.id, FormatElapsed(limits.timeout), followed.command,
                  followed.id)};
}

std::optional<Error> WhyToEnd(const Followed& followed, const WatchLimits& limits,
                              steady_clock::time_point deadline) {
  if (limits.stop.stop_requested()) {
    return Error{ErrorCode::kCancelled,
                 fmt::format("interrupted while following {} {}", followed.noun, followed.id)};
  }
  if (steady_clock::now() < deadline) return std::nullopt;
  return TimeIsUp(followed, limits);
}

Followed FollowedJob(JobId id) { return {"job", "job watch", id.value}; }
Followed FollowedCampaign(const CampaignWords& words, CampaignId id) {
  return {words.kind, fmt::format("{} watch", words.command), id.value};
}

Status CheckKind(const CampaignWords& words, const Campaign& campaign) {
  const std::string_view kind = KindOf(campaign.question);
  if (kind == words.kind) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("campaign {} is a {}, not a {}", campaign.id.value, kind, words.kind));
}

// Follows through restarts of the coordinator. `open(context)` starts a stream, `show(response)`
// shows a state and returns whether it is the last, or why it cannot be read.
template <class Response, class Open, class Show>
Status Follow(const Followed& followed, const WatchLimits& limits, Open open, Show show) {
  const auto deadline = steady_clock::now() + limits.timeout;
  Outage outage;
  bool has_answered = false;
  while (true) {
    grpc::ClientContext context;
    rpc::SetDeadline(context, TimeLeft(deadline));
    const std::stop_callback cancel(limits.stop, [&context] { context.TryCancel(); });
    const auto reader = open(context);
    bool is_over = false;
    Response response;
    while (reader->Read(&response)) {
      const Result<bool> is_last = show(response);
      if (!is_last) return Fail(is_last.error());
      is_over = *is_last;
      has_answered = true;
      outage.Answered();
    }
    const grpc::Status status = reader->Finish();
    outage.Broke(steady_clock::now());
    if (status.ok() && is_over) return {};
    if (const std::optional<Error> end = WhyToEnd(followed, limits, deadline)) return Fail(*end);
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
      return Fail(TimeIsUp(followed, limits));
    }
    // A coordinator that stops or dies ends the stream; what is followed goes on without it.
    const bool is_outage = status.ok() || status.error_code() == grpc::StatusCode::UNAVAILABLE ||
                           status.error_code() == grpc::StatusCode::CANCELLED;
    if (!is_outage || !has_answered ||
        outage.IsLongerThan(kOutageTakesAtMost, steady_clock::now())) {
      return Fail(rpc::FromGrpc(status));
    }
    Pause(limits.stop, kPollPeriod);
  }
}

}  // namespace

struct Coordinator::Stubs {
  explicit Stubs(const std::shared_ptr<grpc::Channel>& channel)
      : jobs(v1::JobService::NewStub(channel)),
        series(v1::SeriesService::NewStub(channel)),
        comparison(v1::ComparisonService::NewStub(channel)),
        alerts(v1::AlertService::NewStub(channel)),
        fleet(v1::FleetService::NewStub(channel)),
        campaigns(v1::CampaignService::NewStub(channel)) {}

  // One unary call with the usual deadline.
  template <class Response, class Stub, class Method, class Request>
  Result<Response> Call(Stub& stub, Method method, const Request& request) {
    grpc::ClientContext context;
    rpc::SetDeadline(context, kCallTakesAtMost);
    Response response;
    const grpc::Status status = (stub.*method)(&context, request, &response);
    if (!status.ok()) return Fail(rpc::FromGrpc(status));
    return response;
  }

  std::unique_ptr<v1::JobService::Stub> jobs;
  std::unique_ptr<v1::SeriesService::Stub> series;
  std::unique_ptr<v1::ComparisonService::Stub> comparison;
  std::unique_ptr<v1::AlertService::Stub> alerts;
  std::unique_ptr<v1::FleetService::Stub> fleet;
  std::unique_ptr<v1::CampaignService::Stub> campaigns;
};

Coordinator::Coordinator(std::string address)
    : address_(std::move(address)), stubs_(std::make_unique<Stubs>(rpc::MakeChannel(address_))) {}

Coordinator::~Coordinator() = default;

Error Coordinator::Explain(Error error) const {
  if (error.code == ErrorCode::kUnavailable) {
    error.message = fmt::format(
        "no coordinator answers at {} ({}): start one with `schedlab dev`, or name another with "
        "--server or SCHEDLAB_SERVER",
        address_, error.message);
  } else if (error.code == ErrorCode::kDeadlineExceeded) {
    error.message = fmt::format("the coordinator at {} did not answer within {} s ({})", address_,
                                kCallTakesAtMost.count(), error.message);
  }
  return error;
}

// That the time is up says itself what to do.
Error Coordinator::ExplainFollowing(Error error) const {
  return error.code == ErrorCode::kDeadlineExceeded ? error : Explain(std::move(error));
}

Result<CreatedJob> Coordinator::CreateJob(const std::string& request_id, const JobSpec& spec) {
  v1::CreateJobRequest request;
  request.set_request_id(request_id);
  *request.mutable_spec() = rpc::Encode(spec);
  const auto response =
      stubs_->Call<v1::CreateJobResponse>(*stubs_->jobs, &v1::JobService::Stub::CreateJob, request);
  if (!response) return Fail(Explain(response.error()));
  Result<Job> job = rpc::Decode(response->job());
  if (!job) return Fail(job.error());
  return CreatedJob{std::move(*job), response->is_new()};
}

Result<Job> Coordinator::GetJob(JobId id) {
  v1::GetJobRequest request;
  request.set_job_id(id.value);
  const auto response =
      stubs_->Call<v1::GetJobResponse>(*stubs_->jobs, &v1::JobService::Stub::GetJob, request);
  if (!response) return Fail(Explain(response.error()));
  return rpc::Decode(response->job());
}

Result<std::vector<Job>> Coordinator::ListJobs(const std::string& project, std::size_t limit) {
  std::vector<Job> jobs;
  v1::ListJobsRequest request;
  request.set_project(project);
  request.set_page_size(static_cast<std::int32_t>(std::min<std::size_t>(limit, kMaxPageSize)));
  do {
    const auto response =
        stubs_->Call<v1::ListJobsResponse>(*stubs_->jobs, &v1::JobService::Stub::ListJobs, request);
    if (!response) return Fail(Explain(response.error()));
    auto page = DecodeAll(response->jobs());
    if (!page) return Fail(page.error());
    Append(jobs, std::move(*page));
    request.set_page_token(response->next_page_token());
  } while (!request.page_token().empty() && jobs.size() < limit);
  if (jobs.size() > limit) jobs.resize(limit);
  return jobs;
}

Result<Job> Coordinator::CancelJob(JobId id) {
  v1::CancelJobRequest request;
  request.set_job_id(id.value);
  const auto response =
      stubs_->Call<v1::CancelJobResponse>(*stubs_->jobs, &v1::JobService::Stub::CancelJob, request);
  if (!response) return Fail(Explain(response.error()));
  return rpc::Decode(response->job());
}

Result<std::vector<Run>> Coordinator::ListRuns(JobId id) {
  std::vector<Run> runs;
  v1::ListRunsRequest request;
  request.set_job_id(id.value);
  request.set_page_size(kMaxPageSize);
  do {
    const auto response =
        stubs_->Call<v1::ListRunsResponse>(*stubs_->jobs, &v1::JobService::Stub::ListRuns, request);
    if (!response) return Fail(Explain(response.error()));
    auto page = DecodeAll(response->runs());
    if (!page) return Fail(page.error());
    Append(runs, std::move(*page));
    request.set_page_token(response->next_page_token());
  } while (!request.page_token().empty());
  return runs;
}

Result<Job> Coordinator::WatchJob(JobId id, const WatchLimits& limits,
                                  const std::function<void(const Job&)>& on_change) {
  v1::WatchJobRequest request;
  request.set_job_id(id.value);
  Job last;
  const Status followed = Follow<v1::WatchJobResponse>(
      FollowedJob(id), limits,
      [&](grpc::ClientContext& context) { return stubs_->jobs->WatchJob(&context, request); },
      [&](const v1::WatchJobResponse& response) -> Result<bool> {
        Result<Job> job = rpc::Decode(response.job());
        if (!job) return Fail(job.error());
        last = std::move(*job);
        on_change(last);
        return last.state != JobState::kRunning;
      });
  if (!followed) return Fail(ExplainFollowing(followed.error()));
  return last;
}

Result<Job> Coordinator::WaitForAnalysis(JobId id, const WatchLimits& limits) {
  const auto deadline = steady_clock::now() + limits.timeout;
  while (true) {
    Result<Job> job = GetJob(id);
    if (!job && job.error().code != ErrorCode::kUnavailable) return job;
    if (job && job->is_analyzed) return job;
    if (const std::optional<Error> end = WhyToEnd(FollowedJob(id), limits, deadline)) {
      return Fail(*end);
    }
    Pause(limits.stop, kPollPeriod);
  }
}

Result<std::vector<Series>> Coordinator::ListSeries(const SeriesQuery& query) {
  std::vector<Series> series;
  v1::ListSeriesRequest request;
  request.set_project(query.project);
  request.set_policy(query.policy);
  request.set_metric(query.metric);
  request.set_topology(query.topology);
  request.set_workload(query.workload);
  request.set_headline_only(query.is_headline_only);
  request.set_page_size(kMaxPageSize);
  do {
    const auto response = stubs_->Call<v1::ListSeriesResponse>(
        *stubs_->series, &v1::SeriesService::Stub::ListSeries, request);
    if (!response) return Fail(Explain(response.error()));
    auto page = DecodeAll(response->series());
    if (!page) return Fail(page.error());
    Append(series, std::move(*page));
    request.set_page_token(response->next_page_token());
  } while (!request.page_token().empty());
  return series;
}

Result<Coverage> Coordinator::GetCoverage(const CoverageRequest& query) {
  v1::GetCoverageRequest request;
  request.set_project(query.project);
  request.set_policy(query.policy);
  request.set_revision(query.revision);
  request.set_neighbour_count(query.neighbour_count);
  request.set_has_counters(query.has_counters);
  const auto response = stubs_->Call<v1::GetCoverageResponse>(
      *stubs_->series, &v1::SeriesService::Stub::GetCoverage, request);
  if (!response) return Fail(Explain(response.error()));
  return rpc::Decode(*response);
}

Result<SeriesHistory> Coordinator::GetSeries(SeriesId id, const std::string& since) {
  v1::GetSeriesRequest request;
  request.set_since_revision(since);
  request.set_series_id(id.value);
  const auto response = stubs_->Call<v1::GetSeriesResponse>(
      *stubs_->series, &v1::SeriesService::Stub::GetSeries, request);
  if (!response) return Fail(Explain(response.error()));
  auto series = rpc::Decode(response->series());
  if (!series) return Fail(series.error());
  auto points = DecodeAll(response->points());
  if (!points) return Fail(points.error());
  auto change_points = DecodeAll(response->change_points());
  if (!change_points) return Fail(change_points.error());
  SeriesHistory history{std::move(*series), std::move(*points), {}, std::move(*change_points)};
  for (const v1::Point& point : response->points()) {
    auto summary = rpc::Decode(point.summary());
    if (!summary) return Fail(summary.error());
    history.summaries.push_back(*summary);
  }
  return history;
}

Result<RevisionComparison> Coordinator::Compare(const ComparisonQuery& query) {
  v1::CompareRevisionsRequest request;
  request.set_project(query.project);
  request.set_policy(query.policy);
  request.set_variant(query.variant);
  request.set_baseline_revision(query.baseline);
  request.set_candidate_revision(query.candidate);
  request.set_topology(query.topology);
  request.set_workload(query.workload);
  request.set_is_paired(query.is_paired);
  const auto response = stubs_->Call<v1::CompareRevisionsResponse>(
      *stubs_->comparison, &v1::ComparisonService::Stub::CompareRevisions, request);
  if (!response) return Fail(Explain(response.error()));
  return rpc::Decode(*response);
}

Result<std::vector<Alert>> Coordinator::ListAlerts(const std::string& project,
                                                   std::optional<AlertState> state) {
  std::vector<Alert> alerts;
  v1::ListAlertsRequest request;
  request.set_project(project);
  if (state) request.set_state(rpc::Encode(*state));
  request.set_page_size(kMaxPageSize);
  do {
    const auto response = stubs_->Call<v1::ListAlertsResponse>(
        *stubs_->alerts, &v1::AlertService::Stub::ListAlerts, request);
    if (!response) return Fail(Explain(response.error()));
    auto page = DecodeAll(response->alerts());
    if (!page) return Fail(page.error());
    Append(alerts, std::move(*page));
    request.set_page_token(response->next_page_token());
  } while (!request.page_token().empty());
  return alerts;
}

Result<Alert> Coordinator::GetAlert(AlertId id) {
  v1::GetAlertRequest request;
  request.set_alert_id(id.value);
  const auto response = stubs_->Call<v1::GetAlertResponse>(
      *stubs_->alerts, &v1::AlertService::Stub::GetAlert, request);
  if (!response) return Fail(Explain(response.error()));
  return rpc::Decode(response->alert());
}

Result<Alert> Coordinator::ChangeAlertState(const AlertStateChange& change) {
  const auto response = stubs_->Call<v1::ChangeAlertStateResponse>(
      *stubs_->alerts, &v1::AlertService::Stub::ChangeAlertState, rpc::Encode(change));
  if (!response) return Fail(Explain(response.error()));
  return rpc::Decode(response->alert());
}

Result<ChangeExplanation> Coordinator::ExplainChange(SeriesId series, const std::string& revision) {
  v1::ExplainChangeRequest request;
  request.set_series_id(series.value);
  request.set_revision(revision);
  const auto response = stubs_->Call<v1::ExplainChangeResponse>(
      *stubs_->alerts, &v1::AlertService::Stub::ExplainChange, request);
  if (!response) return Fail(Explain(response.error()));
  return rpc::Decode(*response);
}

Result<std::vector<AlertPrecision>> Coordinator::GetAlertPrecision(const std::string& project,
                                                                   std::int64_t day_count) {
  v1::GetAlertPrecisionRequest request;
  request.set_project(project);
  request.set_days(day_count);
  const auto response = stubs_->Call<v1::GetAlertPrecisionResponse>(
      *stubs_->alerts, &v1::AlertService::Stub::GetAlertPrecision, request);
  if (!response) return Fail(Explain(response.error()));
  return DecodeAll(response->projects());
}

Result<std::vector<Worker>> Coordinator::ListWorkers() {
  const auto response = stubs_->Call<v1::ListWorkersResponse>(
      *stubs_->fleet, &v1::FleetService::Stub::ListWorkers, v1::ListWorkersRequest());
  if (!response) return Fail(Explain(response.error()));
  return DecodeAll(response->workers());
}

Result<CreatedCampaign> Coordinator::CreateCampaign(const v1::CreateCampaignRequest& request) {
  const auto response = stubs_->Call<v1::CreateCampaignResponse>(
      *stubs_->campaigns, &v1::CampaignService::Stub::CreateCampaign, request);
  if (!response) return Fail(Explain(response.error()));
  Result<Campaign> campaign = rpc::Decode(response->campaign());
  if (!campaign) return Fail(campaign.error());
  return CreatedCampaign{std::move(*campaign), response->is_new()};
}

Result<CreatedCampaign> Coordinator::CreateGate(const std::string& request_id,
                                                const GateQuestion& question,
                                                std::int64_t run_budget) {
  v1::CreateCampaignRequest request;
  request.set_request_id(request_id);
  *request.mutable_gate() = rpc::Encode(question);
  request.set_run_budget(run_budget);
  return CreateCampaign(request);
}

Result<CreatedCampaign> Coordinator::CreateBisection(const std::string& request_id,
                                                     const BisectionQuestion& question,
                                                     std::int64_t run_budget) {
  v1::CreateCampaignRequest request;
  request.set_request_id(request_id);
  *request.mutable_bisection() = rpc::Encode(question);
  request.set_run_budget(run_budget);
  return CreateCampaign(request);
}

Result<Campaign> Coordinator::GetCampaign(const CampaignWords& words, CampaignId id) {
  v1::GetCampaignRequest request;
  request.set_campaign_id(id.value);
  const auto response = stubs_->Call<v1::GetCampaignResponse>(
      *stubs_->campaigns, &v1::CampaignService::Stub::GetCampaign, request);
  if (!response) return Fail(Explain(response.error()));
  Result<Campaign> campaign = rpc::Decode(response->campaign());
  if (!campaign) return Fail(campaign.error());
  if (const Status kind = CheckKind(words, *campaign); !kind) return Fail(kind.error());
  return campaign;
}

Result<std::vector<Campaign>> Coordinator::ListCampaigns(const CampaignWords& words,
                                                         const std::string& project,
                                                         std::size_t limit) {
  std::vector<Campaign> campaigns;
  v1::ListCampaignsRequest request;
  request.set_project(project);
  request.set_page_size(static_cast<std::int32_t>(std::min<std::size_t>(limit, kMaxPageSize)));
  do {
    const auto response = stubs_->Call<v1::ListCampaignsResponse>(
        *stubs_->campaigns, &v1::CampaignService::Stub::ListCampaigns, request);
    if (!response) return Fail(Explain(response.error()));
    auto page = DecodeAll(response->campaigns());
    if (!page) return Fail(page.error());
    std::erase_if(*page, [&words](const Campaign& campaign) {
      return KindOf(campaign.question) != words.kind;
    });
    Append(campaigns, std::move(*page));
    request.set_page_token(response->next_page_token());
  } while (!request.page_token().empty() && campaigns.size() < limit);
  if (campaigns.size() > limit) campaigns.resize(limit);
  return campaigns;
}

Result<Campaign> Coordinator::CancelCampaign(CampaignId id) {
  v1::CancelCampaignRequest request;
  request.set_campaign_id(id.value);
  const auto response = stubs_->Call<v1::CancelCampaignResponse>(
      *stubs_->campaigns, &v1::CampaignService::Stub::CancelCampaign, request);
  if (!response) return Fail(Explain(response.error()));
  return rpc::Decode(response->campaign());
}

Result<std::vector<FalseAlarms>> Coordinator::GetFalseAlarms(const std::string& project,
                                                             std::int64_t day_count) {
  v1::GetFalseAlarmsRequest request;
  request.set_project(project);
  request.set_days(day_count);
  const auto response = stubs_->Call<v1::GetFalseAlarmsResponse>(
      *stubs_->campaigns, &v1::CampaignService::Stub::GetFalseAlarms, request);
  if (!response) return Fail(Explain(response.error()));
  return DecodeAll(response->projects());
}

Result<Campaign> Coordinator::WatchCampaign(const CampaignWords& words, CampaignId id,
                                            const WatchLimits& limits,
                                            const std::function<void(const Campaign&)>& on_change) {
  v1::WatchCampaignRequest request;
  request.set_campaign_id(id.value);
  Campaign last;
  const Status followed = Follow<v1::WatchCampaignResponse>(
      FollowedCampaign(words, id), limits,
      [&](grpc::ClientContext& context) {
        return stubs_->campaigns->WatchCampaign(&context, request);
      },
      [&](const v1::WatchCampaignResponse& response) -> Result<bool> {
        Result<Campaign> campaign = rpc::Decode(response.campaign());
        if (!campaign) return Fail(campaign.error());
        if (const Status kind = CheckKind(words, *campaign); !kind) return Fail(kind.error());
        last = std::move(*campaign);
        on_change(last);
        return last.state != CampaignState::kRunning;
      });
  if (!followed) return Fail(ExplainFollowing(followed.error()));
  return last;
}

}  // namespace schedlab::client
