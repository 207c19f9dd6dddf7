#include "core/topology.h"

#include <gtest/gtest.h>

namespace schedlab {
namespace {

Topology Valid() {
  Topology topology;
  topology.name = "t";
  topology.cpus = CpusFromShape("numa:2 package:1 l3:2 core:2 pu:2").value();
  topology.node_distances = {{10, 21}, {21, 10}};
  return topology;
}

TEST(TopologyTest, ShapeCountsEveryIndexMachineWide) {
  const std::vector<Cpu> cpus = CpusFromShape("numa:2 package:1 l3:2 core:2 pu:2").value();

  ASSERT_EQ(cpus.size(), 16U);
  EXPECT_EQ(cpus[0], (Cpu{.node = 0, .package = 0, .llc = 0, .core = 0, .thread = 0}));
  EXPECT_EQ(cpus[5], (Cpu{.node = 0, .package = 0, .llc = 1, .core = 2, .thread = 1}));
  EXPECT_EQ(cpus[15], (Cpu{.node = 1, .package = 1, .llc = 3, .core = 7, .thread = 1}));
}

TEST(TopologyTest, MissingShapeWordsCountOne) {
  const std::vector<Cpu> cpus = CpusFromShape("package:16").value();

  ASSERT_EQ(cpus.size(), 16U);
  EXPECT_EQ(cpus[15].llc, 15);
  EXPECT_EQ(cpus[15].node, 0);
}

TEST(TopologyTest, ShapeRefusesUnknownWordsRepeatsAndBadCounts) {
  EXPECT_EQ(CpusFromShape("socket:2").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(CpusFromShape("core:2 core:2").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(CpusFromShape("pu:2 core:2").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(CpusFromShape("core:0").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(CpusFromShape("core:x").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(CpusFromShape("core").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(CpusFromShape("core:4096 pu:2").error().code, ErrorCode::kInvalidArgument);
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

TEST(TopologyTest, NoCpusAreRefused) {
  EXPECT_EQ(Validate(Topology{}).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace schedlab
