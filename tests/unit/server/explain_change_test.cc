#include "server/explain_change.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/server/sample_series.h"

namespace schedlab::server {
namespace {

// 245 until revision 7, then another level.
SeriesPoints StepTo(double level) {
  std::vector<double> levels(16, 245);
  for (std::size_t i = 8; i < levels.size(); ++i) levels[i] = level;
  return WithLevels(SampleSeries(1, "kvm-16x1"), levels);
}

ChangeExplanation Explain(const std::vector<SeriesPoints>& series, std::int64_t ordinal) {
  const auto explanation = ExplainChange(series, SeriesId{1}, RevisionAt(ordinal));
  EXPECT_TRUE(explanation.has_value());
  return explanation.value_or(ChangeExplanation());
}

const ChangeCheck& CheckOf(const ChangeExplanation& explanation, const std::string& name) {
  static const ChangeCheck kNone;
  for (const ChangeCheck& check : explanation.checks) {
    if (check.name == name) return check;
  }
  ADD_FAILURE() << "no check " << name;
  return kNone;
}

TEST(ExplainChangeTest, ARegressionPassesEveryCheck) {
  const ChangeExplanation explanation = Explain({StepTo(180)}, 8);

  EXPECT_EQ(explanation.reason, ChangeReason::kRegression);
  ASSERT_TRUE(explanation.step.has_value());
  EXPECT_NEAR(explanation.step->relative_change, 180.0 / 245 - 1, 0.01);
  EXPECT_LT(explanation.step->p_value, 0.01);
  for (const ChangeCheck& check : explanation.checks) EXPECT_TRUE(check.is_passed) << check.name;
  ASSERT_TRUE(explanation.change.has_value());
  EXPECT_EQ(explanation.change->revision, RevisionAt(8));
  EXPECT_EQ(explanation.step->p_value, explanation.change->p_value);
}

TEST(ExplainChangeTest, AnImprovementRaisesNoAlert) {
  EXPECT_EQ(Explain({StepTo(300)}, 8).reason, ChangeReason::kImprovement);
}

TEST(ExplainChangeTest, ASmallStepMissesTheMinimumEffect) {
  const ChangeExplanation explanation = Explain({StepTo(240)}, 8);

  EXPECT_EQ(explanation.reason, ChangeReason::kSmallEffect);
  const ChangeCheck& check = CheckOf(explanation, "minimum_effect");
  EXPECT_FALSE(check.is_passed);
  EXPECT_NEAR(check.value, 5.0 / 245, 0.005);
  EXPECT_EQ(check.limit, 0.03);
}

TEST(ExplainChangeTest, AStepWithinTheNoiseIsNotSignificant) {
  SeriesPoints series = StepTo(230);
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const auto sign = i % 2 == 0 ? 1.0 : -1.0;
    for (double& sample : series.points[i].samples) sample *= 1 + sign * 0.2;
  }

  const ChangeExplanation explanation = Explain({series}, 8);

  EXPECT_EQ(explanation.reason, ChangeReason::kNotSignificant);
  EXPECT_FALSE(CheckOf(explanation, "p_value_of_all_revisions").is_passed);
}

TEST(ExplainChangeTest, OneBadRevisionIsNotBelieved) {
  std::vector<double> levels(100, 245);
  levels[98] = 150;
  levels[99] = 243;

  const ChangeExplanation explanation =
      Explain({WithLevels(SampleSeries(1, "kvm-16x1"), levels)}, 98);

  EXPECT_EQ(explanation.reason, ChangeReason::kOneRevision);
  EXPECT_TRUE(CheckOf(explanation, "p_value_of_all_revisions").is_passed);
  EXPECT_FALSE(CheckOf(explanation, "p_value_without_the_loudest_revision").is_passed);
}

TEST(ExplainChangeTest, TheNewestRevisionWithTooFewRunsIsNotBelievedYet) {
  SeriesPoints series = StepTo(245);
  series.points[15].samples = {180, 181};

  const ChangeExplanation explanation = Explain({series}, 15);

  EXPECT_EQ(explanation.reason, ChangeReason::kTooFewRuns);
  const ChangeCheck& check = CheckOf(explanation, "runs_of_the_newest_revision");
  EXPECT_EQ(check.value, 2);
  EXPECT_EQ(check.limit, 5);
}

TEST(ExplainChangeTest, RunsOfTheNewestRevisionAmongEarlierOnesAreNotBelievedYet) {
  SeriesPoints series = StepTo(245);
  series.points[15].samples = {180, 181, 182, 183, 245};

  EXPECT_EQ(Explain({series}, 15).reason, ChangeReason::kRunsOverlap);
}

TEST(ExplainChangeTest, ANeighbourOfAChangeNamesTheLikelierRevision) {
  SeriesPoints series = StepTo(180);
  series.points[7].samples = {180, 245, 210, 181, 246};

  const ChangeExplanation explanation = Explain({series}, 7);

  EXPECT_EQ(explanation.reason, ChangeReason::kAnotherRevision);
  EXPECT_EQ(explanation.likelier, RevisionAt(8));
}

TEST(ExplainChangeTest, ARevisionWithoutResultsIsNotMeasured) {
  SeriesPoints series = StepTo(245);
  series.points[5].samples.clear();

  EXPECT_EQ(Explain({series}, 5).reason, ChangeReason::kNotMeasured);
  EXPECT_EQ(Explain({series}, 99).reason, ChangeReason::kNotMeasured);
}

TEST(ExplainChangeTest, TheFirstRevisionHasNothingBeforeIt) {
  EXPECT_EQ(Explain({StepTo(245)}, 0).reason, ChangeReason::kNothingBefore);
}

// A step that is significant alone: p = 0.0015.
SeriesPoints BarelySignificant() {
  SeriesPoints series = WithLevels(SampleSeries(1, "kvm-16x1"), std::vector<double>(16, 245));
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const double noise = static_cast<double>((i * 7) % 5) * 0.01 - 0.02;
    const double level = i < 8 ? 245 : 230;
    series.points[i].samples = {level * (1 + noise)};
  }
  return series;
}

TEST(ExplainChangeTest, AmongManySeriesAStepMayNotSurviveTheFalseDiscoveryRate) {
  std::vector<SeriesPoints> series = {BarelySignificant()};
  const ChangeExplanation alone = Explain(series, 8);
  for (std::int64_t id = 2; id <= 2000; ++id) {
    series.push_back(WithLevels(SampleSeries(id, "kvm-8x2"), {245, 245, 245}));
  }

  const ChangeExplanation among_many = Explain(series, 8);

  EXPECT_EQ(alone.reason, ChangeReason::kRegression) << ToString(alone.reason);
  EXPECT_EQ(among_many.reason, ChangeReason::kFalseDiscoveryRate);
  EXPECT_EQ(among_many.series_count, 2000);
  EXPECT_FALSE(CheckOf(among_many, "false_discovery_rate").is_passed);
}

TEST(ExplainChangeTest, ThePointsAroundTheRevisionAreTold) {
  const ChangeExplanation explanation = Explain({StepTo(245)}, 15);

  ASSERT_EQ(explanation.points.size(), kExplainedPointsPerSide + 1);
  EXPECT_EQ(explanation.points.back().revision, RevisionAt(15));
}

TEST(ExplainChangeTest, AnUnknownSeriesIsNotFound) {
  const auto explanation = ExplainChange({}, SeriesId{1}, RevisionAt(1));

  ASSERT_FALSE(explanation.has_value());
  EXPECT_EQ(explanation.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace schedlab::server
