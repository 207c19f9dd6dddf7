#pragma once

#include <functional>
#include <vector>

#include "server/lease_grace.h"
#include "server/store/job_store.h"
#include "tests/cluster/dice.h"
#include "tests/cluster/loopback.h"
#include "tests/cluster/timeline.h"

namespace schedlab::testing {

// A coordinator without threads: answers calls through server::Synchronize(), holds back those that
// have nothing to tell, and sweeps expired leases. It keeps nothing but the calls that it holds.
class ClusterCoordinator final : public CallTaker {
 public:
  ClusterCoordinator(server::JobStore& store, Timeline& timeline, Dice& dice);

  void Take(const SynchronizeRequest& request, const ExchangeRef& exchange,
            Respond respond) override;

  // Down, it breaks the calls that it holds and refuses new ones.
  void Stop();
  void Start();

 private:
  struct HeldCall {
    SynchronizeRequest request;
    ExchangeRef exchange;
    Respond respond;
    std::chrono::microseconds until{};
  };

  // Whether the call was answered.
  bool Answer(const HeldCall& call);
  void Poll();
  void Sweep();

  server::JobStore& store_;
  Timeline& timeline_;
  Dice& dice_;
  bool is_up_ = true;
  std::vector<HeldCall> held_;
  server::LeaseGrace grace_;
};

}  // namespace schedlab::testing
