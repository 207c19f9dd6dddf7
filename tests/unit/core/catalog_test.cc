#include "core/catalog.h"

#include <gtest/gtest.h>

#include "tests/unit/core/sample_catalog.h"

namespace schedlab {
namespace {

using testing::SampleCatalog;
using testing::SampleCatalogFiles;

Error ErrorWith(std::string path, std::string text) {
  std::vector<CatalogFile> files = SampleCatalogFiles();
  files.push_back({std::move(path), std::move(text)});
  return ParseCatalog(files).error();
}

TEST(CatalogTest, TheCatalogThatShipsParses) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());

  ASSERT_TRUE(catalog.has_value()) << catalog.error().message;
  EXPECT_FALSE(catalog->topologies.empty());
  EXPECT_FALSE(catalog->suites.empty());
}

TEST(CatalogTest, NamesAreLookedUp) {
  const Catalog catalog = SampleCatalog();

  EXPECT_EQ((*catalog.FindTopology("duo"))->costs.wakeup_ns, 500);
  EXPECT_EQ((*catalog.FindMetric("switches"))->role, MetricRole::kCounter);
  EXPECT_EQ((*catalog.FindWorkload("spin"))->parameters.size(), 1U);
}

TEST(CatalogTest, AnUnknownNameIsNotFoundWithTheNearest) {
  const Catalog catalog = SampleCatalog();
  const Result<const Topology*> found = catalog.FindTopology("dou");

  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(found.error().message, "topology 'dou' is not in the catalog (did you mean 'duo'?)");
}

TEST(CatalogTest, ErrorsNameFileLineAndKey) {
  const Error error = ErrorWith("topologies/bad.toml",
                                "name = \"bad\"\ndescription = \"d\"\nshape = \"socket:2\"\n");

  EXPECT_EQ(error.message.rfind("catalog/topologies/bad.toml:3: key 'shape': ", 0), 0U)
      << error.message;
}

TEST(CatalogTest, AnUnknownCostIsRefusedWithTheNearest) {
  const Error error = ErrorWith("topologies/bad.toml",
                                "name = \"bad\"\ndescription = \"d\"\nshape = \"core:2\"\n"
                                "node_distances = [[10]]\n[costs]\nwakup_ns = 1\n");

  EXPECT_NE(error.message.find("'wakup_ns' is not a cost (did you mean 'wakeup_ns'?)"),
            std::string::npos)
      << error.message;
}

TEST(CatalogTest, AHeadlineMetricNeedsAMinimumEffect) {
  const Error error = ErrorWith("metrics.toml",
                                "[[metric]]\nname = \"m\"\nunit = \"s\"\nrole = \"headline\"\n"
                                "direction = \"lower_is_better\"\nmeaning = \"m\"\n");

  EXPECT_NE(error.message.find("minimum_effect"), std::string::npos) << error.message;
}

TEST(CatalogTest, AMetricWithoutAUnitIsRefused) {
  const Error error = ErrorWith("metrics.toml",
                                "[[metric]]\nname = \"m\"\nrole = \"counter\"\nmeaning = \"m\"\n"
                                "direction = \"lower_is_better\"\n");

  EXPECT_NE(error.message.find("key 'metric.unit': is missing"), std::string::npos)
      << error.message;
}

TEST(CatalogTest, ARevisionMayOnlySetAValueOfASwitch) {
  const Error error = ErrorWith("policies/bad.toml",
                                "name = \"bad\"\nproject = \"p\"\ndescription = \"d\"\n"
                                "[[switch]]\nname = \"s\"\nvalues = [\"a\"]\ndefault = \"a\"\n"
                                "meaning = \"m\"\n[[revision]]\nid = \"1234567\"\nordinal = 0\n"
                                "date = \"d\"\nsubject = \"s\"\nchanges = {s = \"b\"}\n");

  EXPECT_NE(error.message.find("'s = b' is not a switch and a value of it"), std::string::npos)
      << error.message;
}

TEST(CatalogTest, TwoFilesWithOneNameAreRefused) {
  const Error error = ErrorWith("topologies/duo2.toml",
                                "name = \"duo\"\ndescription = \"d\"\nshape = \"core:2\"\n"
                                "node_distances = [[10]]\n");

  EXPECT_EQ(error.message, "catalog: two topologies are named 'duo'");
}

TEST(CatalogTest, AWorkloadMayOnlyHeadlineAKnownMetric) {
  const Error error = ErrorWith("workloads/bad.toml",
                                "name = \"bad\"\ndescription = \"d\"\nduration_ns = 1\n"
                                "headline = [\"ops_per_second\"]\n");

  EXPECT_EQ(error.code, ErrorCode::kNotFound);
}

TEST(CatalogTest, ResolvingAPolicyFoldsTheHistoryUpToTheRevision) {
  const Catalog catalog = SampleCatalog();

  EXPECT_EQ(ResolvePolicy(catalog, "fair@v1", {})->switches.at("election"), "correct");
  EXPECT_EQ(ResolvePolicy(catalog, "fair@2222222b", {})->switches.at("election"), "inverted");
  EXPECT_EQ(ResolvePolicy(catalog, "fair@v2", {})->switches.at("election"), "correct");
  EXPECT_EQ(ResolvePolicy(catalog, "fair", {})->switches.at("kick"), "on");
}

TEST(CatalogTest, AHistoryMayShareTheSwitchesOfAnImplementation) {
  const Catalog catalog = SampleCatalog();
  const PolicySpec policy = ResolvePolicy(catalog, "fair-early@v0", {}).value();

  EXPECT_EQ((*catalog.FindPolicy("fair-early"))->switches, (*catalog.FindPolicy("fair"))->switches);
  EXPECT_EQ(policy.name, "fair-early");
  EXPECT_EQ(ImplementationOf(policy), "fair");
  EXPECT_EQ(policy.switches.at("kick"), "off");
  EXPECT_EQ(policy.switches.at("election"), "correct");
}

TEST(CatalogTest, APolicyWithSwitchesOfItsOwnIsItsOwnImplementation) {
  const PolicySpec policy = ResolvePolicy(SampleCatalog(), "fair@v1", {}).value();

  EXPECT_EQ(policy.implementation, "");
  EXPECT_EQ(ImplementationOf(policy), "fair");
}

TEST(CatalogTest, AnImplementationMustHaveSwitchesOfItsOwn) {
  const std::string rest = "project = \"p\"\ndescription = \"d\"\n";
  const Error unknown =
      ErrorWith("policies/bad.toml", "name = \"bad\"\nimplementation = \"x\"\n" + rest);
  const Error shared =
      ErrorWith("policies/bad.toml", "name = \"bad\"\nimplementation = \"fair-early\"\n" + rest);
  const Error both =
      ErrorWith("policies/bad.toml", "name = \"bad\"\nimplementation = \"fair\"\n" + rest +
                                         "[[switch]]\nname = \"s\"\nvalues = [\"a\"]\n"
                                         "default = \"a\"\nmeaning = \"m\"\n");

  EXPECT_NE(unknown.message.find("'x' is not a policy with switches of its own"), std::string::npos)
      << unknown.message;
  EXPECT_NE(shared.message.find("'fair-early' is not a policy"), std::string::npos)
      << shared.message;
  EXPECT_NE(both.message.find("belongs in the file of the implementation"), std::string::npos)
      << both.message;
}

TEST(CatalogTest, OverridesMakeAVariant) {
  const PolicySpec policy =
      ResolvePolicy(SampleCatalog(), "fair@v1", {{"kick", "off"}, {"election", "inverted"}})
          .value();

  EXPECT_EQ(policy.variant, "election=inverted,kick=off");
  EXPECT_EQ(policy.switches.at("kick"), "off");
}

TEST(CatalogTest, AnUnknownSwitchOrValueIsRefused) {
  const Catalog catalog = SampleCatalog();

  EXPECT_EQ(ResolvePolicy(catalog, "fair", {{"kik", "off"}}).error().message,
            "policy 'fair' has no switch 'kik' (did you mean 'kick'?)");
  EXPECT_EQ(ResolvePolicy(catalog, "fair", {{"kick", "maybe"}}).error().message,
            "switch 'kick' of policy 'fair' cannot be 'maybe'; it is one of on, off");
}

TEST(CatalogTest, AWorkloadThatNeedsADocumentHasOneAndNoOtherDoes) {
  const Catalog catalog = testing::SampleCatalog();

  EXPECT_EQ(ResolveWorkload(catalog, "script", {}, "{}")->document, "{}");
  EXPECT_EQ(ResolveWorkload(catalog, "script", {}).error().message,
            "workload 'script' needs a document: a file of the format rt-app");
  EXPECT_EQ(ResolveWorkload(catalog, "spin", {}, "{}").error().message,
            "workload 'spin' takes no document");
}

TEST(CatalogTest, WorkloadParametersHaveDefaultsAndBounds) {
  const Catalog catalog = SampleCatalog();

  EXPECT_EQ(ResolveWorkload(catalog, "spin", {})->parameters.at("tasks_count"), 4);
  EXPECT_EQ(ResolveWorkload(catalog, "spin", {{"tasks_count", 9}})->parameters.at("tasks_count"),
            9);
  EXPECT_EQ(ResolveWorkload(catalog, "spin", {{"tasks_count", 0}}).error().message,
            "workload 'spin': parameter tasks_count = 0 is outside of 1 to 64");
  EXPECT_EQ(ResolveWorkload(catalog, "spin", {{"task_count", 4}}).error().code,
            ErrorCode::kNotFound);
}

}  // namespace
}  // namespace schedlab
