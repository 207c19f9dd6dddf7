#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "sim/fair/switches.h"
#include "sim/make_workload.h"
#include "tests/unit/sim/runs.h"

namespace schedlab::sim {
namespace {

TEST(CatalogAgreementTest, EveryWorkloadHasTheParametersThatTheSimulatorTakes) {
  for (const WorkloadDefinition& workload : ShippedCatalog().workloads) {
    std::vector<std::string> stated;
    for (const WorkloadParameter& p : workload.parameters) {
      stated.push_back(fmt::format("{} {} {} {}", p.name, p.default_value, p.minimum, p.maximum));
    }
    std::vector<std::string> taken;
    for (const ParameterRule& rule : ParameterRulesOf(workload.name)) {
      taken.push_back(
          fmt::format("{} {} {} {}", rule.name, rule.default_value, rule.minimum, rule.maximum));
    }
    EXPECT_EQ(stated, taken) << workload.name;
  }
}

TEST(CatalogAgreementTest, TheFairPolicyHasTheSwitchesThatTheSimulatorTakes) {
  const PolicyDefinition& policy = *ShippedCatalog().FindPolicy("linux-fair").value();
  std::vector<std::string> stated;
  for (const SwitchDefinition& definition : policy.switches) {
    stated.push_back(fmt::format("{} {}: {}", definition.name, definition.default_value,
                                 fmt::join(definition.values, " ")));
  }
  std::vector<std::string> taken;
  for (const fair::KnownSwitch& known : fair::KnownSwitches()) {
    taken.push_back(
        fmt::format("{} {}: {}", known.name, known.values[0], fmt::join(known.values, " ")));
  }
  EXPECT_EQ(stated, taken);
}

TEST(CatalogAgreementTest, EveryRevisionOfEveryHistoryCanBeSimulated) {
  Scenario scenario = ShippedScenario("kvm-4x4", "spinners");
  scenario.duration_ns = 1'000'000;

  for (const PolicyDefinition& policy : ShippedCatalog().policies) {
    for (const Revision& revision : policy.revisions) {
      const std::string reference = policy.name + "@" + revision.id;
      const auto result = Simulate(scenario, ShippedPolicy(reference), 1, {});
      EXPECT_TRUE(result.has_value()) << reference;
    }
  }
}

TEST(CatalogAgreementTest, EveryMetricOfARunIsDescribed) {
  std::set<std::string> described;
  for (const MetricSpec& metric : ShippedCatalog().metrics) described.insert(metric.name);

  for (const WorkloadDefinition& workload : WorkloadsWithoutDocument()) {
    Scenario scenario = ShippedScenario("kvm-4x4", workload.name);
    scenario.duration_ns = 500'000'000;
    const RunResult result = RunTwice(scenario, ShippedPolicy("linux-fair"), 1);
    for (const auto& [name, value] : result.metrics) EXPECT_TRUE(described.contains(name)) << name;
  }
}

}  // namespace
}  // namespace schedlab::sim
