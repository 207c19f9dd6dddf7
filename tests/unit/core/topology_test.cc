#include "core/topology.h"

#include <gtest/gtest.h>

#include <string>

namespace schedlab {
namespace {

Topology Valid() {
  Topology topology;
  topology.name = "t";
  topology.cpus = CpusFromShape("numa:2 package:1 l3:2 core:2 pu:2").value();
  topology.node_distances = {{10, 21}, {21, 10}};
  return topology;
}

TEST(TopologyTest, AValidTopologyPasses) { EXPECT_TRUE(Validate(Valid()).has_value()); }

TEST(TopologyTest, GapsInNumbersAreRefused) {
  Topology topology = Valid();
  for (Cpu& cpu : topology.cpus) cpu.llc *= 2;

  EXPECT_EQ(Validate(topology).error().message,
            "topology 't': llc numbers must run from 0 without gaps");
}

TEST(TopologyTest, ACoreInTwoCachesIsRefused) {
  Topology topology = Valid();
  topology.cpus[1].llc = 1;

  EXPECT_EQ(Validate(topology).error().code, ErrorCode::kInvalidArgument);
}

TEST(TopologyTest, DistancesMustBeSquare) {
  Topology topology = Valid();
  topology.node_distances = {{10, 21}};

  EXPECT_EQ(Validate(topology).error().message,
            "topology 't': node_distances must be 2 rows of 2 numbers");
}

TEST(TopologyTest, NegativeCostsAreRefusedByName) {
  Topology topology = Valid();
  topology.costs.ipi_ns = -1;

  EXPECT_EQ(Validate(topology).error().message,
            "topology 't': cost ipi_ns = -1 is outside of 0 to 1000000000");
}

std::string RefusalOf(const Topology& topology) {
  const Status valid = Validate(topology);
  return valid ? "" : valid.error().message;
}

TEST(TopologyTest, DistancesToItselfOtherThanTenAreRefused) {
  Topology topology = Valid();
  topology.node_distances[1][1] = 11;

  EXPECT_EQ(RefusalOf(topology), "topology 't': node 1 is 11 away from itself; that must be 10");
}

TEST(TopologyTest, OtherNodesMustBeFartherThanTheOwn) {
  Topology topology = Valid();
  topology.node_distances = {{10, 10}, {10, 10}};

  EXPECT_EQ(RefusalOf(topology),
            "topology 't': node distance 10 from 0 to 1 is outside of 11 to 255");
}

TEST(TopologyTest, DistancesThatDifferByDirectionAreRefused) {
  Topology topology = Valid();
  topology.node_distances[0][1] = 16;

  EXPECT_EQ(RefusalOf(topology), "topology 't': node distance is 16 from 0 to 1, but 21 back");
}

TEST(TopologyTest, CapacitiesOutsideOfOneTo1024AreRefused) {
  Topology topology = Valid();
  topology.cpus[3].capacity = 0;
  EXPECT_EQ(RefusalOf(topology), "topology 't': CPU 3 has capacity 0; it must be from 1 to 1024");

  topology.cpus[3].capacity = 1025;
  EXPECT_NE(RefusalOf(topology), "");
}

TEST(TopologyTest, TwoThreadsOfOneNumberAreRefused) {
  Topology topology = Valid();
  topology.cpus[1].thread = 0;

  EXPECT_EQ(RefusalOf(topology), "topology 't': core 0 has two threads 0");
}

TEST(TopologyTest, AClusterInTwoCachesIsRefused) {
  Topology topology = Valid();
  for (Cpu& cpu : topology.cpus) cpu.cluster = 0;

  EXPECT_EQ(RefusalOf(topology), "topology 't': cluster 0 lies in two of the level above");
}

TEST(TopologyTest, ACacheInTwoNodesIsRefused) {
  Topology topology = Valid();
  for (Cpu& cpu : topology.cpus) cpu.llc = 0;

  EXPECT_EQ(RefusalOf(topology), "topology 't': llc 0 lies in two of the level above");
}

TEST(TopologyTest, APackageOfTwoNodesPassesAndOneThatCutsANodeDoesNot) {
  Topology topology = Valid();
  for (Cpu& cpu : topology.cpus) cpu.package = 0;
  EXPECT_EQ(RefusalOf(topology), "");

  topology.cpus = *CpusFromShape("numa:3 l3:2");
  topology.node_distances = {{10, 20, 20}, {20, 10, 20}, {20, 20, 10}};
  for (Cpu& cpu : topology.cpus) cpu.package = (cpu.llc + 1) / 2 % 2;
  EXPECT_EQ(RefusalOf(topology),
            "topology 't': package 0 and node 0 overlap without one lying in the other");
}

TEST(TopologyTest, ThreadsThatDoNoWorkBesideEachOtherAreRefused) {
  Topology topology = Valid();
  topology.costs.smt_slowdown_permille = 1000;

  EXPECT_EQ(RefusalOf(topology),
            "topology 't': cost smt_slowdown_permille = 1000 is outside of 0 to 999");
}

TEST(TopologyTest, HousekeepingThatNeverEndsIsRefused) {
  Topology topology = Valid();
  topology.housekeeping_period_ns = 1;

  EXPECT_EQ(RefusalOf(topology),
            "topology 't': housekeeping_period_ns = 1 must be 0 or at least 100000");
}

TEST(TopologyTest, ARemoteCostIsOfTheNearestNodesAndGrowsWithDistance) {
  EXPECT_EQ(RemoteCost(100, 160, 16, 16), 160);
  EXPECT_EQ(RemoteCost(100, 160, 22, 16), 220);
  EXPECT_EQ(RemoteCost(0, 150, 22, 16), 300);
}

TEST(TopologyTest, ARemoteCostBelowTheLocalOneDoesNotDependOnDistance) {
  EXPECT_EQ(RemoteCost(100, 60, 22, 16), 60);
}

TEST(TopologyTest, TheNearestDistanceLeavesTheDiagonalOut) {
  Topology topology;
  topology.node_distances = {{10, 22, 16}, {22, 10, 16}, {16, 16, 10}};
  EXPECT_EQ(NearestNodeDistance(topology), 16);

  topology.node_distances = {{10}};
  EXPECT_EQ(NearestNodeDistance(topology), 0);
}

TEST(TopologyTest, NoCpusAreRefused) {
  EXPECT_EQ(Validate(Topology{}).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace schedlab
