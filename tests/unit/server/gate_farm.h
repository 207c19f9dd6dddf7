#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/catalog.h"
#include "core/expansion.h"
#include "server/campaigns/gate_campaign.h"

namespace schedlab::server {

// What one run of a gate is about.
struct FarmRun {
  std::string revision;
  std::string topology;
  std::int32_t repetition = 0;
};

// A gate of linux-fair under fs_mark, whose runs are carried out by a function of the test.
class GateFarm {
 public:
  // The value of files_per_sec; a run without one fails.
  using Measure = std::function<std::optional<double>(const FarmRun&)>;

  GateFarm() {
    JobSpec& suite = gate.question.suite;
    suite.project = "linux";
    suite.suite = "farm";
    suite.policies = {{.policy = "linux-fair", .revisions = "", .switches = {}}};
    suite.topologies = {"kvm-16x1", "kvm-1x16"};
    suite.workloads = {{.workload = "fs_mark", .parameters = {}}};
    suite.metrics = {"files_per_sec"};
    gate.question.candidate = "23f0d2093c78";
    gate.sides = {.baseline = OnlyId("95a79b805b935f4a7b685aa8a117d916c638323e"),
                  .candidate = OnlyId("23f0d2093c789e612185180c468fa09063834e87"),
                  .rule_taken = BaselineRule::kParent,
                  .commits_back = 1};
  }

  // Of two revisions.
  bool IsCandidate(const FarmRun& run) const { return run.revision == gate.sides.candidate.id; }

  CampaignStep Next() const {
    Result<CampaignStep> step = NextGateStep(catalog, gate, evidence, run_budget - brought_count);
    EXPECT_TRUE(step) << (step ? "" : step.error().message);
    return step ? *std::move(step) : CampaignStep{};
  }

  // Carries out the runs of a step that are not known.
  void Execute(const CampaignStep& step, const Measure& measure) {
    ++round_count;
    for (const JobSpec& spec : step.jobs) {
      const Result<ExpandedJob> job = Expand(catalog, spec);
      ASSERT_TRUE(job) << job.error().message;
      for (const PlannedRun& run : job->runs) ExecuteOnce(*job, run, measure);
    }
  }

  // Through every round to the answer.
  GateAnswer RunToItsEnd(const Measure& measure) {
    CampaignStep step = Next();
    while (!step.jobs.empty() && round_count < 20) {
      Execute(step, measure);
      step = Next();
    }
    EXPECT_TRUE(step.jobs.empty());
    return std::get<GateAnswer>(step.answer);
  }

  // Beside files_per_sec every run reports idle_ratio, where this is set.
  std::function<double(const FarmRun&)> measure_idle_ratio;
  Catalog catalog = *ParseCatalog(EmbeddedCatalogFiles());
  GateCampaign gate;
  CampaignEvidence evidence;
  std::int64_t run_budget = 1'000;
  std::int64_t brought_count = 0;
  std::int32_t round_count = 0;

 private:
  static RevisionRef OnlyId(const char* id) {
    return {.id = id, .ordinal = 0, .subject = {}, .date = {}};
  }

  void ExecuteOnce(const ExpandedJob& job, const PlannedRun& planned, const Measure& measure) {
    for (const CampaignRun& known : evidence.runs) {
      if (known.key == planned.key && known.state == RunState::kSucceeded) return;
    }
    ++brought_count;
    const FarmRun run{.revision = job.policies[planned.policy_index].revision,
                      .topology = job.scenarios[planned.scenario_index].topology.name,
                      .repetition = planned.repetition};
    const std::optional<double> value = measure(run);
    CampaignRun done{.round = round_count, .key = planned.key};
    done.state = value ? RunState::kSucceeded : RunState::kFailed;
    if (value) done.metrics.emplace("files_per_sec", *value);
    if (value && measure_idle_ratio) done.metrics.emplace("idle_ratio", measure_idle_ratio(run));
    if (!value) done.failure = "the machine is on fire";
    evidence.runs.push_back(std::move(done));
    if (value) AddSeries(job, planned, "files_per_sec");
    if (value && measure_idle_ratio) AddSeries(job, planned, "idle_ratio");
  }

  // The store has a series with the first sample.
  void AddSeries(const ExpandedJob& job, const PlannedRun& planned, const std::string& metric) {
    const Scenario& scenario = job.scenarios[planned.scenario_index];
    Series series;
    series.id = {static_cast<std::int64_t>(evidence.series.size()) + 1};
    series.key = {.project = "linux",
                  .policy = "linux-fair",
                  .variant = "",
                  .topology = scenario.topology.name,
                  .workload = scenario.workload.name,
                  .scenario_digest = job.scenario_digests[planned.scenario_index],
                  .executor = Executor::kSim,
                  .engine_version = job.engine_version,
                  .metric = metric};
    const MetricSpec& spec = **catalog.FindMetric(metric);
    series.unit = spec.unit;
    series.direction = spec.direction;
    series.role = spec.role;
    series.minimum_effect = spec.minimum_effect;
    for (const Series& known : evidence.series) {
      if (known.key == series.key) return;
    }
    evidence.series.push_back(std::move(series));
  }
};

}  // namespace schedlab::server
