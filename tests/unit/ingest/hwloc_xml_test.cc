#include "ingest/hwloc_xml.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/ingest/machine_counts.h"

namespace schedlab::ingest {
namespace {

std::string Cpu(int index) {
  return fmt::format(R"(<object type="PU" os_index="{}" cpuset="{:#x}"/>)", index, 1U << index);
}

std::string Core(const std::string& inner) {
  return R"(<object type="Core" os_index="0">)" + inner + "</object>";
}

std::string Node(int index, unsigned cpus) {
  return fmt::format(
      R"(<object type="NUMANode" os_index="{}" gp_index="{}" cpuset="{:#x}" nodeset="0x1"/>)",
      index, 100 + index, cpus);
}

std::string Document(const std::string& objects, const std::string& after = "",
                     const std::string& machine_attributes = "") {
  return R"(<?xml version="1.0"?><topology version="2.0"><object type="Machine" )" +
         machine_attributes + ">" + objects + "</object>" + after + "</topology>";
}

Result<ImportedTopology> Import(const std::string& xml) {
  return TopologyFromHwlocXml(xml, {.name = "m"});
}

std::string Counts(const std::string& xml) {
  const Result<ImportedTopology> imported = Import(xml);
  return imported ? CountsOf(imported->topology) : imported.error().message;
}

// The message without the place in the file.
std::string RefusalOf(const std::string& xml) {
  const Result<ImportedTopology> imported = Import(xml);
  if (imported) return "";
  EXPECT_EQ(imported.error().code, ErrorCode::kInvalidArgument);
  std::string message = imported.error().message;
  const std::size_t at = message.find(" at byte ");
  if (at != std::string::npos) {
    message.erase(at, message.find_first_not_of("0123456789", at + 9) - at);
  }
  return message;
}

TEST(HwlocXmlTest, WithoutCachesEveryCoreHasItsOwn) {
  EXPECT_EQ(Counts(Document(Core(Cpu(0) + Cpu(1)) + Core(Cpu(2)))),
            "1 nodes, 1 packages, 2 llcs, 2 clusters, 2 cores, 3 cpus");
}

TEST(HwlocXmlTest, TheL2IsTheLastCacheWhereThereIsNoL3) {
  const std::string die = R"(<object type="L2Cache">)" + Core(Cpu(0)) + Core(Cpu(1)) + "</object>";
  const std::string other = R"(<object type="L2Cache">)" + Core(Cpu(2)) + "</object>";

  EXPECT_EQ(Counts(Document(die + other)),
            "1 nodes, 1 packages, 2 llcs, 3 clusters, 3 cores, 3 cpus");
}

TEST(HwlocXmlTest, SharedL2CachesAndGroupsBelowAnL3AreClusters) {
  const std::string efficient =
      R"(<object type="L2Cache">)" + Core(Cpu(1)) + Core(Cpu(2)) + "</object>";
  const std::string group = R"(<object type="Group" subtype="Cluster">)" + Core(Cpu(3)) +
                            Core(Cpu(4)) + Core(Cpu(5)) + "</object>";

  EXPECT_EQ(Counts(Document(R"(<object type="L3Cache">)" + Core(Cpu(0)) + efficient + group +
                            "</object>")),
            "1 nodes, 1 packages, 1 llcs, 3 clusters, 6 cores, 6 cpus");
}

TEST(HwlocXmlTest, ACpuBelongsToTheSmallestNodeThatHasIt) {
  const Result<ImportedTopology> imported =
      Import(Document(Node(7, 0x3) + Node(2, 0x2) + Core(Cpu(0)) + Core(Cpu(1))));

  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->topology.cpus[0].node, 1);
  EXPECT_EQ(imported->topology.cpus[1].node, 0);
}

TEST(HwlocXmlTest, NodesWithoutCpusAreLeftOut) {
  const Result<ImportedTopology> imported =
      Import(Document(Node(0, 0x1) + Node(1, 0x1) + Node(2, 0x0) + Core(Cpu(0))));

  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->topology.node_distances.size(), 1U);
  EXPECT_EQ(imported->notes.front(), "left out: 2 NUMA nodes that are no CPU's nearest");
}

std::string Matrix(const std::string& attributes, const std::string& indexes,
                   const std::string& values) {
  return "<distances2 " + attributes + "><indexes length=\"1\">" + indexes +
         "</indexes><u64values length=\"1\">" + values + "</u64values></distances2>";
}

const char* const kTwoNodes = R"(type="NUMANode" nbobjs="2" kind="5" indexing="os")";

std::string TwoNodes(const std::string& after) {
  return Document(Node(0, 0x1) + Node(3, 0x2) + Core(Cpu(0)) + Core(Cpu(1)), after);
}

TEST(HwlocXmlTest, LatenciesBetweenNodesAreTheDistances) {
  const Result<ImportedTopology> imported = Import(
      TwoNodes(Matrix(R"(type="NUMANode" nbobjs="2" kind="9" indexing="os")", "0 3", "1 2 2 1") +
               Matrix(kTwoNodes, "0 3 ", " 10 32\n32 10 ")));

  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->topology.node_distances,
            (std::vector<std::vector<std::int32_t>>{{10, 32}, {32, 10}}));
  EXPECT_TRUE(imported->notes.empty());
}

TEST(HwlocXmlTest, DistancesMayNameNodesByTheirGlobalIndex) {
  const Result<ImportedTopology> imported = Import(TwoNodes(
      Matrix(R"(type="NUMANode" nbobjs="2" kind="5" indexing="gp")", "103 100", "10 17 17 10")));

  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->topology.node_distances[0][1], 17);
}

TEST(HwlocXmlTest, MatricesThatDoNotFitAreRefused) {
  EXPECT_EQ(RefusalOf(TwoNodes(Matrix(kTwoNodes, "0 3", "10 20 20"))),
            "hwloc XML: distances2 NUMANode has 3 values for 2 objects");
  EXPECT_EQ(RefusalOf(TwoNodes(Matrix(kTwoNodes, "0", "10"))),
            "hwloc XML: distances2 NUMANode has 1 indexes for 2 objects");
  EXPECT_EQ(RefusalOf(TwoNodes(Matrix(kTwoNodes, "0 x", "10 20 20 10"))),
            "hwloc XML: indexes has 'x', which is not a whole number");
  EXPECT_EQ(RefusalOf(TwoNodes(Matrix(kTwoNodes, "0 3", "10 20 20 10 10"))),
            "hwloc XML: u64values has more than 4 numbers");
  EXPECT_EQ(RefusalOf(TwoNodes(Matrix(kTwoNodes, "0 3", "10 5 5 10"))),
            "topology 'm': node distance 5 from 0 to 1 is outside of 11 to 255");
}

TEST(HwlocXmlTest, CpusThatAreOfflineOrNotAllowedAreLeftOut) {
  const std::string offline = R"(<object type="PU" os_index="2" cpuset="0x0"/>)";
  const Result<ImportedTopology> imported = Import(Document(
      Core(Cpu(0)) + Core(Cpu(1)) + Core(offline) + Core(Cpu(3)), "", R"(allowed_cpuset="0x9")"));

  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->os_indexes, (std::vector<std::int32_t>{0, 3}));
  EXPECT_EQ(imported->notes.front(), "left out: 2 CPUs that are offline or not allowed");
}

TEST(HwlocXmlTest, CapacitiesComeFromTheKindsOfCpus) {
  const std::string kinds =
      R"(<cpukind cpuset="0x1"><info name="LinuxCapacity" value="446"/></cpukind>)"
      R"(<cpukind cpuset="0x2"><info name="LinuxCapacity" value="1024"/></cpukind>)";
  const Result<ImportedTopology> imported = Import(Document(Core(Cpu(0)) + Core(Cpu(1)), kinds));

  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->topology.cpus[0].capacity, 446);
  EXPECT_EQ(imported->topology.cpus[1].capacity, 1024);
}

TEST(HwlocXmlTest, KindsWithoutACapacityAreSaidToCountAsFull) {
  const Result<ImportedTopology> imported =
      Import(Document(Core(Cpu(0)), R"(<cpukind cpuset="0x1"/>)"));

  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->notes.front(), "kinds of CPUs without a LinuxCapacity count as full CPUs");
}

TEST(HwlocXmlTest, DevicesAreNotLookedAt) {
  EXPECT_EQ(
      Counts(Document(Core(Cpu(0)) + R"(<object type="Bridge"><object type="Teapot"/></object>)")),
      "1 nodes, 1 packages, 1 llcs, 1 clusters, 1 cores, 1 cpus");
}

TEST(HwlocXmlTest, WhatIsNoXmlIsRefused) {
  EXPECT_EQ(RefusalOf(""), "hwloc XML: not XML: No document element found");
  EXPECT_NE(RefusalOf("<topology version=\"2.0\"><object").find("not XML"), std::string::npos);
  EXPECT_NE(RefusalOf(std::string("\0\xff\xfe<", 4)), "");
}

TEST(HwlocXmlTest, OtherDocumentsAndVersionsAreRefused) {
  EXPECT_EQ(RefusalOf("<html/>"), "hwloc XML: has no element topology at its top");
  EXPECT_EQ(RefusalOf("<topology><object type=\"Machine\"/></topology>"),
            "hwloc XML: topology has no version: it is of hwloc 1; export it with hwloc 2");
  EXPECT_EQ(RefusalOf("<topology version=\"9.0\"/>"),
            "hwloc XML: topology has version '9.0'; it must be 2 or 3");
  EXPECT_EQ(RefusalOf("<topology version=\"2.0\"/>"), "hwloc XML: topology has no object");
}

TEST(HwlocXmlTest, ObjectsAreRefusedByName) {
  EXPECT_EQ(RefusalOf(Document(R"(<object type="Socket"/>)")),
            "hwloc XML: object Socket is of no type that hwloc 2 has");
  EXPECT_EQ(RefusalOf(Document("")), "hwloc XML: object Machine has no PU that may be used");
  EXPECT_EQ(RefusalOf(Document(R"(<object type="PU" cpuset="0x1"/>)")),
            "hwloc XML: object PU has no attribute os_index");
  EXPECT_EQ(RefusalOf(Document(R"(<object type="PU" os_index="-1" cpuset="0x1"/>)")),
            "hwloc XML: object PU has os_index '-1'; it must be a number from 0 to 65535");
  EXPECT_EQ(RefusalOf(Document(R"(<object type="PU" os_index="0" cpuset="zero"/>)")),
            "hwloc XML: object PU has cpuset: 'zero' is not a finite set of the form "
            "0x0000000f,0x00000001");
  EXPECT_EQ(RefusalOf(Document(Cpu(0) + Cpu(0))),
            "hwloc XML: object PU has os_index 0, which another one has");
  EXPECT_EQ(RefusalOf(Document(Node(0, 1) + Node(0, 1) + Cpu(0))),
            "hwloc XML: object NUMANode has os_index 0, which another one has");
  EXPECT_EQ(RefusalOf(Document(Node(0, 2) + Cpu(0))),
            "hwloc XML: object Machine has PU 0 in none of its NUMANode objects");
}

TEST(HwlocXmlTest, AnIndexThatIsNotItsOwnIsNotTakenForAnOfflineCpu) {
  const std::string twin = R"(<object type="PU" os_index="0" cpuset="0x2"/>)";
  const std::string stray = R"(<object type="PU" os_index="7" cpuset="0x2"/>)";
  const std::string offline_twin = R"(<object type="PU" os_index="0" cpuset="0x0"/>)";

  EXPECT_EQ(RefusalOf(Document(Cpu(0) + twin)),
            "hwloc XML: object PU has os_index 0, which another one has");
  EXPECT_EQ(RefusalOf(Document(offline_twin + Cpu(0))),
            "hwloc XML: object PU has os_index 0, which another one has");
  EXPECT_EQ(RefusalOf(Document(Cpu(0) + stray)),
            "hwloc XML: object PU has os_index 7, which is not in its cpuset");
}

TEST(HwlocXmlTest, TreesThatAreTooDeepAreRefused) {
  std::string open;
  std::string close;
  for (int i = 0; i < 100'000; ++i) {
    open += R"(<object type="Group">)";
    close += "</object>";
  }

  EXPECT_EQ(RefusalOf(Document(open + close)),
            "hwloc XML: object Group lies deeper than 64 objects");
}

TEST(HwlocXmlTest, EntitiesAreNotExpanded) {
  const std::string bomb =
      "<!DOCTYPE t [<!ENTITY a \"<object type='PU' os_index='1' cpuset='0x2'/>\">"
      "<!ENTITY b SYSTEM \"file:///etc/passwd\">]>";
  const std::string xml = bomb + "<topology version=\"2.0\"><object type=\"Machine\">&a;&b;" +
                          Core(Cpu(0)) + "</object></topology>";

  EXPECT_EQ(Counts(xml), "1 nodes, 1 packages, 1 llcs, 1 clusters, 1 cores, 1 cpus");
}

TEST(HwlocXmlTest, TextsThatAreTooLongAreRefused) {
  EXPECT_NE(RefusalOf(std::string(kMaxHwlocXmlBytes + 1, ' ')).find("at most 16777216"),
            std::string::npos);
}

}  // namespace
}  // namespace schedlab::ingest
