#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/catalog.h"
#include "sim/simulate.h"

namespace schedlab::sim {

// The catalog that ships, which the tests below take for granted.
inline const Catalog& ShippedCatalog() {
  static const Catalog kCatalog = ParseCatalog(EmbeddedCatalogFiles()).value();
  return kCatalog;
}

// The parsers of documents are not linked here.
inline std::vector<WorkloadDefinition> WorkloadsWithoutDocument() {
  std::vector<WorkloadDefinition> workloads;
  for (const WorkloadDefinition& workload : ShippedCatalog().workloads) {
    if (workload.document_format.empty()) workloads.push_back(workload);
  }
  return workloads;
}

inline Scenario ShippedScenario(const std::string& topology, const std::string& workload,
                                const std::map<std::string, std::int64_t>& parameters = {}) {
  Scenario scenario;
  scenario.topology = *ShippedCatalog().FindTopology(topology).value();
  scenario.workload = ResolveWorkload(ShippedCatalog(), workload, parameters).value();
  scenario.duration_ns = ShippedCatalog().FindWorkload(workload).value()->duration_ns;
  return scenario;
}

inline PolicySpec ShippedPolicy(const std::string& reference,
                                const std::map<std::string, std::string>& switches = {}) {
  return ResolvePolicy(ShippedCatalog(), reference, switches).value();
}

// A policy with nothing but what is given.
inline PolicySpec BarePolicy(const std::string& name,
                             const std::map<std::string, std::string>& switches) {
  PolicySpec policy;
  policy.name = name;
  policy.switches = switches;
  return policy;
}

// Runs twice and expects the same result in every detail.
inline RunResult RunTwice(const Scenario& scenario, const PolicySpec& policy, std::uint64_t seed) {
  const Result<RunResult> first = Simulate(scenario, policy, seed, {});
  const Result<RunResult> second = Simulate(scenario, policy, seed, {});
  EXPECT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(first.value(), second.value()) << "seed " << seed;
  return *first;
}

}  // namespace schedlab::sim
