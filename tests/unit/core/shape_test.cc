#include "core/shape.h"

#include <gtest/gtest.h>

#include "core/limits.h"

namespace schedlab {
namespace {

TEST(ShapeTest, ShapeCountsEveryIndexMachineWide) {
  const std::vector<Cpu> cpus = CpusFromShape("numa:2 package:1 l3:2 core:2 pu:2").value();

  ASSERT_EQ(cpus.size(), 16U);
  EXPECT_EQ(cpus[0], (Cpu{.node = 0, .package = 0, .llc = 0, .core = 0, .thread = 0}));
  EXPECT_EQ(cpus[5], (Cpu{.node = 0, .package = 0, .llc = 1, .core = 2, .thread = 1}));
  EXPECT_EQ(cpus[15], (Cpu{.node = 1, .package = 1, .llc = 3, .core = 7, .thread = 1}));
}

TEST(ShapeTest, MissingShapeWordsCountOne) {
  const std::vector<Cpu> cpus = CpusFromShape("package:16").value();

  ASSERT_EQ(cpus.size(), 16U);
  EXPECT_EQ(cpus[15].llc, 15);
  EXPECT_EQ(cpus[15].node, 0);
}

TEST(ShapeTest, WithoutClustersEveryCoreIsItsOwn) {
  const std::vector<Cpu> cpus = CpusFromShape("core:4 pu:2").value();

  EXPECT_EQ(cpus[7].core, 3);
  EXPECT_EQ(cpus[7].cluster, 3);
}

TEST(ShapeTest, ClustersGatherCoresBelowTheCache) {
  const std::vector<Cpu> cpus = CpusFromShape("l3:2 cluster:2 core:3").value();

  ASSERT_EQ(cpus.size(), 12U);
  EXPECT_EQ(cpus[11], (Cpu{.llc = 1, .core = 11, .cluster = 3}));
  EXPECT_EQ(cpus[5].cluster, 1);
}

TEST(ShapeTest, APackageMayHoldNodes) {
  const std::vector<Cpu> cpus = CpusFromShape("package:2 numa:2 core:2").value();

  EXPECT_EQ(cpus[5], (Cpu{.node = 2, .package = 1, .llc = 2, .core = 5}));
}

TEST(ShapeTest, ShapeRefusesUnknownWordsRepeatsAndBadCounts) {
  EXPECT_EQ(CpusFromShape("socket:2").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(CpusFromShape("core:2 core:2").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(CpusFromShape("numa:2 package:1 numa:2").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(CpusFromShape("pu:2 core:2").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(CpusFromShape("core:0").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(CpusFromShape("core:x").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(CpusFromShape("core").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(CpusFromShape("core:4096 pu:2").error().message,
            "shape: 'core:4096 pu:2' has more than 4096 CPUs");
}

TEST(ShapeTest, LevelsRefuseCountsThatWouldOverflow) {
  const std::int64_t huge = std::int64_t{1} << 62;

  EXPECT_FALSE(ExpandLevels({{MachineLevel::kPackage, huge}, {MachineLevel::kCore, huge}}));
  EXPECT_FALSE(ExpandLevels({{MachineLevel::kPackage, 0}}));
  EXPECT_FALSE(ExpandLevels({{MachineLevel::kPackage, -1}}));
}

TEST(ShapeTest, AShapeIsFoundAgain) {
  EXPECT_EQ(ShapeOf(*CpusFromShape("numa:2 core:8 pu:2")), "numa:2 package:1 l3:1 core:8 pu:2");
  EXPECT_EQ(ShapeOf(*CpusFromShape("package:2 numa:4 core:8")),
            "package:2 numa:4 l3:1 core:8 pu:1");
  EXPECT_EQ(ShapeOf(*CpusFromShape("l3:2 cluster:2 core:3")),
            "numa:1 package:1 l3:2 cluster:2 core:3 pu:1");
}

TEST(ShapeTest, CpusThatAreNotInTheOrderOfTheTreeHaveNoShape) {
  std::vector<Cpu> cpus = *CpusFromShape("core:2 pu:2");
  std::swap(cpus[1], cpus[2]);

  EXPECT_EQ(ShapeOf(cpus), std::nullopt);
  EXPECT_EQ(ShapeOf({}), std::nullopt);
}

}  // namespace
}  // namespace schedlab
