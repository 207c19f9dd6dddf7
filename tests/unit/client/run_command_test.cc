#include "client/run_command.h"

#include <gtest/gtest.h>

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

  EXPECT_EQ(ReproduceCommand(run, spec),
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

  EXPECT_EQ(ReproduceCommand(run, spec),
            "schedlab sim run --topology kvm-16x1 --workload spinners --policy fifo --seed 1");
}

}  // namespace
}  // namespace schedlab::client
