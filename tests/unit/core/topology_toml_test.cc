#include "core/topology_toml.h"

#include <gtest/gtest.h>

#include "core/catalog.h"

namespace schedlab {
namespace {

Topology Irregular() {
  Topology topology;
  topology.name = "a \"b\" \\ c";
  topology.description = "two\nlines\tand a bell \x07 and \x7f, \xc3\xa4";
  topology.cpus = {{.llc = 0, .core = 0, .capacity = 446},
                   {.llc = 1, .core = 1},
                   {.llc = 0, .core = 2, .capacity = 446}};
  topology.node_distances = {{10}};
  topology.tick_hz = 1000;
  topology.housekeeping_period_ns = 0;
  std::int64_t cost = 900;
  for (const CostField& field : kCostFields) topology.costs.*field.member = ++cost;
  return topology;
}

TEST(TopologyTomlTest, AnIrregularMachineIsReadBackEqual) {
  const Result<Topology> read = TopologyFromToml(ToToml(Irregular()), "t.toml");

  ASSERT_TRUE(read) << read.error().message << ToToml(Irregular());
  EXPECT_EQ(*read, Irregular());
}

TEST(TopologyTomlTest, EveryTopologyOfTheCatalogIsReadBackEqual) {
  const Catalog catalog = ParseCatalog(EmbeddedCatalogFiles()).value();

  for (const Topology& topology : catalog.topologies) {
    const Result<Topology> read = TopologyFromToml(ToToml(topology), "t.toml");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, topology);
  }
}

TEST(TopologyTomlTest, ARegularMachineIsWrittenAsAShape) {
  Topology topology = Irregular();
  topology.cpus = *CpusFromShape("package:2 core:2 pu:2");

  EXPECT_NE(ToToml(topology).find("shape = \"numa:1 package:2 l3:1 core:2 pu:2\"\n"),
            std::string::npos);
}

std::string RefusalOf(std::string_view keys) {
  const Result<Topology> read = TopologyFromToml(
      "name = \"t\"\ndescription = \"\"\nnode_distances = [[10]]\n" + std::string(keys), "t.toml");
  return read ? "" : read.error().message;
}

TEST(TopologyTomlTest, RowsThatAreShortAreRefused) {
  EXPECT_EQ(RefusalOf("cpus = [[0, 0, 0, 0, 0, 0]]"),
            "t.toml:4: key 'cpus': row 0 has 6 numbers; it must have node, package, llc, cluster, "
            "core, thread and capacity");
}

TEST(TopologyTomlTest, ShapeAndRowsTogetherAreRefused) {
  EXPECT_EQ(RefusalOf("shape = \"core:1\"\ncpus = [[0, 0, 0, 0, 0, 0, 1024]]"),
            "t.toml:4: key 'shape': stands beside cpus; one of them is enough");
}

TEST(TopologyTomlTest, NeitherShapeNorRowsIsRefused) {
  EXPECT_EQ(RefusalOf(""), "t.toml:1: key 'shape': is missing");
}

TEST(TopologyTomlTest, NumbersThatDoNotFitAreRefusedAndNotWrapped) {
  EXPECT_NE(RefusalOf("cpus = [[0, 0, 0, 0, 0, 0, 4294968320]]").find("capacity 2147483647"),
            std::string::npos);
  EXPECT_NE(RefusalOf("shape = \"core:1\"\ntick_hz = 4294967396").find("tick_hz = 2147483647"),
            std::string::npos);
}

TEST(TopologyTomlTest, ANumberOutOfBoundsIsRefusedAtItsOwnLine) {
  const std::string shape = "shape = \"core:1\"\n";

  EXPECT_EQ(RefusalOf(shape + "tick_hz = 0").find("t.toml:5: key 'tick_hz': "), 0U);
  EXPECT_EQ(RefusalOf(shape + "housekeeping_period_ns = 5")
                .find("t.toml:5: key 'housekeeping_period_ns': "),
            0U);
  EXPECT_EQ(RefusalOf(shape + "\n[costs]\nwakeup_ns = 1\nipi_ns = -1")
                .find("t.toml:8: key 'costs.ipi_ns': "),
            0U);
}

TEST(TopologyTomlTest, ATreeThatIsWrongIsRefusedAtTheLineOfItsCpus) {
  EXPECT_EQ(RefusalOf("\ncpus = [[0, 0, 0, 0, 1, 0, 1024]]").find("t.toml:5: key 'cpus': "), 0U);
  EXPECT_EQ(RefusalOf("shape = \"numa:2\"").find("t.toml:3: key 'node_distances': "), 0U);
}

TEST(TopologyTomlTest, AnUnknownCostIsRefusedWithTheNearestName) {
  EXPECT_EQ(RefusalOf("shape = \"core:1\"\n[costs]\nipi_n = 1"),
            "t.toml:6: key 'costs.ipi_n': 'ipi_n' is not a cost (did you mean 'ipi_ns'?)");
}

}  // namespace
}  // namespace schedlab
