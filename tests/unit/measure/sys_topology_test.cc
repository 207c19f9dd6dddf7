#include "measure/sys_topology.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace schedlab::measure {
namespace {

namespace fs = std::filesystem;

// A copy of the files of /sys that say what CPUs share.
class FakeSys {
 public:
  FakeSys() : root_(fs::temp_directory_path() / fmt::format("schedlab-sys-{}", getpid())) {
    fs::remove_all(root_);
  }
  FakeSys(const FakeSys&) = delete;
  FakeSys& operator=(const FakeSys&) = delete;
  ~FakeSys() { fs::remove_all(root_); }

  const fs::path& root() const { return root_; }

  void Write(const std::string& path, const std::string& text) {
    const fs::path file = root_ / "devices/system" / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }

  void AddCpu(int cpu, int package, const std::string& core, const std::string& llc) {
    const std::string folder = fmt::format("cpu/cpu{}/", cpu);
    Write(folder + "topology/physical_package_id", fmt::format("{}", package));
    Write(folder + "topology/thread_siblings_list", core);
    Write(folder + "cache/index0/level", "1");
    Write(folder + "cache/index0/shared_cpu_list", core);
    Write(folder + "cache/index1/level", "3");
    Write(folder + "cache/index1/shared_cpu_list", llc);
  }

 private:
  fs::path root_;
};

void FillTwoPackages(FakeSys& sys) {
  sys.Write("cpu/online", "0-3");
  sys.AddCpu(0, 0, "0,2", "0,2");
  sys.AddCpu(1, 1, "1,3", "1,3");
  sys.AddCpu(2, 0, "0,2", "0,2");
  sys.AddCpu(3, 1, "1,3", "1,3");
  sys.Write("node/online", "0-1");
  sys.Write("node/node0/cpulist", "0,2");
  sys.Write("node/node1/cpulist", "1,3");
  sys.Write("node/node0/distance", "10 21");
  sys.Write("node/node1/distance", "21 10");
}

Topology TopologyOf(const SysTopology& sys) {
  Topology topology;
  topology.name = "sys";
  topology.cpus = sys.cpus;
  topology.node_distances = sys.node_distances;
  return topology;
}

TEST(SysTopologyTest, ThreadsOfACoreAndPackagesOfTwoNodesAreTold) {
  FakeSys sys;
  FillTwoPackages(sys);

  const Result<SysTopology> read = ReadSysTopology(sys.root());

  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_TRUE(Validate(TopologyOf(*read)).has_value());
  EXPECT_EQ(read->cpus[0].core, read->cpus[2].core);
  EXPECT_EQ(read->cpus[2].thread, 1);
  EXPECT_EQ(read->cpus[3].node, 1);
  EXPECT_NE(read->cpus[0].llc, read->cpus[1].llc);
  EXPECT_EQ(read->node_distances[0][1], 21);
}

TEST(SysTopologyTest, CpusThatAreOfflineAreLeftOut) {
  FakeSys sys;
  FillTwoPackages(sys);
  sys.Write("cpu/online", "0,2-3");

  const Result<SysTopology> read = ReadSysTopology(sys.root());

  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->os_indexes, (std::vector<std::int32_t>{0, 2, 3}));
  EXPECT_TRUE(Validate(TopologyOf(*read)).has_value());
}

TEST(SysTopologyTest, WithoutNodesThereIsOne) {
  FakeSys sys;
  sys.Write("cpu/online", "0-1");
  sys.AddCpu(0, 0, "0", "0-1");
  sys.AddCpu(1, 0, "1", "0-1");

  const Result<SysTopology> read = ReadSysTopology(sys.root());

  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->node_distances, (std::vector<std::vector<std::int32_t>>{{10}}));
  EXPECT_EQ(read->cpus[0].llc, read->cpus[1].llc);
  EXPECT_NE(read->cpus[0].core, read->cpus[1].core);
}

TEST(SysTopologyTest, AMissingFileIsNamed) {
  FakeSys sys;
  sys.Write("cpu/online", "0");

  const Result<SysTopology> read = ReadSysTopology(sys.root());

  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ErrorCode::kNotFound);
  EXPECT_NE(read.error().message.find("cpu0/topology/physical_package_id"), std::string::npos);
}

TEST(SysTopologyTest, AFileThatMakesNoSenseIsNamedWithWhatItHolds) {
  FakeSys sys;
  sys.Write("cpu/online", "0-");

  const Result<SysTopology> read = ReadSysTopology(sys.root());

  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(read.error().message.find("'0-'"), std::string::npos);
}

}  // namespace
}  // namespace schedlab::measure
