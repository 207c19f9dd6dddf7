#include "stats/change_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "stats/effect.h"
#include "tests/support/noisy_series.h"

namespace schedlab::stats {
namespace {

using testing::MakeSeries;
using testing::NoiseKind;
using testing::SeriesSpec;

std::vector<ChangePoint> Detect(const std::vector<SeriesPoint>& series) {
  return *DetectChangePoints(series, {});
}

std::vector<std::int64_t> IndicesOf(const std::vector<ChangePoint>& change_points) {
  std::vector<std::int64_t> indices;
  indices.reserve(change_points.size());
  for (const ChangePoint& point : change_points) indices.push_back(point.index);
  return indices;
}

std::vector<SeriesPoint> Constants(const std::vector<double>& values, std::size_t run_count) {
  std::vector<SeriesPoint> series;
  series.reserve(values.size());
  for (const double value : values) series.push_back({std::vector<double>(run_count, value)});
  return series;
}

// The runs of one revision, all times `factor`.
void Scale(SeriesPoint& point, double factor) {
  for (double& run : point.samples) run *= factor;
}

// A history of 27 revisions with a regression of 25 % at 10 that is fixed at 17.
SeriesSpec RegressionAndFix(double noise, NoiseKind kind) {
  return {.noise = noise,
          .kind = kind,
          .steps = {{.at = 10, .factor = 0.75}, {.at = 17, .factor = 1 / 0.75}}};
}

TEST(DetectChangePointsTest, TellsARegressionAndItsFix) {
  const std::vector<ChangePoint> points =
      Detect(MakeSeries(RegressionAndFix(0.02, NoiseKind::kNormal), 1));

  ASSERT_EQ(IndicesOf(points), (std::vector<std::int64_t>{10, 17}));
  EXPECT_NEAR(points[0].relative_change, -0.25, 0.02);
  EXPECT_NEAR(points[1].relative_change, 1 / 0.75 - 1, 0.03);
  EXPECT_EQ(points[0].interval, (IndexInterval{.first = 10, .last = 10}));
  EXPECT_EQ(points[0].before.count, 50);
  EXPECT_EQ(points[0].after.count, 35);
  EXPECT_NEAR(points[0].after.mean, 750, 15);
  EXPECT_LT(points[0].effect_in_sd, -8);
  EXPECT_LT(points[0].p_value, 1e-6);
}

int CountExact(double noise, NoiseKind kind) {
  int exact = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto points = Detect(MakeSeries(RegressionAndFix(noise, kind), seed));
    if (IndicesOf(points) == std::vector<std::int64_t>{10, 17}) ++exact;
  }
  return exact;
}

// Both steps, exactly, and nothing else: in at least 95 % of 200 series.
TEST(DetectChangePointsTest, LocatesALargeStepExactly) {
  EXPECT_GE(CountExact(0.01, NoiseKind::kNormal), 198);
  EXPECT_GE(CountExact(0.02, NoiseKind::kHeavyTailed), 196);
  EXPECT_GE(CountExact(0.04, NoiseKind::kNormal), 196);
  EXPECT_GE(CountExact(0.04, NoiseKind::kHeavyTailed), 190);
  EXPECT_GE(CountExact(0.04, NoiseKind::kLogNormal), 190);
  EXPECT_GE(CountExact(0.04, NoiseKind::kSpiky), 190);
  EXPECT_GE(CountExact(0.04, NoiseKind::kBimodal), 190);
  EXPECT_GE(CountExact(0.04, NoiseKind::kAutocorrelated), 190);
}

int CountExactIn(const SeriesSpec& spec, const std::vector<std::int64_t>& truth) {
  int exact = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    if (IndicesOf(Detect(MakeSeries(spec, seed))) == truth) ++exact;
  }
  return exact;
}

TEST(DetectChangePointsTest, FindsSegmentsOfThreeRevisions) {
  const SeriesSpec spec{.noise = 0.03,
                        .steps = {{.at = 12, .factor = 0.75}, {.at = 15, .factor = 1 / 0.75}}};

  EXPECT_GE(CountExactIn(spec, {12, 15}), 190);
}

TEST(DetectChangePointsTest, TwelveRevisionsAreEnough) {
  EXPECT_GE(
      CountExactIn({.point_count = 12, .noise = 0.03, .steps = {{.at = 5, .factor = 0.75}}}, {5}),
      190);
  EXPECT_GE(
      CountExactIn({.point_count = 12, .noise = 0.03, .steps = {{.at = 9, .factor = 1.3}}}, {9}),
      190);
}

TEST(DetectChangePointsTest, LongSeriesOfSingleRunsAreSegmented) {
  const std::vector<ChangePoint> points =
      Detect(MakeSeries({.point_count = 3000,
                         .runs_per_point = 1,
                         .noise = 0.01,
                         .steps = {{.at = 500, .factor = 1.1},
                                   {.at = 1700, .factor = 0.9},
                                   {.at = 2900, .factor = 0.95}}},
                        5));

  EXPECT_EQ(IndicesOf(points), (std::vector<std::int64_t>{500, 1700, 2900}));
}

int CountAlarms(const SeriesSpec& spec, int trials) {
  int alarms = 0;
  for (int seed = 1; seed <= trials; ++seed) {
    if (!Detect(MakeSeries(spec, static_cast<std::uint64_t>(seed))).empty()) ++alarms;
  }
  return alarms;
}

class FalseAlarmTest : public ::testing::TestWithParam<NoiseKind> {};

// The level is 1 %; the bounds are the 99.9 % quantiles of binomials at 2 %, which leaves
// autocorrelated and bimodal noise its measured excess.
TEST_P(FalseAlarmTest, HistoriesWithoutAChangeAreQuiet) {
  EXPECT_LE(CountAlarms({.point_count = 27, .runs_per_point = 5, .kind = GetParam()}, 500), 20);
  EXPECT_LE(CountAlarms({.point_count = 12, .runs_per_point = 5, .kind = GetParam()}, 500), 20);
  EXPECT_LE(CountAlarms({.point_count = 100, .runs_per_point = 1, .kind = GetParam()}, 300), 15);
}

INSTANTIATE_TEST_SUITE_P(AllKinds, FalseAlarmTest, ::testing::ValuesIn(testing::kAllNoiseKinds));

// What the runs of a revision share, such as its code layout, is noise of the series too.
TEST(DetectChangePointsTest, RevisionsThatVaryMoreThanTheirRunsAreQuiet) {
  EXPECT_LE(CountAlarms({.noise = 0.01, .revision_noise = 0.02}, 500), 20);
  EXPECT_LE(CountAlarms({.point_count = 12, .noise = 0.01, .revision_noise = 0.02}, 500), 20);
}

TEST(DetectChangePointsTest, MoreNoiseIsNoChangeOfLevel) {
  EXPECT_LE(CountAlarms({.noise = 0.01, .steps = {{.at = 14, .noise_factor = 8}}}, 500), 20);
  EXPECT_LE(CountAlarms({.noise = 0.01, .steps = {{.at = 20, .noise_factor = 8}}}, 500), 20);
  EXPECT_LE(CountAlarms({.point_count = 200,
                         .runs_per_point = 1,
                         .noise = 0.01,
                         .steps = {{.at = 150, .noise_factor = 8}}},
                        300),
            15);
}

struct Located {
  int found = 0;
  int covered = 0;
};

Located LocateSmallSteps(int trials) {
  Located located;
  for (int seed = 1; seed <= trials; ++seed) {
    const auto points = Detect(MakeSeries({.noise = 0.02, .steps = {{.at = 13, .factor = 1.03}}},
                                          static_cast<std::uint64_t>(seed)));
    if (points.size() != 1) continue;
    ++located.found;
    if (points[0].interval.first <= 13 && 13 <= points[0].interval.last) ++located.covered;
  }
  return located;
}

// A step of 1.5 standard deviations of a run. 90 % of those found, less 3 standard errors.
// As hackbench on Linux 3.4-rc: five times slower, and ten to thirty times as noisy.
TEST(DetectChangePointsTest, LevelsThatBringNoiseOfTheirOwnAreFound) {
  const SeriesSpec spec{.point_count = 25,
                        .runs_per_point = 3,
                        .noise = 0.005,
                        .steps = {{.at = 6, .factor = 0.2, .noise_factor = 10},
                                  {.at = 14, .factor = 1.6, .noise_factor = 3},
                                  {.at = 18, .factor = 3.1, .noise_factor = 1.0 / 30}}};
  int whole_count = 0;
  int edges_count = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::vector<std::int64_t> found = IndicesOf(Detect(MakeSeries(spec, seed)));
    if (found == std::vector<std::int64_t>{6, 14, 18}) ++whole_count;
    const bool has_first = std::count(found.begin(), found.end(), 6) > 0;
    if (has_first && std::count(found.begin(), found.end(), 18) > 0) ++edges_count;
  }
  // The rest are taken for autocorrelation, which so short a series cannot tell from a missed step.
  EXPECT_GE(edges_count, 95);
  EXPECT_GE(whole_count, 75);
}

// A young project: six revisions of four runs, and the newest two are worse by 8 standard
// deviations.
TEST(DetectChangePointsTest, WhatOnlyTheNewestTwoRevisionsShowIsFoundWhereTheirRunsAgree) {
  int found_count = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const SeriesSpec spec{.point_count = 6,
                          .runs_per_point = 4,
                          .noise = 0.02,
                          .steps = {{.at = 4, .factor = 1 / 1.16}}};
    if (IndicesOf(Detect(MakeSeries(spec, seed))) == std::vector<std::int64_t>{4}) ++found_count;
  }

  EXPECT_GE(found_count, 70);
}

// Noisy while it is slow, and only the newest two revisions are fast again.
TEST(DetectChangePointsTest, ALossThatOnlyTheNewestTwoRevisionsEndIsFound) {
  int found_count = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const SeriesSpec spec{.point_count = 20,
                          .runs_per_point = 3,
                          .noise = 0.01,
                          .steps = {{.at = 6, .factor = 0.5, .noise_factor = 3},
                                    {.at = 18, .factor = 2, .noise_factor = 1.0 / 3}}};
    if (IndicesOf(Detect(MakeSeries(spec, seed))) == std::vector<std::int64_t>{6, 18}) {
      ++found_count;
    }
  }

  EXPECT_GE(found_count, 95);
}

// Means of a single run among means of 25: five times as noisy, and they must not decide.
TEST(DetectChangePointsTest, AMeanOfFewRunsWeighsAsMuchLess) {
  int weighted_count = 0;
  int blind_count = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::vector<SeriesPoint> series = MakeSeries({.point_count = 40,
                                                  .runs_per_point = 1,
                                                  .noise = 0.01,
                                                  .steps = {{.at = 20, .factor = 0.97}}},
                                                 seed);
    for (std::size_t i = 0; i < series.size(); i += 3) {
      const double level = i < 20 ? 1000 : 970;
      series[i].samples[0] = level + 5 * (series[i].samples[0] - level);
      series[i].weight = 1.0 / 25;
    }
    const auto has_step = [](const std::vector<SeriesPoint>& points) {
      const std::vector<std::int64_t> found = IndicesOf(Detect(points));
      return found.size() == 1 && std::abs(found[0] - 20) <= 2;
    };
    if (has_step(series)) ++weighted_count;
    for (SeriesPoint& point : series) point.weight = 1;
    if (has_step(series)) ++blind_count;
  }

  EXPECT_GE(weighted_count, 75);
  EXPECT_GE(weighted_count, blind_count + 20);
}

TEST(DetectChangePointsTest, AWeightThatIsNoneIsRefused) {
  for (const double weight : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    std::vector<SeriesPoint> series = MakeSeries({}, 1);
    series[3].weight = weight;
    EXPECT_EQ(DetectChangePoints(series, {}).error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(DetectChangePointsTest, SmallStepsAreFoundAndCoveredByTheirInterval) {
  const Located located = LocateSmallSteps(300);

  EXPECT_GE(located.found, 240);
  EXPECT_GE(located.covered * 100, located.found * 85);
}

TEST(DetectChangePointsTest, OneWildRunIsNoChange) {
  auto series = MakeSeries({}, 3);
  series[13].samples[2] *= 4;

  EXPECT_TRUE(Detect(series).empty());
}

std::vector<std::size_t> PlacesOfABadRevisionThatAlarm() {
  std::vector<std::size_t> places;
  for (std::size_t bad = 0; bad + 1 < 27; ++bad) {
    auto series = MakeSeries({}, 100 + bad);
    Scale(series[bad], 0.6);
    if (!Detect(series).empty()) places.push_back(bad);
  }
  return places;
}

TEST(DetectChangePointsTest, OneBadRevisionIsNoChange) {
  EXPECT_EQ(PlacesOfABadRevisionThatAlarm(), std::vector<std::size_t>{});
}

TEST(DetectChangePointsTest, TwoSeparateBadRevisionsAreNoChange) {
  auto series = MakeSeries({}, 8);
  Scale(series[9], 0.6);
  Scale(series[11], 0.6);

  EXPECT_TRUE(Detect(series).empty());
}

TEST(DetectChangePointsTest, BadRevisionBesideAStepDoesNotHideIt) {
  auto series = MakeSeries(RegressionAndFix(0.02, NoiseKind::kNormal), 4);
  Scale(series[7], 2);

  EXPECT_EQ(IndicesOf(Detect(series)), (std::vector<std::int64_t>{10, 17}));
}

TEST(DetectChangePointsTest, NewestRevisionCountsIfAllItsRunsDisagree) {
  auto series = MakeSeries({}, 6);
  Scale(series.back(), 0.75);
  const std::vector<ChangePoint> all_disagree = Detect(series);
  series.back().samples[3] /= 0.75;

  EXPECT_EQ(IndicesOf(all_disagree), (std::vector<std::int64_t>{26}));
  EXPECT_TRUE(Detect(series).empty());
}

TEST(DetectChangePointsTest, NewestRevisionOfOneRunWaitsForMore) {
  auto series = MakeSeries({.point_count = 60, .runs_per_point = 1}, 6);
  series.back().samples[0] *= 0.5;

  EXPECT_TRUE(Detect(series).empty());
}

TEST(DetectChangePointsTest, ChangeBelowTheMinimumEffectIsNotReported) {
  const auto series = MakeSeries({.noise = 0.002, .steps = {{.at = 13, .factor = 1.02}}}, 2);

  EXPECT_EQ(Detect(series).size(), 1U);
  EXPECT_TRUE(DetectChangePoints(series, {.minimum_effect = 0.03})->empty());
}

TEST(DetectChangePointsTest, ConstantsAreComparedExactly) {
  EXPECT_TRUE(Detect(Constants(std::vector<double>(20, 5.0), 3)).empty());
  EXPECT_TRUE(Detect(Constants(std::vector<double>(20, 0.0), 3)).empty());
  std::vector<double> step(20, 5.0);
  std::fill(step.begin() + 12, step.end(), 4.0);

  const std::vector<ChangePoint> points = Detect(Constants(step, 3));

  ASSERT_EQ(IndicesOf(points), (std::vector<std::int64_t>{12}));
  EXPECT_NEAR(points[0].relative_change, -0.2, 1e-12);
  EXPECT_EQ(points[0].effect_in_sd, -kLargestEffectInSd);
}

TEST(DetectChangePointsTest, ZerosAndNegativesAreJudgedOnThePlainScale) {
  const std::vector<ChangePoint> up =
      Detect(Constants({0, 0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 3, 3, 3}, 3));
  const std::vector<ChangePoint> down =
      Detect(Constants({-1, -1, -1, -1, -1, -1, -2, -2, -2, -2, -2, -2}, 3));

  ASSERT_EQ(IndicesOf(up), (std::vector<std::int64_t>{8}));
  EXPECT_GT(up[0].relative_change, 0);
  ASSERT_EQ(IndicesOf(down), (std::vector<std::int64_t>{6}));
  EXPECT_DOUBLE_EQ(down[0].relative_change, -1);
}

void RoundToMultiplesOf(double unit, std::vector<SeriesPoint>& series) {
  for (SeriesPoint& point : series) {
    for (double& run : point.samples) run = std::round(run / unit) * unit;
  }
}

TEST(DetectChangePointsTest, TiesAreNoTrouble) {
  auto series = MakeSeries(RegressionAndFix(0.02, NoiseKind::kNormal), 9);
  RoundToMultiplesOf(20, series);

  EXPECT_EQ(IndicesOf(Detect(series)), (std::vector<std::int64_t>{10, 17}));
}

std::vector<SeriesPoint> InAnotherUnitAndOrder(std::vector<SeriesPoint> series) {
  for (SeriesPoint& point : series) {
    std::reverse(point.samples.begin(), point.samples.end());
    Scale(point, 1e6);
  }
  return series;
}

TEST(DetectChangePointsTest, UnitAndOrderOfRunsDoNotMatter) {
  const auto series = MakeSeries(RegressionAndFix(0.04, NoiseKind::kNormal), 12);

  const auto points = Detect(series);
  const auto of_changed = Detect(InAnotherUnitAndOrder(series));

  ASSERT_EQ(IndicesOf(of_changed), IndicesOf(points));
  EXPECT_NEAR(of_changed[0].relative_change, points[0].relative_change, 1e-9);
  EXPECT_NEAR(of_changed[0].effect_in_sd, points[0].effect_in_sd, 1e-6);
}

TEST(DetectChangePointsTest, UnmeasuredRevisionsLieInTheInterval) {
  auto series = MakeSeries(RegressionAndFix(0.02, NoiseKind::kNormal), 1);
  series[10].samples.clear();
  series[11].samples.clear();

  const auto points = Detect(series);

  ASSERT_EQ(IndicesOf(points), (std::vector<std::int64_t>{12, 17}));
  EXPECT_EQ(points[0].interval, (IndexInterval{.first = 10, .last = 12}));
}

std::vector<SeriesPoint> WithFewerRunsInEverySecondPoint(std::vector<SeriesPoint> series) {
  for (std::size_t i = 0; i < series.size(); i += 2) series[i].samples.resize(1 + i % 4);
  return series;
}

TEST(DetectChangePointsTest, UnequalRunCountsAreWeighed) {
  const auto series =
      WithFewerRunsInEverySecondPoint(MakeSeries(RegressionAndFix(0.02, NoiseKind::kNormal), 2));

  EXPECT_EQ(IndicesOf(Detect(series)), (std::vector<std::int64_t>{10, 17}));
}

TEST(DetectChangePointsTest, TooLittleToJudgeHasNoChangePoint) {
  EXPECT_TRUE(Detect({}).empty());
  EXPECT_TRUE(Detect(Constants({1}, 5)).empty());
  EXPECT_TRUE(Detect(Constants({1, 2}, 5)).empty());
  EXPECT_TRUE(Detect({{}, {}, {{1, 2}}, {}}).empty());
}

TEST(DetectChangePointsTest, BadInputIsRefused) {
  auto series = MakeSeries({}, 1);
  series[4].samples[1] = std::numeric_limits<double>::quiet_NaN();

  EXPECT_EQ(DetectChangePoints(series, {}).error().message,
            "point 4: sample 1 is nan, not a finite number");
  EXPECT_FALSE(DetectChangePoints({}, {.significance = 0}).has_value());
  EXPECT_FALSE(DetectChangePoints({}, {.minimum_effect = -1}).has_value());
  EXPECT_FALSE(DetectChangePoints({}, {.location_confidence = 1}).has_value());
  const std::vector<SeriesPoint> too_long(kMostSeriesPoints + 1);
  EXPECT_EQ(DetectChangePoints(too_long, {}).error().code, ErrorCode::kInvalidArgument);
}

ChangePoint WithPValue(double p_value) {
  ChangePoint point;
  point.p_value = p_value;
  return point;
}

TEST(KeepDiscoveriesTest, QuietSeriesRaiseTheBar) {
  std::vector<std::vector<ChangePoint>> series(10);
  series[3] = {WithPValue(1e-9), WithPValue(0.009)};

  const auto few = KeepDiscoveries(std::span(series).first(4), 0.05);
  const auto many = KeepDiscoveries(series, 0.01);

  EXPECT_EQ(few[3].size(), 2U);
  EXPECT_EQ(many[3].size(), 1U);
  EXPECT_EQ(many.size(), 10U);
}

struct Discoveries {
  std::size_t kept_count = 0;
  std::size_t false_count = 0;
};

// Of 60 series a fifth change by 2 standard deviations of a run.
void AddDiscoveries(std::uint64_t seed, Discoveries& discoveries) {
  std::vector<std::vector<ChangePoint>> series;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const double factor = i % 5 == 0 ? 1.04 : 1;
    series.push_back(
        *DetectChangePoints(MakeSeries({.steps = {{.at = 12, .factor = factor}}}, 1000 * seed + i),
                            {.significance = 0.05}));
  }
  const auto kept = KeepDiscoveries(series, 0.05);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    discoveries.kept_count += kept[i].size();
    if (i % 5 != 0) discoveries.false_count += kept[i].size();
  }
}

Discoveries DiscoverIn(std::uint64_t set_count) {
  Discoveries discoveries;
  for (std::uint64_t seed = 1; seed <= set_count; ++seed) AddDiscoveries(seed, discoveries);
  return discoveries;
}

// Of the 480 changes of 40 sets nearly all are kept, and at most 5 % of what is kept is false.
TEST(KeepDiscoveriesTest, FewOfThoseKeptAreFalse) {
  const Discoveries discoveries = DiscoverIn(40);

  EXPECT_GE(discoveries.kept_count, 450U);
  EXPECT_LE(discoveries.false_count * 20, discoveries.kept_count);
}

TEST(ClassifyChangeTest, ReadsTheSignWithTheDirection) {
  EXPECT_EQ(ClassifyChange(Direction::kHigherIsBetter, -0.1), ChangeKind::kRegression);
  EXPECT_EQ(ClassifyChange(Direction::kHigherIsBetter, 0.1), ChangeKind::kImprovement);
  EXPECT_EQ(ClassifyChange(Direction::kLowerIsBetter, 0.1), ChangeKind::kRegression);
  EXPECT_EQ(ClassifyChange(Direction::kLowerIsBetter, -0.1), ChangeKind::kImprovement);
  EXPECT_EQ(ToString(ChangeKind::kRegression), "regression");
}

TEST(ExplainPlaceTest, AtAChangeItHasThePValueOfTheDetector) {
  const std::vector<SeriesPoint> series = MakeSeries(RegressionAndFix(0.02, NoiseKind::kNormal), 1);

  const PlaceExplanation explanation = *ExplainPlace(series, {}, 10);

  ASSERT_EQ(IndicesOf(explanation.change_points), (std::vector<std::int64_t>{10, 17}));
  ASSERT_TRUE(explanation.test.has_value());
  EXPECT_EQ(explanation.test->p_value, explanation.change_points[0].p_value);
  EXPECT_EQ(explanation.test->relative_change, explanation.change_points[0].relative_change);
  EXPECT_EQ(explanation.test->best_index, 10);
  EXPECT_LE(explanation.test->p_value_of_all, explanation.test->p_value);
}

TEST(ExplainPlaceTest, AwayFromChangesTheStepIsBetweenThoseThatWereFound) {
  const std::vector<SeriesPoint> series = MakeSeries(RegressionAndFix(0.02, NoiseKind::kNormal), 1);

  const PlaceExplanation explanation = *ExplainPlace(series, {}, 22);

  ASSERT_TRUE(explanation.test.has_value());
  EXPECT_EQ(explanation.test->before.count, 5 * (22 - 17));
  EXPECT_EQ(explanation.test->after.count, 5 * (27 - 22));
  EXPECT_GT(explanation.test->p_value, DetectorOptions().significance);
}

TEST(ExplainPlaceTest, AnUnmeasuredPointAndTheFirstHaveNoTest) {
  std::vector<SeriesPoint> series = MakeSeries(RegressionAndFix(0.02, NoiseKind::kNormal), 1);
  series[5].samples.clear();

  EXPECT_FALSE(ExplainPlace(series, {}, 5)->test.has_value());
  EXPECT_FALSE(ExplainPlace(series, {}, 0)->test.has_value());
}

TEST(ExplainPlaceTest, AnIndexOutsideOfTheSeriesIsRefused) {
  const auto explanation = ExplainPlace(Constants({1, 2}, 3), {}, 2);

  ASSERT_FALSE(explanation.has_value());
  EXPECT_EQ(explanation.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace schedlab::stats
