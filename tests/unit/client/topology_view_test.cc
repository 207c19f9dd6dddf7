#include "client/topology_view.h"

#include <gtest/gtest.h>

#include "core/topology_toml.h"

namespace schedlab::client {
namespace {

constexpr std::string_view kText = R"(# A machine of two nodes.
name = "two"
description = "Two nodes"
shape = "numa:2 package:1 l3:1 core:2 pu:2"
node_distances = [[10, 21], [21, 10]]
tick_hz = 1000
housekeeping_period_ns = 0

[costs]
wakeup_ns = 700  # measured: on such a machine
ipi_ns = 900
)";

std::string Rendered() { return RenderTopology(TopologyFromToml(kText, "t").value(), kText); }

bool Shows(std::string_view words) { return Rendered().find(words) != std::string::npos; }

TEST(TopologyViewTest, ShowsEveryLevelWithItsCounts) {
  EXPECT_TRUE(Shows("CPUs               8\n"));
  EXPECT_TRUE(Shows("nodes              2 of 4 CPUs\n"));
  EXPECT_TRUE(Shows("cores              4 of 2 CPUs\n"));
}

TEST(TopologyViewTest, ShowsDistancesCapacitiesAndTick) {
  EXPECT_TRUE(Shows(" 10  21\n   21  10\n"));
  EXPECT_TRUE(Shows("capacities         8 CPUs of 1024 (1024: the fastest)\n"));
  EXPECT_TRUE(Shows("tick               1000 Hz\n"));
}

TEST(TopologyViewTest, ShowsCostsWithTheRemarkOfTheirLine) {
  EXPECT_TRUE(Shows("700  measured: on such a machine\n"));
  EXPECT_TRUE(Shows("900\n"));
}

TEST(TopologyViewTest, ShowsWhatTheFileSaysOfTheMachine) {
  EXPECT_TRUE(Shows("\nA machine of two nodes.\n"));
}

}  // namespace
}  // namespace schedlab::client
