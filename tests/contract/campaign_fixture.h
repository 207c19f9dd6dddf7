#pragma once

#include <string_view>
#include <vector>

#include "core/catalog.h"
#include "core/engine_version.h"
#include "core/log.h"
#include "server/campaigns/campaign_loop.h"
#include "server/store/campaign_store.h"
#include "server/telemetry.h"
#include "tests/contract/analysis_fixture.h"
#include "tests/support/fake_clock.h"

namespace schedlab::testing {

// A coordinator's campaigns, whose runs the test carries out.
class CampaignFixture : public AnalysisFixture {
 protected:
  // What a run measures in files per second.
  virtual double Value(const RunSpec& spec) const = 0;

  // As a worker: carries out whatever is queued. False where nothing is.
  bool ExecuteQueued() {
    WorkerIdentity worker = MakeWorker("w1");
    worker.engine_version = kEngineVersion;
    std::vector<AttemptReport> reports;
    for (const Lease& lease : ValueOf(jobs_.AcquireLeases(worker, 1000)).leases) {
      reports.push_back({.attempt = lease.attempt, .outcome = MakeResult(Value(lease.spec))});
    }
    ValueOf(jobs_.CompleteAttempts("w1", reports));
    return !reports.empty();
  }

  // Takes every step that is due; as a coordinator that has just started.
  void Advance() {
    server::CampaignLoop loop(catalog_, campaigns_, log_, telemetry_,
                              [this] { ++advanced_count_; });
    EXPECT_TRUE(loop.AdvanceCampaigns({}));
  }

  Campaign RunToItsEnd(CampaignId id) {
    do {
      Advance();
    } while (ExecuteQueued());
    return ValueOf(campaigns_.GetCampaign(id));
  }

  Catalog catalog_ = *ParseCatalog(EmbeddedCatalogFiles());
  FakeClock clock_;
  Log log_{clock_, LogLevel::kError, [](std::string_view line) { ADD_FAILURE() << line; }};
  server::Telemetry telemetry_;
  server::CampaignStore campaigns_{pool_};
  int advanced_count_ = 0;  // calls of the loop's listener: a step each
};

}  // namespace schedlab::testing
