#include "tests/support/null_project.h"

#include <gtest/gtest.h>

#include "server/find_changes.h"

namespace schedlab::server {
namespace {

using testing::MakeProject;
using testing::NoiseKind;

// 6 % of projects may have an alert; of 60, eight or more would then be rarer than one in 40. Runs
// that hang together from one revision to the next are told more often: docs/judgement.md says how.
TEST(NullProjectTest, TwoHundredSeriesWithoutAChangeRarelyGiveAnAlert) {
  for (const NoiseKind kind : testing::kAllNoiseKinds) {
    if (kind == NoiseKind::kAutocorrelated) continue;
    int alarm_count = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      if (!FindChanges(MakeProject({.kind = kind}, seed)).outcome.alerts.empty()) ++alarm_count;
    }
    EXPECT_LT(alarm_count, 8) << ToString(kind);
  }
}

// Else the test above would pass of what finds nothing.
TEST(NullProjectTest, OneStepAmongThemIsOneAlert) {
  auto series = MakeProject({}, 1);
  for (std::size_t i = 15; i < series[7].points.size(); ++i) {
    for (double& value : series[7].points[i].samples) value *= 0.9;
  }

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  EXPECT_EQ(analysis.outcome.alerts[0].revision.id, "r15");
}

}  // namespace
}  // namespace schedlab::server
