#include "tests/cluster/loopback.h"

#include <utility>

namespace schedlab::testing {
namespace {

Error Broken() { return {ErrorCode::kUnavailable, "the connection broke"}; }

bool UseUp(int& count) {
  if (count == 0) return false;
  --count;
  return true;
}

}  // namespace

ExchangeRef Loopback::Call(Link& link, const SynchronizeRequest& request,
                           std::function<void(Result<SynchronizeResponse>)> on_end) {
  const auto exchange = std::make_shared<Exchange>(Exchange{.on_end = std::move(on_end)});
  timeline_.After(kCallTimeout, [exchange] {
    exchange->End(Fail(ErrorCode::kDeadlineExceeded, "no answer in time"));
  });
  Send(link, request, exchange);
  if (dice_.Chance(faults_.duplication)) Send(link, request, exchange);
  return exchange;
}

void Loopback::Send(Link& link, const SynchronizeRequest& request, const ExchangeRef& exchange) {
  if (UseUp(link.requests_to_lose) || dice_.Chance(faults_.request_loss)) {
    BreakPerhaps(exchange);
    return;
  }
  timeline_.After(Delay(), [this, &link, request, exchange] {
    if (link.is_cut) return BreakPerhaps(exchange);
    coordinator_.Take(request, exchange,
                      [this, &link, exchange](const Result<SynchronizeResponse>& response) {
                        SendBack(link, response, exchange);
                      });
  });
}

void Loopback::SendBack(Link& link, const Result<SynchronizeResponse>& response,
                        const ExchangeRef& exchange) {
  if (UseUp(link.responses_to_lose) || dice_.Chance(faults_.response_loss)) {
    BreakPerhaps(exchange);
    return;
  }
  timeline_.After(Delay(), [this, &link, response, exchange] {
    if (link.is_cut) return BreakPerhaps(exchange);
    exchange->End(response);
  });
}

void Loopback::BreakPerhaps(const ExchangeRef& exchange) {
  if (dice_.Chance(faults_.silence)) return;
  timeline_.After(kUsualDelay, [exchange] { exchange->End(Fail(Broken())); });
}

std::chrono::microseconds Loopback::Delay() {
  if (dice_.Chance(faults_.long_delay)) return dice_.Between(kUsualDelay, kLongestDelay);
  return kUsualDelay;
}

}  // namespace schedlab::testing
