#include "client/run_command.h"

#include <gtest/gtest.h>

#include "core/catalog.h"
#include "core/expansion.h"

namespace schedlab::client {
namespace {

TEST(ReproduceCommandTest, NamesEverythingThatDeterminesTheRun) {
  schedlab::Run run;
  run.policy = "linux-fair";
  run.revision = "23f0d2093c78";
  run.variant = "nohz=off,pelt=on";
  run.topology = "kvm-16x1";
  run.workload = "fs_mark";
  run.seed = 42;
  JobSpec spec;
  spec.workloads = {{"hackbench", {{"groups_count", 1}}, 1},
                    {"fs_mark", {{"writers_count", 16}}, 8'000'000'000}};

  EXPECT_EQ(ReproduceCommand(run, spec, ""),
            "schedlab sim run --topology kvm-16x1 --workload fs_mark --policy "
            "linux-fair@23f0d2093c78 --set nohz=off --set pelt=on --param writers_count=16 "
            "--duration 8000ms --seed 42");
}

TEST(ReproduceCommandTest, LeavesDefaultsOut) {
  schedlab::Run run;
  run.policy = "fifo";
  run.topology = "kvm-16x1";
  run.workload = "spinners";
  run.seed = 1;
  JobSpec spec;
  spec.workloads = {{"spinners", {}, 0}};

  EXPECT_EQ(ReproduceCommand(run, spec, ""),
            "schedlab sim run --topology kvm-16x1 --workload spinners --policy fifo --seed 1");
}

TEST(ReproduceCommandTest, AsksForTheFileOfAWorkloadThatHasOne) {
  schedlab::Run run;
  run.policy = "fifo";
  run.topology = "kvm-16x1";
  run.workload = "script";
  run.seed = 1;
  JobSpec spec;
  spec.workloads = {{"script", {}, 0, "{}"}};

  EXPECT_EQ(ReproduceCommand(run, spec, ""),
            "schedlab sim run --topology kvm-16x1 --workload script --policy fifo --workload-file "
            "FILE --seed 1");
}

TEST(ReproduceCommandTest, TheDigestTellsWorkloadsOfOneNameApart) {
  const Catalog catalog = ParseCatalog(EmbeddedCatalogFiles()).value();
  JobSpec spec;
  spec.project = "linux";
  spec.suite = "two durations";
  spec.repetitions = 1;
  spec.policies = {{"linux-fair", "v3.11", {}}};
  spec.topologies = {"kvm-1x16", "kvm-16x1"};
  spec.workloads = {{"fs_mark", {}, 1'000'000'000}, {"fs_mark", {}, 2'000'000'000}};
  const ExpandedJob job = Expand(catalog, spec).value();
  ASSERT_EQ(job.scenarios.size(), 4U);
  schedlab::Run run;
  run.policy = "linux-fair";
  run.workload = "fs_mark";

  for (std::size_t i = 0; i < job.scenarios.size(); ++i) {
    run.topology = job.scenarios[i].topology.name;
    const std::string command = ReproduceCommand(run, spec, job.scenario_digests[i]);
    const std::string duration =
        job.scenarios[i].duration_ns == 1'000'000'000 ? "--duration 1000ms" : "--duration 2000ms";
    EXPECT_NE(command.find(duration), std::string::npos) << command;
  }
  EXPECT_EQ(ReproduceCommand(run, spec, "of neither"), "");
}

TEST(ReproduceCommandTest, NamesWhatDisturbed) {
  schedlab::Run run;
  run.policy = "fifo";
  run.topology = "kvm-16x1";
  run.workload = "spinners";
  run.seed = 1;
  JobSpec spec;
  spec.workloads = {{.workload = "spinners",
                     .parameters = {},
                     .duration_ns = 0,
                     .document = "",
                     .hotplug = {{2'000'000'000, 3, false}, {4'000'000'000, 3, true}},
                     .irq_sources = {{0, 1'000'000, 50'000}}}};

  EXPECT_EQ(ReproduceCommand(run, spec, ""),
            "schedlab sim run --topology kvm-16x1 --workload spinners --policy fifo --hotplug "
            "2000ms:3:off,4000ms:3:on --irq 0:1ms:50000ns --seed 1");
}

}  // namespace
}  // namespace schedlab::client
