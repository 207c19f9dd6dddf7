#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalog.h"
#include "ingest/rt_app.h"
#include "sim/run.h"
#include "sim/workloads/task_script.h"
#include "tests/support/topologies.h"

namespace schedlab::testing {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): durations only

// What the CPUs of a run did, as far as the tests ask.
class RunLog final : public sim::Observer {
 public:
  void Switched(sim::SimTime at, sim::CpuNumber cpu, const sim::Task* previous,
                const sim::Task* next) override {
    if (previous != nullptr) {
      last_left_[previous->name] = at;
      NotePriority(*previous);
    }
    if (next == nullptr) return;
    NotePriority(*next);
    ++starts_[next->name];
    cpus_[next->name].insert(cpu);
    used_cpus_.insert(cpu);
    if (next->name != last_started_) order_.push_back(next->name);
    last_started_ = next->name;
    first_started_.emplace(next->name, at);
  }
  void Woken(sim::SimTime /*at*/, sim::CpuNumber /*by*/, const sim::Task* /*actor*/,
             const sim::Task& task) override {
    ++wakeups_[task.name];
  }
  void Created(sim::SimTime /*at*/, sim::CpuNumber /*by*/, const sim::Task* /*actor*/,
               const sim::Task& /*task*/) override {}
  void Migrated(sim::SimTime /*at*/, const sim::Task& /*task*/, sim::CpuNumber /*from*/,
                sim::CpuNumber /*to*/) override {}

  std::map<std::string, int> starts_;
  std::map<std::string, int> wakeups_;
  std::map<std::string, std::set<sim::CpuNumber>> cpus_;
  std::map<std::string, sim::SimTime> first_started_;
  std::map<std::string, sim::SimTime> last_left_;
  std::set<sim::CpuNumber> used_cpus_;
  std::map<std::string, std::set<std::int32_t>> rt_priorities_;  // while a real-time task
  std::vector<std::string> order_;  // of the tasks that started, repeats left out

 private:
  void NotePriority(const sim::Task& task) {
    if (!IsRealTime(task.attributes.policy)) return;
    rt_priorities_[task.name].insert(task.attributes.rt_priority);
  }

  std::string last_started_;
};

struct RtAppRun {
  RunResult result;
  std::vector<sim::ScriptThreadReport> reports;
  RunLog log;
  std::string deadlock;

  const sim::ScriptThreadReport& Of(std::string_view name) const {
    for (const sim::ScriptThreadReport& report : reports) {
      if (report.name == name) return report;
    }
    ADD_FAILURE() << "no thread " << name;
    return reports.front();
  }
  double WorkMs(std::string_view name) const {
    return static_cast<double>(sim::Ns(Of(name).work_done)) / 1e6;
  }
};

struct RtAppSetup {
  std::string_view shape = "core:1";
  sim::SimDuration duration{100ms};
  std::string policy = "linux-fair@v3.13";
  std::map<std::string, std::int64_t> parameters{};
};

inline RtAppRun RunOnce(const RtAppSetup& setup, const TaskScript& script,
                        const Topology& topology) {
  static const Catalog kCatalog = ParseCatalog(EmbeddedCatalogFiles()).value();
  const PolicySpec policy = ResolvePolicy(kCatalog, setup.policy, {}).value();
  const WorkloadSpec spec{.name = "rt_app", .parameters = setup.parameters};
  sim::TaskScriptWorkload workload(
      script, sim::Parameters::Resolve(spec, sim::TaskScriptWorkload::kRules).value());
  RtAppRun run;
  run.result = sim::Run({.topology = topology,
                         .policy = policy,
                         .duration = setup.duration,
                         .seed = 1,
                         .observer = &run.log,
                         .deadlock = &run.deadlock,
                         .event_limit = 1'000'000},
                        workload, {})
                   .value();
  run.reports = workload.Reports();
  return run;
}

// Runs an rt-app file twice on a machine without costs and expects the same digest.
inline RtAppRun RunRtApp(const RtAppSetup& setup, std::string_view text) {
  const Result<ingest::RtAppFile> file = ingest::ParseRtApp(text);
  EXPECT_TRUE(file.has_value()) << file.error().message;
  const Topology topology = FreeTopology(setup.shape);
  RtAppRun run = RunOnce(setup, file->script, topology);
  EXPECT_EQ(RunOnce(setup, file->script, topology).result.digest, run.result.digest);
  return run;
}

}  // namespace schedlab::testing
