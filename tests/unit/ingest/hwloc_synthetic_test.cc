#include "ingest/hwloc_synthetic.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/ingest/machine_counts.h"

namespace schedlab::ingest {
namespace {

ImportedTopology Import(std::string_view text) {
  const auto imported = TopologyFromHwlocSynthetic(text, {.name = "m"});
  EXPECT_TRUE(imported) << text << ": " << imported.error().message;
  return imported.value_or(ImportedTopology{});
}

std::string Counts(std::string_view text) { return CountsOf(Import(text).topology); }

std::string RefusalOf(std::string_view text) {
  const auto imported = TopologyFromHwlocSynthetic(text, {.name = "m"});
  if (imported) return "";
  EXPECT_EQ(imported.error().code, ErrorCode::kInvalidArgument);
  return imported.error().message;
}

std::vector<std::int32_t> OsIndexesByCore(const ImportedTopology& imported, std::int32_t core) {
  std::vector<std::int32_t> indexes;
  for (std::size_t cpu = 0; cpu < imported.topology.cpus.size(); ++cpu) {
    if (imported.topology.cpus[cpu].core == core) indexes.push_back(imported.os_indexes[cpu]);
  }
  return indexes;
}

TEST(HwlocSyntheticTest, ShortWordsAndAnUntypedLastLevelAreRead) {
  EXPECT_EQ(Counts("pack:2 core:2 2"), "1 nodes, 2 packages, 4 llcs, 4 clusters, 4 cores, 8 cpus");
  EXPECT_EQ(Counts("so:2 l3:1 co:2 pu:2"),
            "1 nodes, 2 packages, 2 llcs, 4 clusters, 4 cores, 8 cpus");
}

TEST(HwlocSyntheticTest, MemoryInBracketsBelongsToTheLevelBeforeIt) {
  EXPECT_EQ(Counts("pack:2 [numa(memory=1GB)] l2:2 core:2 pu:2"),
            "2 nodes, 2 packages, 4 llcs, 8 clusters, 8 cores, 16 cpus");
  EXPECT_EQ(Counts("[NUMANode] Package:2 L3Cache:2(size=1MB) Core:1 PU:1"),
            "1 nodes, 2 packages, 4 llcs, 4 clusters, 4 cores, 4 cpus");
}

TEST(HwlocSyntheticTest, ALevelWithoutMeaningMultipliesTheNextOne) {
  EXPECT_EQ(Counts("die:2 [numa] core:4 pu:1"),
            "2 nodes, 2 packages, 8 llcs, 8 clusters, 8 cores, 8 cpus");
  EXPECT_EQ(Counts("group:2 group3:2 pack:2 l3:1 core:2 l1d:1 l1i:1 pu:1"),
            "1 nodes, 8 packages, 8 llcs, 16 clusters, 16 cores, 16 cpus");
}

TEST(HwlocSyntheticTest, NodesMayLieInAPackage) {
  EXPECT_EQ(Counts("pack:2 numa:2 l3:2 core:2 pu:1"),
            "4 nodes, 2 packages, 8 llcs, 16 clusters, 16 cores, 16 cpus");
}

TEST(HwlocSyntheticTest, ACacheThatReachesAcrossNodesIsCutByThem) {
  EXPECT_EQ(Counts("l3:1 numa:2 core:2 pu:1"),
            "2 nodes, 2 packages, 2 llcs, 4 clusters, 4 cores, 4 cpus");
}

TEST(HwlocSyntheticTest, CoresUnderOneL2BelowAnL3AreACluster) {
  EXPECT_EQ(Counts("l3:1 l2:4 core:4 pu:1"),
            "1 nodes, 1 packages, 1 llcs, 4 clusters, 16 cores, 16 cpus");
}

TEST(HwlocSyntheticTest, CachesInACoreBelongToIt) {
  EXPECT_EQ(Counts("core:2 l2:2 pu:2"), "1 nodes, 1 packages, 2 llcs, 2 clusters, 2 cores, 8 cpus");
}

TEST(HwlocSyntheticTest, WithoutCoresEveryCpuIsOne) {
  EXPECT_EQ(Counts("pack:2 pu:4"), "1 nodes, 2 packages, 8 llcs, 8 clusters, 8 cores, 8 cpus");
}

// What lstopo 2.9 --of synthetic makes of each.
TEST(HwlocSyntheticTest, UntypedLevelsGetTheTypesThatHwlocGivesThem) {
  EXPECT_EQ(Counts("2"), Counts("pu:2"));
  EXPECT_EQ(Counts("2 3"), Counts("numa:2 pu:3"));
  EXPECT_EQ(Counts("2 3 4"), Counts("pack:2 numa:3 pu:4"));
  EXPECT_EQ(Counts("2 3 4 5"), Counts("pack:2 numa:3 core:4 pu:5"));
  EXPECT_EQ(Counts("2 2 2 2 2 2"), Counts("pack:2 numa:2 l2:2 l1:2 core:2 pu:2"));
  EXPECT_EQ(Counts("2 2 2 2 2 2 2 2 2"),
            Counts("group:2 pack:2 numa:2 l3:2 l2:2 l1:2 l1i:2 core:2 pu:2"));
}

TEST(HwlocSyntheticTest, CpusHaveTheIndexesThatAreListed) {
  const ImportedTopology imported = Import("numa:2 core:2 pu:2(indexes=0,2,4,6,1,3,5,7)");

  EXPECT_EQ(imported.os_indexes, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(OsIndexesByCore(imported, 0), (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(imported.topology.cpus[1].node, 1);
}

TEST(HwlocSyntheticTest, IndexesMayBeLoopsOrLevels) {
  const ImportedTopology levels = Import("pack:2 core:2 pu:2(indexes=core:pack)");
  const ImportedTopology loops = Import("pack:2 core:2 pu:2(indexes=2*4:1*2)");
  const ImportedTopology listed = Import("pack:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)");

  EXPECT_EQ(levels.topology.cpus, listed.topology.cpus);
  EXPECT_EQ(loops.topology.cpus, listed.topology.cpus);
  EXPECT_EQ(OsIndexesByCore(listed, 0), (std::vector<std::int32_t>{0, 4}));
}

TEST(HwlocSyntheticTest, GapsBetweenIndexesAreClosed) {
  const ImportedTopology imported = Import("core:3 pu:1(indexes=8,0,4)");

  EXPECT_EQ(imported.os_indexes, (std::vector<std::int32_t>{0, 4, 8}));
  EXPECT_EQ(imported.topology.cpus.size(), 3U);
}

TEST(HwlocSyntheticTest, NodesHaveTheIndexesThatAreListed) {
  EXPECT_EQ(Import("numa:2(indexes=1,0) core:1 pu:1").topology.cpus[0].node, 1);
  EXPECT_EQ(Import("pack:2 [numa(memory=1GB indexes=1,0)] core:1 pu:1").topology.cpus[0].node, 1);
}

TEST(HwlocSyntheticTest, OnlyTheInnermostMemoryIsACpusNode) {
  const ImportedTopology imported = Import("[numa] pack:2 [numa(memory=1GB)] [numa] core:2 pu:1");

  EXPECT_EQ(CountsOf(imported.topology),
            "2 nodes, 2 packages, 4 llcs, 4 clusters, 4 cores, 4 cpus");
  EXPECT_EQ(imported.notes.front(), "left out: 2 NUMA nodes a level that are no CPU's nearest");
}

TEST(HwlocSyntheticTest, NodesWithoutDistancesAreTwentyApart) {
  const ImportedTopology imported = Import("numa:2 core:1 pu:1");

  EXPECT_EQ(imported.topology.node_distances,
            (std::vector<std::vector<std::int32_t>>{{10, 20}, {20, 10}}));
  EXPECT_EQ(imported.notes.front(), "no node distances are given: every two nodes are 20 apart");
}

TEST(HwlocSyntheticTest, WordsThatHwlocDoesNotKnowAreRefusedByName) {
  EXPECT_EQ(RefusalOf("pack:2 tile:2 pu:1"),
            "hwloc synthetic string: an unknown type of level at 'tile:2 pu:1'");
  EXPECT_EQ(RefusalOf("machine:2 pu:1"),
            "hwloc synthetic string: an unknown type of level at 'machine:2 pu:1'");
  EXPECT_EQ(RefusalOf("p:2 pu:1"),
            "hwloc synthetic string: an unknown type of level at 'p:2 pu:1'");
  EXPECT_EQ(RefusalOf("l6:2 pu:1"),
            "hwloc synthetic string: an unknown type of level at 'l6:2 pu:1'");
  EXPECT_EQ(RefusalOf("[core] pu:2"),
            "hwloc synthetic string: something in brackets that is no memory at '[core] pu:2'");
}

TEST(HwlocSyntheticTest, CountsThatAreAbsurdAreRefused) {
  EXPECT_EQ(RefusalOf("core:0 pu:1"),
            "hwloc synthetic string: no number of objects from 1 to 4096 at '0 pu:1'");
  EXPECT_EQ(RefusalOf("core:-1 pu:1"),
            "hwloc synthetic string: no number of objects from 1 to 4096 at '-1 pu:1'");
  EXPECT_EQ(RefusalOf("core:99999999999999999999 pu:1"),
            "hwloc synthetic string: no number of objects from 1 to 4096 at "
            "'99999999999999999999 pu:1'");
  EXPECT_EQ(RefusalOf("core:4096 pu:4096"), "hwloc synthetic string: has more than 4096 CPUs");
  EXPECT_EQ(RefusalOf("group:4096 group:4096 group:4096 group:4096 group:4096 pu:1"),
            "hwloc synthetic string: has more than 4096 CPUs");
}

TEST(HwlocSyntheticTest, StringsThatAreCutOffAreRefused) {
  EXPECT_EQ(RefusalOf(""), "hwloc synthetic string: has no level");
  EXPECT_NE(RefusalOf("core"), "");
  EXPECT_NE(RefusalOf("core:"), "");
  EXPECT_NE(RefusalOf("core:2 pu:2(indexes=0,1"), "");
  EXPECT_NE(RefusalOf("core:2 pu:2(indexes="), "");
  EXPECT_NE(RefusalOf("pack:2 [numa"), "");
  EXPECT_EQ(RefusalOf("pack:2 core:2"),
            "hwloc synthetic string: the last level is 'core'; it must be pu");
}

TEST(HwlocSyntheticTest, ContradictionsAreRefused) {
  EXPECT_EQ(RefusalOf("numa:2 [numa] core:2 pu:1"),
            "hwloc synthetic string: NUMA nodes both as a level and in brackets");
  EXPECT_EQ(RefusalOf("core:2 core:2 pu:1"), "hwloc synthetic string: level 'core' stands twice");
  EXPECT_EQ(RefusalOf("pack:2 4 pu:1"),
            "hwloc synthetic string: some levels have a type and some have none");
}

TEST(HwlocSyntheticTest, AttributesOfAnotherObjectAreRefused) {
  EXPECT_EQ(RefusalOf("core:2(size=1MB) pu:1"),
            "hwloc synthetic string: an attribute that this object does not have at 'size=1MB) "
            "pu:1'");
  EXPECT_EQ(RefusalOf("l3:2(size=big) pu:1"),
            "hwloc synthetic string: no size at 'size=big) pu:1'");
}

TEST(HwlocSyntheticTest, IndexesThatDoNotFitAreRefused) {
  EXPECT_EQ(RefusalOf("core:2 pu:2(indexes=0,1,2)"),
            "hwloc synthetic string: indexes=0,1,2 has 3 numbers for 4 objects");
  EXPECT_EQ(RefusalOf("core:2 pu:2(indexes=0,1,2,2)"),
            "hwloc synthetic string: indexes=0,1,2,2 gives two objects one number");
  EXPECT_EQ(RefusalOf("core:2 pu:2(indexes=0,1,2,70000)"),
            "hwloc synthetic string: indexes=0,1,2,70000 has '70000'");
  EXPECT_EQ(RefusalOf("numa:2 core:4 pu:2(indexes=2*4:1*2)"),
            "hwloc synthetic string: indexes=2*4:1*2 covers 8 of 16 objects");
  EXPECT_EQ(RefusalOf("core:2 pu:2(indexes=0*2:1*2)"),
            "hwloc synthetic string: indexes=0*2:1*2 has '0*2', which is no step*number");
  EXPECT_EQ(RefusalOf("core:2 pu:2(indexes=l3)"),
            "hwloc synthetic string: indexes=l3 has 'l3', which is no level above");
  EXPECT_EQ(RefusalOf("core:2 pu:2(indexes=core:core)"),
            "hwloc synthetic string: indexes=core:core names a level twice");
}

}  // namespace
}  // namespace schedlab::ingest
