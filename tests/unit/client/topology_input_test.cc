#include "client/topology_input.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/topology_toml.h"

namespace schedlab::client {
namespace {

const Catalog& ShippedCatalog() {
  static const Catalog kCatalog = ParseCatalog(EmbeddedCatalogFiles()).value();
  return kCatalog;
}

std::string Sample(const std::string& name) {
  return SCHEDLAB_SOURCE_DIR "/tests/samples/hwloc/" + name;
}

// A file of this process that is gone after the test.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text)
      : path_(std::filesystem::temp_directory_path() / fmt::format("{}-{}", getpid(), name)) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(TopologyInputTest, AWordIsATopologyOfTheCatalog) {
  EXPECT_EQ(ResolveTopology(ShippedCatalog(), "tulsa-4s").value(),
            **ShippedCatalog().FindTopology("tulsa-4s"));
  EXPECT_EQ(ResolveTopology(ShippedCatalog(), "tulsa-5s").error().code, ErrorCode::kNotFound);
}

TEST(TopologyInputTest, ASyntheticStringIsAMachineWithTheDefaultCosts) {
  const Result<Topology> topology = ResolveTopology(ShippedCatalog(), "synthetic:pack:2 core:2 2");

  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->cpus.size(), 8U);
  EXPECT_EQ(topology->name, "synthetic");
  EXPECT_EQ(topology->costs, (*ShippedCatalog().FindTopology(kDefaultCostsTopology))->costs);
}

TEST(TopologyInputTest, AFileIsReadByItsEnding) {
  const Result<Topology> xml = ResolveTopology(ShippedCatalog(), Sample("4s2c-smt-16t.xml"));
  ASSERT_TRUE(xml) << xml.error().message;
  EXPECT_EQ(xml->cpus.size(), 16U);
  EXPECT_EQ(xml->name, "4s2c-smt-16t");

  const TemporaryFile toml("machine.toml", ToToml(*xml));
  EXPECT_EQ(ResolveTopology(ShippedCatalog(), toml.path()).value(), *xml);
}

TEST(TopologyInputTest, AFileThatIsNotThereIsNotFound) {
  EXPECT_EQ(ResolveTopology(ShippedCatalog(), "/nowhere/x.xml").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ResolveTopology(ShippedCatalog(), "/nowhere/x.toml").error().code,
            ErrorCode::kNotFound);
}

TEST(TopologyInputTest, TheFormatIsKnownFromTheText) {
  const TemporaryFile text("string", "  pack:2 core:3 1\n");
  const auto imported = ImportTopology(ShippedCatalog(), {.path = text.path(), .name = "mine"});

  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->topology.cpus.size(), 6U);
  EXPECT_EQ(imported->topology.name, "mine");
}

TEST(TopologyInputTest, AFormatThatIsGivenIsNotGuessed) {
  const auto imported = ImportTopology(
      ShippedCatalog(),
      {.path = Sample("vm-2c.xml"), .format = TopologyFormat::kSynthetic, .name = "m"});

  EXPECT_EQ(imported.error().code, ErrorCode::kInvalidArgument);
}

TEST(TopologyInputTest, CostsMayBeThoseOfAnotherTopology) {
  const auto imported = ImportTopology(
      ShippedCatalog(), {.path = Sample("vm-2c.xml"), .name = "m", .costs_of = "kvm-2"});
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->topology.costs, (*ShippedCatalog().FindTopology("kvm-2"))->costs);

  const auto unknown = ImportTopology(
      ShippedCatalog(), {.path = Sample("vm-2c.xml"), .name = "m", .costs_of = "kvm-3"});
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
}

TEST(TopologyInputTest, ANameThatCannotBeShownIsRefused) {
  EXPECT_FALSE(ImportTopology(ShippedCatalog(), {.path = Sample("vm-2c.xml"), .name = "a\nb"}));
  EXPECT_FALSE(ImportTopology(ShippedCatalog(),
                              {.path = Sample("vm-2c.xml"), .name = std::string(201, 'x')}));
}

}  // namespace
}  // namespace schedlab::client
