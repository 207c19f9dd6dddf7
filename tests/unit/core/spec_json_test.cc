#include "core/spec_json.h"

#include <gtest/gtest.h>

#include "tests/unit/core/sample_catalog.h"

namespace schedlab {
namespace {

TEST(SpecJsonTest, AScenarioSurvivesTheRoundTrip) {
  const Catalog catalog = testing::SampleCatalog();
  const Scenario scenario{.topology = catalog.topologies[1],
                          .workload = ResolveWorkload(catalog, "spin", {}).value(),
                          .duration_ns = 123};

  EXPECT_EQ(ScenarioFromJson(ToJson(scenario)).value(), scenario);
}

TEST(SpecJsonTest, DisturbancesSurviveTheRoundTripAndAreSilentWhereThereAreNone) {
  Scenario scenario;
  EXPECT_EQ(ToJson(scenario).find("hotplug"), std::string::npos);
  EXPECT_EQ(ToJson(scenario).find("irq_sources"), std::string::npos);
  scenario.hotplug = {{.at_ns = 5, .cpu = 1, .is_online = false}};
  scenario.irq_sources = {{.cpu = 1, .period_ns = 10, .duration_ns = 2}};

  EXPECT_EQ(ScenarioFromJson(ToJson(scenario)).value(), scenario);
}

TEST(SpecJsonTest, ADocumentIsPartOfTheScenarioAndItsDigest) {
  const Catalog catalog = testing::SampleCatalog();
  Scenario scenario{.topology = catalog.topologies[0],
                    .workload = ResolveWorkload(catalog, "script", {}, "/* one */ {}").value(),
                    .duration_ns = 123};
  const std::string digest = ScenarioDigest(scenario);

  EXPECT_EQ(ScenarioFromJson(ToJson(scenario)).value(), scenario);
  scenario.workload.document = "/* two */ {}";
  EXPECT_NE(ScenarioDigest(scenario), digest);
}

TEST(SpecJsonTest, AScenarioWithoutADocumentHasNoKeyForIt) {
  const Scenario scenario{
      .topology = {}, .workload = {.name = "w", .parameters = {}}, .duration_ns = 1};

  EXPECT_EQ(ToJson(scenario).find("document"), std::string::npos);
}

TEST(SpecJsonTest, AClusterSurvivesTheRoundTripAndIsSilentWhereACoreIsItsOwn) {
  Scenario scenario;
  scenario.topology.cpus = *CpusFromShape("cluster:2 core:2");

  EXPECT_EQ(ScenarioFromJson(ToJson(scenario)).value(), scenario);
  EXPECT_NE(ToJson(scenario).find("[0,0,0,3,0,1024,1]"), std::string::npos);

  scenario.topology.cpus = *CpusFromShape("core:2");
  EXPECT_NE(ToJson(scenario).find("[[0,0,0,0,0,1024],[0,0,0,1,0,1024]]"), std::string::npos);
}

TEST(SpecJsonTest, ACostThatWasAddedLaterIsSilentWhereItIsNone) {
  Scenario scenario;

  const std::string json = ToJson(scenario);

  EXPECT_EQ(json.find("cold_switch_ns"), std::string::npos);
  EXPECT_NE(json.find("\"tick_ns\":0"), std::string::npos);
  EXPECT_EQ(ScenarioFromJson(json).value(), scenario);
}

TEST(SpecJsonTest, APolicySurvivesTheRoundTrip) {
  const PolicySpec policy =
      ResolvePolicy(testing::SampleCatalog(), "fair@v2", {{"kick", "off"}}).value();

  EXPECT_EQ(PolicySpecFromJson(ToJson(policy)).value(), policy);
}

TEST(SpecJsonTest, OnlyASharedImplementationIsWritten) {
  const Catalog catalog = testing::SampleCatalog();
  const PolicySpec shared = ResolvePolicy(catalog, "fair-early@v0", {}).value();

  EXPECT_EQ(PolicySpecFromJson(ToJson(shared)).value(), shared);
  EXPECT_EQ(ToJson(ResolvePolicy(catalog, "fair@v2", {}).value()).find("implementation"),
            std::string::npos);
}

TEST(SpecJsonTest, AJobSurvivesTheRoundTrip) {
  const JobSpec spec{.project = "p",
                     .suite = "s",
                     .policies = {{.policy = "a", .revisions = "b", .switches = {{"c", "d"}}}},
                     .topologies = {"t"},
                     .workloads = {{.workload = "w",
                                    .parameters = {{"x", 1}},
                                    .duration_ns = 2,
                                    .document = "{\"a\": 1}\n",
                                    .hotplug = {{.at_ns = 4, .cpu = 5, .is_online = true}},
                                    .irq_sources = {{.cpu = 6, .period_ns = 8, .duration_ns = 7}}}},
                     .repetitions = 3,
                     .seed_mode = SeedMode::kPaired,
                     .salt = "salt",
                     .metrics = {"m"},
                     .yardsticks = {"y"}};

  EXPECT_EQ(JobSpecFromJson(ToJson(spec)).value(), spec);
}

TEST(SpecJsonTest, EqualValuesHaveEqualText) {
  WorkloadSpec one{.name = "w", .parameters = {{"a", 1}, {"b", 2}}};
  WorkloadSpec two{.name = "w", .parameters = {{"b", 2}, {"a", 1}}};

  EXPECT_EQ(ToJson(Scenario{.topology = {}, .workload = one, .duration_ns = 1}),
            ToJson(Scenario{.topology = {}, .workload = two, .duration_ns = 1}));
}

TEST(SpecJsonTest, TextThatIsNotAScenarioIsRefused) {
  EXPECT_EQ(ScenarioFromJson("{").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ScenarioFromJson("{}").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(JobSpecFromJson("[]").error().code, ErrorCode::kInvalidArgument);
}

TEST(SpecJsonTest, Sha256IsTheStandards) {  // FIPS 180-2, appendix B.1
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(SpecJsonTest, EveryPartOfARunMovesItsKey) {
  const RunKeySource source{
      .engine_version = "1", .policy_json = "{}", .scenario_digest = "d", .seed = 7};
  RunKeySource engine = source;
  engine.engine_version = "2";
  RunKeySource policy = source;
  policy.policy_json = "{1}";
  RunKeySource scenario = source;
  scenario.scenario_digest = "e";
  RunKeySource seed = source;
  seed.seed = 8;

  EXPECT_NE(RunKey(source), RunKey(engine));
  EXPECT_NE(RunKey(source), RunKey(policy));
  EXPECT_NE(RunKey(source), RunKey(scenario));
  EXPECT_NE(RunKey(source), RunKey(seed));
}

}  // namespace
}  // namespace schedlab
