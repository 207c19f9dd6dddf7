#include "core/suite.h"

#include <gtest/gtest.h>

#include "core/catalog.h"
#include "core/expansion.h"

namespace schedlab {
namespace {

constexpr std::string_view kSuite =
    "name = \"s\"\nproject = \"linux\"\nrepetitions = 3\ntopologies = [\"t\"]\n"
    "[[policy]]\nname = \"p\"\nrevisions = \"v1..v2\"\nswitches = {a = \"b\"}\n"
    "[[workload]]\nname = \"w\"\nduration_ns = 5\nparameters = {n = 1}\n";

Result<std::string> NoFile(const std::string& path) {
  return Fail(ErrorCode::kNotFound, "cannot read " + path);
}

TEST(SuiteTest, AWholeFileIsRead) {
  const JobSpec spec = ParseSuite(kSuite, "s.toml", &NoFile).value();

  EXPECT_EQ(spec.suite, "s");
  EXPECT_EQ(spec.repetitions, 3);
  EXPECT_EQ(spec.policies[0].revisions, "v1..v2");
  EXPECT_EQ(spec.policies[0].switches.at("a"), "b");
  EXPECT_EQ(spec.workloads[0].parameters.at("n"), 1);
  EXPECT_EQ(spec.seed_mode, SeedMode::kIndependent);
}

TEST(SuiteTest, AMisspeltKeyIsNamedWithItsLine) {
  const std::string text = std::string(kSuite) + "durations_ns = 6\n";

  EXPECT_EQ(ParseSuite(text, "s.toml", &NoFile).error().message,
            "s.toml:13: key 'workload.durations_ns': is not known here (did you mean "
            "'duration_ns'?)");
}

TEST(SuiteTest, RepetitionsOutsideOfTheLimitAreRefused) {
  const Result<JobSpec> spec =
      ParseSuite("name=\"s\"\nproject=\"p\"\nrepetitions=0\n", "s.toml", &NoFile);

  EXPECT_EQ(spec.error().message, "s.toml:3: key 'repetitions': must be from 1 to 1000");
}

TEST(SuiteTest, AnEmptyMatrixIsRefused) {
  const Result<JobSpec> spec =
      ParseSuite("name=\"s\"\nproject=\"p\"\nrepetitions=1\ntopologies=[]\n", "s.toml", &NoFile);

  EXPECT_EQ(spec.error().message, "s.toml:4: key 'topologies': must name at least one");
}

TEST(SuiteTest, AFileBecomesTheDocumentOfItsWorkload) {
  const std::string text = std::string(kSuite) + "file = \"load.json\"\n";
  const auto read = [](const std::string& path) { return Result<std::string>("text of " + path); };

  EXPECT_EQ(ParseSuite(text, "s.toml", read)->workloads[0].document, "text of load.json");
  EXPECT_EQ(ParseSuite(kSuite, "s.toml", read)->workloads[0].document, "");
}

TEST(SuiteTest, AFileThatCannotBeReadIsNamedWithItsLine) {
  const std::string text = std::string(kSuite) + "file = \"load.json\"\n";

  EXPECT_EQ(ParseSuite(text, "s.toml", &NoFile).error().message,
            "s.toml:13: key 'workload.file': cannot read load.json");
}

TEST(SuiteTest, AnEmptyFileIsRefused) {
  const std::string text = std::string(kSuite) + "file = \"load.json\"\n";
  const auto read = [](const std::string& /*path*/) { return Result<std::string>(""); };

  EXPECT_EQ(ParseSuite(text, "s.toml", read).error().message,
            "s.toml:13: key 'workload.file': is empty");
}

TEST(SuiteTest, EverySuiteThatShipsNamesWhatThereIs) {
  const Catalog catalog = ParseCatalog(EmbeddedCatalogFiles()).value();

  for (const auto& [name, text] : catalog.suites) {
    const Result<JobSpec> spec = ParseSuite(text, name, &NoFile);
    ASSERT_TRUE(spec.has_value()) << spec.error().message;
    EXPECT_EQ(spec->suite, name);
    const Result<ExpandedJob> job = Expand(catalog, *spec);
    EXPECT_TRUE(job.has_value()) << name << ": " << job.error().message;
  }
}

TEST(SuiteTest, YardsticksAndDisturbancesAreRead) {
  const std::string text = "yardsticks = [\"oracle\"]\n" + std::string(kSuite) +
                           "hotplug = [{at_ns = 7, cpu = 1, is_online = false}, {at_ns = 9, cpu = "
                           "1, is_online = true}]\n"
                           "irq_sources = [{cpu = 2, period_ns = 100, duration_ns = 3}]\n";
  const JobSpec spec = ParseSuite(text, "s.toml", &NoFile).value();

  EXPECT_EQ(spec.yardsticks, std::vector<std::string>{"oracle"});
  EXPECT_EQ(spec.workloads[0].hotplug, (std::vector<HotplugEvent>{{7, 1, false}, {9, 1, true}}));
  EXPECT_EQ(spec.workloads[0].irq_sources, (std::vector<IrqSource>{{2, 100, 3}}));
}

TEST(SuiteTest, ADisturbanceThatLacksAKeyIsNamedWithItsLine) {
  const auto error_of = [](const std::string& line) {
    return ParseSuite(std::string(kSuite) + line, "s.toml", &NoFile).error().message;
  };

  EXPECT_EQ(error_of("hotplug = [{at_ns = 7, cpu = 1}]\n"),
            "s.toml:13: key 'workload.hotplug.is_online': is missing");
  EXPECT_EQ(error_of("irq_sources = [{cpu = -1, period_ns = 9, duration_ns = 3}]\n"),
            "s.toml:13: key 'workload.irq_sources.cpu': must be from 0 to 4095");
  EXPECT_EQ(error_of("hotplug = [{at_ns = 7, cpu = 1, is_online = true, cpus = 1}]\n"),
            "s.toml:13: key 'workload.hotplug.cpus': is not known here (did you mean 'cpu'?)");
}

}  // namespace
}  // namespace schedlab
