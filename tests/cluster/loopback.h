#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "core/result.h"
#include "core/synchronization.h"
#include "tests/cluster/dice.h"
#include "tests/cluster/timeline.h"

namespace schedlab::testing {

// What may befall a message; all zero for a network that works.
struct MessageFaults {
  double request_loss = 0;
  double response_loss = 0;
  double duplication = 0;
  double long_delay = 0;  // of up to kLongestDelay, past the end of a lease
  double silence = 0;     // that a loss is noticed by the deadline alone
};

inline constexpr std::chrono::milliseconds kUsualDelay{10};
inline constexpr std::chrono::seconds kLongestDelay{45};
inline constexpr std::chrono::seconds kCallTimeout{20};

// The line between one worker and the coordinator.
struct Link {
  bool is_cut = false;
  int requests_to_lose = 0;
  int responses_to_lose = 0;
};

// One Synchronize call under way. Its end is told to the worker once, or never where the worker has
// died.
struct Exchange {
  std::function<void(Result<SynchronizeResponse>)> on_end;

  bool is_over() const { return on_end == nullptr; }
  void End(Result<SynchronizeResponse> result) {
    if (is_over()) return;
    const auto end = std::exchange(on_end, nullptr);
    end(std::move(result));
  }
};

// Shared between the messages on their way, the coordinator and the worker.
using ExchangeRef = std::shared_ptr<Exchange>;

// The coordinator's end: takes a request and answers it now or later, or never.
class CallTaker {
 public:
  using Respond = std::function<void(Result<SynchronizeResponse>)>;

  virtual ~CallTaker() = default;
  virtual void Take(const SynchronizeRequest& request, const ExchangeRef& exchange,
                    Respond respond) = 0;
};

// A network that loses, delays and duplicates messages.
class Loopback {
 public:
  Loopback(Timeline& timeline, Dice& dice, CallTaker& coordinator)
      : timeline_(timeline), dice_(dice), coordinator_(coordinator) {}

  void set_faults(const MessageFaults& faults) { faults_ = faults; }

  // `link` must outlive the network's messages.
  ExchangeRef Call(Link& link, const SynchronizeRequest& request,
                   std::function<void(Result<SynchronizeResponse>)> on_end);

 private:
  void Send(Link& link, const SynchronizeRequest& request, const ExchangeRef& exchange);
  void SendBack(Link& link, const Result<SynchronizeResponse>& response,
                const ExchangeRef& exchange);
  // Ends the call whose message was lost, unless that goes unnoticed.
  void BreakPerhaps(const ExchangeRef& exchange);
  std::chrono::microseconds Delay();

  Timeline& timeline_;
  Dice& dice_;
  CallTaker& coordinator_;
  MessageFaults faults_;
};

}  // namespace schedlab::testing
