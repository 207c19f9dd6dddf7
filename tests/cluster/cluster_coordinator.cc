#include "tests/cluster/cluster_coordinator.h"

#include <algorithm>
#include <utility>

#include "core/limits.h"
#include "server/synchronize.h"

namespace schedlab::testing {
namespace {

constexpr std::chrono::milliseconds kPollInterval{250};
constexpr std::chrono::milliseconds kSweepInterval{1000};
constexpr std::int64_t kJitterSteps = 1000;

Error Down() { return {ErrorCode::kUnavailable, "the coordinator is down"}; }

}  // namespace

ClusterCoordinator::ClusterCoordinator(server::JobStore& store, Timeline& timeline, Dice& dice)
    : store_(store), timeline_(timeline), dice_(dice), grace_(kLeaseTtl) {
  timeline_.After(kPollInterval, [this] { Poll(); });
  timeline_.After(kSweepInterval, [this] { Sweep(); });
}

void ClusterCoordinator::Take(const SynchronizeRequest& request, const ExchangeRef& exchange,
                              Respond respond) {
  if (!is_up_) return respond(Fail(Down()));
  HeldCall call{.request = request,
                .exchange = exchange,
                .respond = std::move(respond),
                .until = timeline_.now() + server::LongestWait(request, kLeaseTtl)};
  if (!Answer(call)) held_.push_back(std::move(call));
}

void ClusterCoordinator::Stop() {
  is_up_ = false;
  for (const HeldCall& call : std::exchange(held_, {})) call.respond(Fail(Down()));
}

void ClusterCoordinator::Start() {
  is_up_ = true;
  grace_ = server::LeaseGrace(kLeaseTtl);
}

bool ClusterCoordinator::Answer(const HeldCall& call) {
  Result<server::Synchronization> done = server::Synchronize(store_, call.request);
  if (!done) {
    call.respond(Fail(done.error()));
    return true;
  }
  SynchronizeResponse& response = done->response;
  if (!server::HasNews(response) && timeline_.now() < call.until) return false;
  const double jitter = static_cast<double>(dice_.Below(kJitterSteps)) / kJitterSteps;
  response.next_call_in = server::NextCallIn(call.request, response, kLeaseTtl, jitter);
  call.respond(std::move(response));
  return true;
}

void ClusterCoordinator::Poll() {
  timeline_.After(kPollInterval, [this] { Poll(); });
  std::erase_if(held_, [this](const HeldCall& call) {
    // Nobody waits for it any more: an answer would only lease runs into the void.
    return call.exchange->is_over() || Answer(call);
  });
}

void ClusterCoordinator::Sweep() {
  timeline_.After(kSweepInterval, [this] { Sweep(); });
  const server::LeaseGrace::Time now(timeline_.now());
  if (!is_up_ || !grace_.IsOver(now)) return;
  // A failed sweep is repeated when the time of grace is over.
  if (!store_.ExpireLeases()) grace_.BeginAnew(now);
}

}  // namespace schedlab::testing
