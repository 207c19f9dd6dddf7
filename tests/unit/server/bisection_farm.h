#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/campaign_json.h"
#include "core/catalog.h"
#include "core/expansion.h"
#include "server/campaigns/bisection_campaign.h"
#include "server/campaigns/bisection_range.h"

namespace schedlab::server {

// What one run of a bisection is about.
struct ProbedRun {
  std::int64_t ordinal = 0;
  std::int32_t repetition = 0;
  std::int32_t round = 0;
};

// A bisection of linux-fair under fs_mark from v3.11 on, whose runs are carried out by a function
// of the test.
class BisectionFarm {
 public:
  // The value of files_per_sec; a run without one fails.
  using Measure = std::function<std::optional<double>(const ProbedRun&)>;

  BisectionFarm() {
    BisectionQuestion& question = bisection.question;
    question.probe.project = "linux";
    question.probe.suite = "farm";
    question.probe.policies = {{.policy = "linux-fair", .revisions = "", .switches = {}}};
    question.probe.topologies = {"kvm-16x1"};
    question.probe.workloads = {{.workload = "fs_mark", .parameters = {}}};
    question.metric = "files_per_sec";
    question.good = "v3.11";
    question.bad = "b18855500fc4";
    question.worker_count = 4;
    Settle();
  }

  void Settle() {
    Result<BisectionRange> range = ResolveRange(catalog, bisection.question);
    ASSERT_TRUE(range) << range.error().message;
    bisection.range = *std::move(range);
  }

  // As a coordinator that has only what is stored.
  CampaignStep Next() const {
    const Result<CampaignAnswer> stored = CampaignAnswerFromJson(ToJson(CampaignAnswer(so_far)));
    EXPECT_TRUE(stored);
    Result<CampaignStep> step =
        NextBisectionCampaignStep(catalog, bisection, std::get<BisectionAnswer>(*stored).probes,
                                  evidence, run_budget - brought_count);
    EXPECT_TRUE(step) << (step ? "" : step.error().message);
    return step ? *std::move(step) : CampaignStep{};
  }

  // Stores the step and carries out its runs that are not known.
  void Execute(const CampaignStep& step, const Measure& measure) {
    ++round_count;
    so_far = std::get<BisectionAnswer>(step.answer);
    for (const JobSpec& spec : step.jobs) {
      const Result<ExpandedJob> job = Expand(catalog, spec);
      ASSERT_TRUE(job) << job.error().message;
      for (const PlannedRun& run : job->runs) ExecuteOnce(*job, run, measure);
    }
  }

  // Through every round to the answer.
  BisectionAnswer RunToItsEnd(const Measure& measure) {
    CampaignStep step = Next();
    while (!step.jobs.empty() && round_count < 200) {
      Execute(step, measure);
      step = Next();
    }
    EXPECT_TRUE(step.jobs.empty());
    return std::get<BisectionAnswer>(step.answer);
  }

  Catalog catalog = *ParseCatalog(EmbeddedCatalogFiles());
  BisectionCampaign bisection;
  BisectionAnswer so_far;
  CampaignEvidence evidence;
  std::int64_t run_budget = 400;
  std::int64_t brought_count = 0;
  std::int32_t round_count = 0;

 private:
  void ExecuteOnce(const ExpandedJob& job, const PlannedRun& planned, const Measure& measure) {
    for (const CampaignRun& known : evidence.runs) {
      if (known.key == planned.key && known.state == RunState::kSucceeded) return;
    }
    ++brought_count;
    const std::optional<double> value =
        measure({.ordinal = job.revisions[planned.policy_index].ordinal,
                 .repetition = planned.repetition,
                 .round = round_count});
    CampaignRun done{.round = round_count, .key = planned.key};
    done.state = value ? RunState::kSucceeded : RunState::kFailed;
    if (value) done.metrics.emplace("files_per_sec", *value);
    if (!value) done.failure = "the machine is on fire";
    evidence.runs.push_back(std::move(done));
  }
};

}  // namespace schedlab::server
