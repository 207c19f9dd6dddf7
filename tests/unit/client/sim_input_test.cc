#include "client/sim_input.h"

#include <gtest/gtest.h>

namespace schedlab::client {
namespace {

const Catalog& Shipped() {
  static const Catalog kCatalog = ParseCatalog(EmbeddedCatalogFiles()).value();
  return kCatalog;
}

SimRunOptions Options() {
  SimRunOptions options;
  options.topology = "kvm-16x1";
  options.workload = "spinners";
  options.policy = "linux-fair@v3.11";
  options.seed = 7;
  options.parameters = {"tasks_count=3"};
  options.switches = {"newidle=off"};
  options.duration = "200ms";
  return options;
}

TEST(SimInputTest, OptionsBecomeAScenarioAndAPolicy) {
  const Result<SimInput> input = ResolveSimInput(Shipped(), Options());

  ASSERT_TRUE(input) << input.error().message;
  EXPECT_EQ(input->scenario.topology.cpus.size(), 16U);
  EXPECT_EQ(input->scenario.workload.parameters.at("tasks_count"), 3);
  EXPECT_EQ(input->scenario.duration_ns, 200'000'000);
  EXPECT_EQ(input->policy.switches.at("newidle"), "off");
  EXPECT_EQ(input->seed, 7U);
}

TEST(SimInputTest, APolicyWithoutARevisionIsDescribedByTheReleaseWhoseSwitchesItHas) {
  const PolicySpec bare = ResolvePolicy(Shipped(), "linux-fair", {}).value();
  const PolicySpec named = ResolvePolicy(Shipped(), "linux-fair@v3.13", {}).value();

  EXPECT_EQ(DescribePolicy(Shipped(), bare),
            "linux-fair, no revision named: its switches are those of v3.11");
  EXPECT_EQ(bare.switches, ResolvePolicy(Shipped(), "linux-fair@v3.11", {}).value().switches);
  EXPECT_EQ(DescribePolicy(Shipped(), named), "linux-fair@v3.13");
}

TEST(SimInputTest, APolicyWithoutAHistoryIsDescribedByItsNameAndVariant) {
  const PolicySpec policy = ResolvePolicy(Shipped(), "round-robin", {{"quantum", "1ms"}}).value();

  EXPECT_EQ(DescribePolicy(Shipped(), policy), "round-robin with quantum=1ms");
}

TEST(SimInputTest, DurationsAreWrittenInAnyUnit) {
  SimRunOptions options = Options();
  options.duration = "5s";
  const Result<SimInput> seconds = ResolveSimInput(Shipped(), options);
  options.duration = "1m30s";
  const Result<SimInput> minutes = ResolveSimInput(Shipped(), options);

  EXPECT_EQ(seconds.value().scenario.duration_ns, 5'000'000'000);
  EXPECT_EQ(minutes.value().scenario.duration_ns, 90'000'000'000);
}

TEST(SimInputTest, WithoutADurationTheWorkloadsOwnCounts) {
  SimRunOptions options = Options();
  options.duration.clear();

  EXPECT_EQ(ResolveSimInput(Shipped(), options).value().scenario.duration_ns,
            Shipped().FindWorkload("spinners").value()->duration_ns);
}

TEST(SimInputTest, AnUnknownNameIsToldWithTheNearestOne) {
  SimRunOptions options = Options();
  options.topology = "kvm-16x2";

  const Result<SimInput> input = ResolveSimInput(Shipped(), options);

  ASSERT_FALSE(input);
  EXPECT_NE(input.error().message.find("kvm-16x1"), std::string::npos);
}

TEST(SimInputTest, ASwitchGivenTwiceIsAMistake) {
  SimRunOptions options = Options();
  options.switches = {"newidle=off", "newidle=on"};

  const Result<SimInput> input = ResolveSimInput(Shipped(), options);

  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().message, "--set newidle is given twice");
}

TEST(SimInputTest, ARunIsDescribedInTheWordsOfItsOptions) {
  EXPECT_EQ(DescribeSimInput(Options()), "kvm-16x1 spinners linux-fair@v3.11 seed 7");
}

}  // namespace
}  // namespace schedlab::client
