#include "tests/contract/analysis_fixture.h"

namespace schedlab::testing {
namespace {

using CoverageTest = AnalysisFixture;

const std::vector<std::string> kThreeRevisions = {"aaaaaaaa", "bbbbbbbb", "cccccccc"};

TEST_F(CoverageTest, CountsTheSamplesOfTheRevisionAndItsMeasuredNeighbours) {
  Execute({.revisions = kThreeRevisions, .repetitions = 2});

  const Coverage coverage =
      ValueOf(store_.ReadCoverage({.project = "linux", .revision = "bbbbbbb"}));

  EXPECT_EQ(coverage.revision.id, "bbbbbbbb");
  EXPECT_EQ(coverage.neighbours, (std::vector<std::string>{"aaaaaaaa", "cccccccc"}));
  ASSERT_EQ(coverage.cells.size(), 1U);
  EXPECT_EQ(coverage.cells[0].series.key.metric, "files_per_sec");
  EXPECT_EQ(coverage.cells[0].sample_count, 2);
  EXPECT_EQ(coverage.cells[0].neighbour_count, 2);
}

TEST_F(CoverageTest, ACellThatOnlyANeighbourHasIsListedAsMissing) {
  Execute({.request_id = "both", .revisions = {"aaaaaaaa", "bbbbbbbb"}});
  Execute({.request_id = "one", .revisions = {"aaaaaaaa"}, .topologies = {"kvm-1x16"}});

  const Coverage coverage =
      ValueOf(store_.ReadCoverage({.project = "linux", .revision = "bbbbbbbb"}));

  ASSERT_EQ(coverage.cells.size(), 2U);
  EXPECT_EQ(coverage.cells[0].series.key.topology, "kvm-16x1");
  EXPECT_EQ(coverage.cells[0].sample_count, 1);
  EXPECT_EQ(coverage.cells[1].series.key.topology, "kvm-1x16");
  EXPECT_EQ(coverage.cells[1].sample_count, 0);
  EXPECT_EQ(coverage.cells[1].neighbour_count, 1);
}

TEST_F(CoverageTest, NeighboursFurtherAwayThanAskedForAreLeftOut) {
  Execute({.revisions = {"aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd"}});

  const Coverage coverage = ValueOf(
      store_.ReadCoverage({.project = "linux", .revision = "aaaaaaaa", .neighbour_count = 2}));

  EXPECT_EQ(coverage.neighbours, (std::vector<std::string>{"bbbbbbbb", "cccccccc"}));
  EXPECT_EQ(coverage.cells.at(0).neighbour_count, 2);
}

TEST_F(CoverageTest, CountersAreListedWhereTheyAreAskedFor) {
  Execute({});

  const Coverage coverage = ValueOf(
      store_.ReadCoverage({.project = "linux", .revision = "aaaaaaaa", .has_counters = true}));

  EXPECT_EQ(coverage.cells.size(), 3U);
}

TEST_F(CoverageTest, ARevisionThatHasNotRunYetHasNoSamplesButNeighbours) {
  Execute({.request_id = "measured", .revisions = {"aaaaaaaa"}});
  Create({.request_id = "waiting", .revisions = {"aaaaaaaa", "bbbbbbbb"}, .salt = "other"});

  const Coverage coverage =
      ValueOf(store_.ReadCoverage({.project = "linux", .revision = "bbbbbbbb"}));

  ASSERT_EQ(coverage.cells.size(), 1U);
  EXPECT_EQ(coverage.cells[0].sample_count, 0);
  EXPECT_EQ(coverage.cells[0].neighbour_count, 1);
}

TEST_F(CoverageTest, AnUnknownRevisionIsNotFound) {
  Execute({});

  const auto coverage = store_.ReadCoverage({.project = "linux", .revision = "eeeeeeee"});

  ASSERT_FALSE(coverage.has_value());
  EXPECT_EQ(coverage.error().code, ErrorCode::kNotFound);
}

TEST_F(CoverageTest, ARevisionWithoutResultsIsFoundWhereNoneAreNeeded) {
  Create({.revisions = kThreeRevisions});

  EXPECT_EQ(
      ValueOf(store_.FindRevision("linux", "", "bbbbbbbb", server::NeedsResults::kNo)).ordinal, 1);
}

}  // namespace
}  // namespace schedlab::testing
