#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sim/fair/domains.h"
#include "tests/unit/sim/runs.h"

namespace schedlab::sim {
namespace {

// "SMT(2/2) MC(16/8)": the levels of CPU 0, each with its CPUs and its groups.
std::string LevelsOf(const Topology& topology) {
  const Machine machine(topology);
  const fair::Domains domains(machine);
  std::string text;
  for (const fair::Domain& domain : domains.Of(0)) {
    constexpr std::array kNames = {"SMT", "MC", "CPU", "NUMA"};
    text += fmt::format("{}{}({}/{})", text.empty() ? "" : " ",
                        kNames.at(static_cast<std::size_t>(domain.parameters.level)),
                        domain.span.size(), domain.groups.size());
  }
  return text;
}

std::map<std::string, std::string> LevelsOfTheCatalog() {
  std::map<std::string, std::string> levels;
  for (const Topology& topology : ShippedCatalog().topologies) {
    levels[topology.name] = LevelsOf(topology);
  }
  return levels;
}

TEST(CatalogMachinesTest, EveryMachineHasTheLevelsThatItsHardwareGives) {
  const std::map<std::string, std::string> expected = {
      {"brickland", "SMT(2/2) MC(30/15) NUMA(120/4)"},
      {"core2-quad", "MC(2/2) CPU(4/2)"},
      {"epyc-2s", "SMT(2/2) MC(16/8) CPU(128/8) NUMA(256/2)"},
      {"genoa-2s", "SMT(2/2) MC(16/8) CPU(192/12) NUMA(384/2)"},
      {"juno-r0", "MC(4/4) CPU(6/2)"},
      {"kvm-16x1", "CPU(16/16)"},
      {"kvm-1x16", "MC(16/16)"},
      {"kvm-2", "MC(2/2)"},
      {"kvm-4x4", "MC(4/4) CPU(16/4)"},
      {"nehalem-ep-2s", "SMT(2/2) MC(8/4) NUMA(16/2)"},
      {"numa-1024", "SMT(2/2) MC(16/8) CPU(128/8) NUMA(512/4) NUMA(1024/2)"},
      {"opteron-8n", "SMT(2/2) MC(8/4) NUMA(40/5) NUMA(64/2)"},
      {"snb-ep-2s", "SMT(2/2) MC(16/8) NUMA(32/2)"},
      {"tulsa-4s", "SMT(2/2) MC(4/2) CPU(16/4)"},
  };

  EXPECT_EQ(LevelsOfTheCatalog(), expected);
}

// What each CPU of a domain sees must fit together: groups cover the span, and below the nodes, as
// above those that are all one hop apart, they cover it once.
void ExpectGroupsCover(const fair::Domain& domain, const Topology& topology) {
  std::map<CpuNumber, int> seen;
  for (const fair::Group* group : domain.groups) {
    for (const CpuNumber cpu : group->cpus) ++seen[cpu];
  }
  EXPECT_EQ(seen.size(), domain.span.size()) << topology.name;
  const bool may_overlap =
      topology.name == "opteron-8n" && domain.parameters.level == fair::Level::kNuma;
  if (may_overlap) return;
  for (const CpuNumber cpu : domain.span) EXPECT_EQ(seen[cpu], 1) << topology.name << ' ' << cpu;
}

TEST(CatalogMachinesTest, TheGroupsOfEveryDomainCoverIt) {
  for (const Topology& topology : ShippedCatalog().topologies) {
    const Machine machine(topology);
    const fair::Domains domains(machine);
    const CpuNumber last = machine.cpu_count() - 1;
    for (const fair::Domain& domain : domains.Of(0)) ExpectGroupsCover(domain, topology);
    for (const fair::Domain& domain : domains.Of(last)) ExpectGroupsCover(domain, topology);
  }
}

TEST(CatalogMachinesTest, EveryMachineRunsTheSameTwice) {
  for (const Topology& topology : ShippedCatalog().topologies) {
    Scenario scenario = ShippedScenario(topology.name, "spinners");
    scenario.duration_ns = 5'000'000;

    const Result<RunResult> first = Simulate(scenario, ShippedPolicy("linux-fair"), 1, {});
    const Result<RunResult> second = Simulate(scenario, ShippedPolicy("linux-fair"), 1, {});

    ASSERT_TRUE(first) << topology.name << ": " << first.error().message;
    EXPECT_EQ(first->digest, second->digest) << topology.name;
    EXPECT_GT(first->event_count, 0) << topology.name;
  }
}

TEST(CatalogMachinesTest, TheSecondHopOfTheOpteronCostsMoreThanTheFirst) {
  const Machine machine(**ShippedCatalog().FindTopology("opteron-8n"));

  EXPECT_EQ(machine.ProbeCost(0, 8), 82);
  EXPECT_EQ(machine.ProbeCost(0, 24), 124);
  EXPECT_EQ(machine.RefillCost(8, 16), 15'000);
}

TEST(CatalogMachinesTest, ProbesOfAnotherSocketCostMoreOnABusThanOnALink) {
  const Machine tulsa(**ShippedCatalog().FindTopology("tulsa-4s"));
  const Machine nehalem(**ShippedCatalog().FindTopology("nehalem-ep-2s"));

  EXPECT_EQ(tulsa.ProbeCost(0, 15), 150);
  EXPECT_EQ(nehalem.ProbeCost(0, 15), 60);
}

}  // namespace
}  // namespace schedlab::sim
