#include "sim/fair/domains.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/topologies.h"

namespace schedlab::sim::fair {
namespace {

// "SMT(2) MC(16)": the levels of CPU 0 with what they span.
std::string LevelsOf(const std::string& shape) {
  const Machine machine(testing::FreeTopology(shape));
  const Domains domains(machine);
  std::string text;
  for (const Domain& domain : domains.Of(0)) {
    constexpr std::array kNames = {"SMT", "MC", "CPU", "NUMA"};
    text += std::string(text.empty() ? "" : " ") +
            kNames.at(static_cast<std::size_t>(domain.parameters.level)) + "(" +
            std::to_string(domain.span.size()) + "/" + std::to_string(domain.groups.size()) + ")";
  }
  return text;
}

TEST(DomainsTest, LevelsThatSpanNoMoreThanTheOneBelowAreLeftOut) {
  EXPECT_EQ(LevelsOf("package:16"), "CPU(16/16)");
  EXPECT_EQ(LevelsOf("core:16"), "MC(16/16)");
  EXPECT_EQ(LevelsOf("package:4 core:4"), "MC(4/4) CPU(16/4)");
  EXPECT_EQ(LevelsOf("numa:2 core:8 pu:2"), "SMT(2/2) MC(16/8) NUMA(32/2)");
  EXPECT_EQ(LevelsOf("core:1"), "");
}

TEST(DomainsTest, TheLocalGroupComesFirstAndTheOthersFollowByCpu) {
  const Machine machine(testing::FreeTopology("package:4"));
  const Domains domains(machine);
  std::vector<CpuNumber> firsts;
  for (const Group* group : domains.Of(2)[0].groups) firsts.push_back(group->cpus.front());

  EXPECT_EQ(firsts, (std::vector<CpuNumber>{2, 3, 0, 1}));
}

TEST(DomainsTest, TwoThreadsHaveTheKernelsCorePower) {
  const Machine machine(testing::FreeTopology("core:2 pu:2"));
  const Domains domains(machine);

  EXPECT_EQ(domains.PowerOf(0), 589);
  EXPECT_EQ(domains.Of(0)[1].groups[0]->power, 1178);
}

TEST(DomainsTest, GroupsAreSharedByTheCpusThatSeeThem) {
  const Machine machine(testing::FreeTopology("package:2 core:2"));
  const Domains domains(machine);

  EXPECT_EQ(domains.Of(0)[1].groups[0], domains.Of(3)[1].groups[1]);
}

TEST(DomainsTest, ADegenerateLevelPassesItsWishToSpreadDown) {
  const Machine machine(testing::FreeTopology("numa:2 core:8"));
  const Domains domains(machine);

  EXPECT_TRUE(domains.Of(0)[0].parameters.prefers_siblings);
  EXPECT_EQ(domains.LlcLevel(0), 0);
}

}  // namespace
}  // namespace schedlab::sim::fair
