// Real output of lstopo 2.9: an XML file, or a synthetic string with the tree that lstopo prints
// for it.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "ingest/hwloc_synthetic.h"
#include "ingest/hwloc_xml.h"
#include "tests/unit/ingest/machine_counts.h"

namespace schedlab::ingest {
namespace {

std::string ReadSample(const std::string& name) {
  std::ifstream file(SCHEDLAB_SOURCE_DIR "/tests/samples/hwloc/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// How many objects of a type the printed tree has: "Core L#12".
std::size_t Printed(const std::string& tree, const std::string& type) {
  const std::regex object(type + " L#([0-9]+)");
  std::set<std::string> numbers;
  for (std::sregex_iterator it(tree.begin(), tree.end(), object), end; it != end; ++it) {
    numbers.insert((*it)[1]);
  }
  return numbers.size();
}

std::string PrintedCounts(const std::string& tree) {
  return fmt::format("{} nodes, {} packages, {} llcs, {} clusters, {} cores, {} cpus",
                     Printed(tree, "NUMANode"), Printed(tree, "Package"), Printed(tree, "L3"),
                     Printed(tree, "L2"), Printed(tree, "Core"), Printed(tree, "PU"));
}

std::string SyntheticStringIn(const std::string& tree) {
  const std::size_t begin = tree.find("-i \"") + 4;
  return tree.substr(begin, tree.find('"', begin) - begin);
}

void ExpectSyntheticAsPrinted(const std::string& name) {
  const std::string tree = ReadSample(name + ".txt");
  const auto imported = TopologyFromHwlocSynthetic(SyntheticStringIn(tree), {.name = name});

  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(CountsOf(imported->topology), PrintedCounts(tree));
}

TEST(HwlocSamplesTest, OneSocketOfSixteenCoresIsAsPrinted) { ExpectSyntheticAsPrinted("1s16c"); }

TEST(HwlocSamplesTest, FourSocketsWithThreadsAreAsPrinted) {
  ExpectSyntheticAsPrinted("4s2c-smt-16t");
}

TEST(HwlocSamplesTest, EightCachesInASocketAreAsPrinted) {
  ExpectSyntheticAsPrinted("1s8ccx64c128t");
}

TEST(HwlocSamplesTest, TwoSocketsWithThreadsAreAsPrinted) { ExpectSyntheticAsPrinted("2s32c64t"); }

void ExpectXmlEqualsSynthetic(const std::string& name) {
  const auto synthetic =
      TopologyFromHwlocSynthetic(SyntheticStringIn(ReadSample(name + ".txt")), {.name = name});
  const auto xml = TopologyFromHwlocXml(ReadSample(name + ".xml"), {.name = name});

  ASSERT_TRUE(xml) << xml.error().message;
  EXPECT_EQ(xml->topology.cpus, synthetic->topology.cpus);
  EXPECT_EQ(xml->topology.node_distances, synthetic->topology.node_distances);
  EXPECT_EQ(xml->os_indexes, synthetic->os_indexes);
}

TEST(HwlocSamplesTest, XmlAndSyntheticStringOfOneMachineGiveTheSame) {
  ExpectXmlEqualsSynthetic("1s16c");
  ExpectXmlEqualsSynthetic("4s2c-smt-16t");
}

TEST(HwlocSamplesTest, AVirtualMachineIsReadFromItsXml) {
  const auto imported = TopologyFromHwlocXml(ReadSample("vm-2c.xml"), {.name = "vm"});

  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(CountsOf(imported->topology),
            "1 nodes, 1 packages, 1 llcs, 2 clusters, 2 cores, 2 cpus");
  EXPECT_EQ(imported->topology.cpus[1].capacity, 1024);
  EXPECT_EQ(imported->topology.description, "2 CPUs of AMD EPYC, imported from hwloc");
  EXPECT_EQ(imported->os_indexes, (std::vector<std::int32_t>{0, 1}));
  EXPECT_TRUE(imported->notes.empty());
}

TEST(HwlocSamplesTest, AVirtualMachineIsReadFromItsExportedString) {
  const std::string sample = ReadSample("vm-2c.synthetic.txt");
  const std::size_t line = sample.find('\n') + 1;
  const std::string text = sample.substr(line, sample.find('\n', line) - line);
  const auto imported = TopologyFromHwlocSynthetic(text, {.name = "vm"});

  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(CountsOf(imported->topology),
            "1 nodes, 1 packages, 1 llcs, 2 clusters, 2 cores, 2 cpus");
}

}  // namespace
}  // namespace schedlab::ingest
