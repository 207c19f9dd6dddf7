#include "client/coverage_view.h"

#include <gtest/gtest.h>

#include "tests/unit/client/golden.h"
#include "tests/unit/client/report_values.h"

namespace schedlab::client {
namespace {

CoverageCell CellOf(std::int64_t id, const std::string& topology, const std::string& engine,
                    std::int64_t samples, std::int32_t neighbours) {
  CoverageCell cell{SeriesOf(topology, "files_per_sec", MetricRole::kHeadline), samples,
                    neighbours};
  cell.series.id = SeriesId{id};
  cell.series.key.engine_version = engine;
  return cell;
}

Coverage TwoCells() {
  return {.revision = {"bbbbbbbbbbbbbbbb", 2, "sched: after", ""},
          .neighbours = {"aaaaaaaaaaaaaaaa", "cccccccccccccccc"},
          .cells = {CellOf(1, "kvm-16x1", "3", 5, 2), CellOf(2, "kvm-1x16", "3", 0, 1)}};
}

TEST(CoverageViewTest, MissingCellsAreNamedInWords) {
  ExpectGolden("coverage.txt", RenderCoverage(TwoCells()));
}

TEST(CoverageViewTest, AnEarlierEngineVersionIsNotMissing) {
  Coverage coverage = TwoCells();
  coverage.cells.push_back(CellOf(3, "kvm-16x1", "2", 0, 2));

  const Coverage kept = WithoutSupersededCells(coverage);

  ASSERT_EQ(kept.cells.size(), 2U);
  EXPECT_EQ(kept.cells[0].series.id.value, 1);
}

TEST(CoverageViewTest, ARevisionWithoutSamplesHasNoResults) {
  Coverage coverage = TwoCells();
  EXPECT_TRUE(HasResults(coverage));

  coverage.cells[0].sample_count = 0;

  EXPECT_FALSE(HasResults(coverage));
}

}  // namespace
}  // namespace schedlab::client
