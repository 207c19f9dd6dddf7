#include "ingest/imported_topology.h"

#include <gtest/gtest.h>

namespace schedlab::ingest {
namespace {

TEST(ImportedTopologyTest, CpusAreNumberedInTheOrderOfTheirSystem) {
  DescribedMachine machine;
  machine.cpus = {{.os_index = 7, .cluster = 3, .core = 3},
                  {.os_index = 2, .cluster = 9, .core = 9},
                  {.os_index = 5, .cluster = 3, .core = 3}};
  const auto imported = Assemble(machine, {.name = "m"});

  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->os_indexes, (std::vector<std::int32_t>{2, 5, 7}));
  EXPECT_EQ(imported->topology.cpus[0].core, 0);
  EXPECT_EQ(imported->topology.cpus[2], (Cpu{.core = 1, .thread = 1}));
}

TEST(ImportedTopologyTest, CapacitiesAreRelativeToTheLargest) {
  DescribedMachine machine;
  machine.cpus = {{.os_index = 0, .core = 0, .capacity = 512},
                  {.os_index = 1, .core = 1, .capacity = 256},
                  {.os_index = 2, .core = 2, .capacity = 0}};
  const auto imported = Assemble(machine, {.name = "m"});

  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->topology.cpus[0].capacity, 1024);
  EXPECT_EQ(imported->topology.cpus[1].capacity, 512);
  EXPECT_EQ(imported->topology.cpus[2].capacity, 1);
}

TEST(ImportedTopologyTest, OfDistancesThatDifferTheLargerCounts) {
  DescribedMachine machine;
  machine.cpus = {{.os_index = 0, .node = 4, .llc = 0, .core = 0},
                  {.os_index = 1, .node = 9, .llc = 1, .core = 1}};
  machine.distances = {{{4, 4}, 10}, {{4, 9}, 16}, {{9, 4}, 22}, {{9, 9}, 10}};
  const auto imported = Assemble(machine, {.name = "m"});

  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->topology.node_distances[0][1], 22);
  EXPECT_EQ(imported->notes.front(), "distances differ by direction: the larger one counts");
}

TEST(ImportedTopologyTest, CostsAndNameAreThoseOfTheOptions) {
  DescribedMachine machine;
  machine.description = "d";
  machine.cpus = {{.os_index = 0}};
  const auto imported = Assemble(machine, {.name = "m", .costs = {.ipi_ns = 7}});

  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->topology.name, "m");
  EXPECT_EQ(imported->topology.description, "d");
  EXPECT_EQ(imported->topology.costs.ipi_ns, 7);
}

TEST(ImportedTopologyTest, NoCpusAreRefused) {
  EXPECT_EQ(Assemble({}, {.name = "m"}).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace schedlab::ingest
