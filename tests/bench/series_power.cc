// How often the detector of change points is wrong and how much it finds, over seeded series: the
// tables of docs/judgement.md, a JSON object a line. `series_power [trials [part of a name]]`, 500
// unless given; a trial is about 1,000 points.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "stats/change_points.h"
#include "stats/drift.h"
#include "stats/open_changes.h"
#include "tests/support/noisy_series.h"
#include "tests/support/split_mix.h"

namespace schedlab::testing {
namespace {

using stats::ChangePoint;
using stats::SeriesPoint;

constexpr std::int64_t kTolerance = 3;
// Between steps, and from the ends.
constexpr std::size_t kLeastGap = 10;
constexpr double kNoise = 0.02;

struct Effort {
  int trials = 500;
  std::string filter;

  bool Wants(const std::string& name) const { return name.find(filter) != std::string::npos; }
  // Short series are cheaper and hold fewer points each.
  int SeriesOf(std::size_t point_count) const {
    return static_cast<int>(std::max<std::size_t>(
        1, static_cast<std::size_t>(trials) * std::min<std::size_t>(1000 / point_count, 5)));
  }
};

void Print(const std::string& name, double value, const char* unit) {
  fmt::print(R"({{"name": "{}", "value": {:.3f}, "unit": "{}"}})"
             "\n",
             name, value, unit);
  std::fflush(stdout);
}

std::vector<ChangePoint> Detect(const std::vector<SeriesPoint>& series) {
  return *stats::DetectChangePoints(series, stats::DetectorOptions());
}

double FalsePer1000(const SeriesSpec& spec, int series_count) {
  double count = 0;
  for (int seed = 1; seed <= series_count; ++seed) {
    count += static_cast<double>(Detect(MakeSeries(spec, static_cast<std::uint64_t>(seed))).size());
  }
  return 1000 * count / static_cast<double>(spec.point_count) / series_count;
}

void PrintFalsePoints(std::size_t point_count, const Effort& effort) {
  const std::string name = fmt::format("false points, n = {}", point_count);
  if (!effort.Wants(name)) return;
  std::vector<double> rates;
  for (const NoiseKind kind : kAllNoiseKinds) {
    rates.push_back(FalsePer1000({.point_count = point_count, .runs_per_point = 1, .kind = kind},
                                 effort.SeriesOf(point_count)));
    Print(fmt::format("{}, {}", name, ToString(kind)), rates.back(), "/1000");
  }
  double sum = 0;
  for (const double rate : rates) sum += rate;
  Print(name + ", mean of kinds", sum / static_cast<double>(rates.size()), "/1000");
  Print(name + ", worst kind", *std::max_element(rates.begin(), rates.end()), "/1000");
}

// Points of series that move without any step, or that are correlated more strongly.
void PrintFalsePointsOfMovement(const Effort& effort) {
  constexpr std::size_t kPoints = 300;
  struct Case {
    const char* name;
    SeriesSpec spec;
  };
  const std::vector<Case> cases = {{"AR(1) 0.8", {.kind = NoiseKind::kStronglyAutocorrelated}},
                                   {"walk of 0.1 sd", {.walk = 0.1}},
                                   {"wave of 1 sd in 24 points", {.season = 1}},
                                   {"wave of 2 sd in 24 points", {.season = 2}},
                                   {"line of 3 sd in all", {.slope = 3.0 / kPoints}},
                                   {"line of 10 sd in all", {.slope = 10.0 / kPoints}}};
  for (Case one : cases) {
    const std::string name = fmt::format("false points, n = {}, {}", kPoints, one.name);
    if (!effort.Wants(name)) continue;
    one.spec.point_count = kPoints;
    one.spec.runs_per_point = 1;
    Print(name, FalsePer1000(one.spec, effort.SeriesOf(kPoints)), "/1000");
  }
}

// Up to 5 steps up or down, anywhere.
std::vector<Step> RandomSteps(std::size_t point_count, double size_sd, SplitMix& random) {
  std::vector<std::size_t> places;
  const std::size_t count = random.Below(6);
  while (places.size() < count) {
    const std::size_t at = kLeastGap + random.Below(point_count - 2 * kLeastGap);
    const bool is_apart = std::all_of(places.begin(), places.end(), [at](std::size_t other) {
      return std::max(at, other) - std::min(at, other) >= kLeastGap;
    });
    if (is_apart) places.push_back(at);
  }
  std::sort(places.begin(), places.end());
  std::vector<Step> steps;
  for (const std::size_t at : places) {
    const double factor = 1 + kNoise * size_sd;
    steps.push_back({.at = at, .factor = random.Below(2) == 0 ? factor : 1 / factor});
  }
  return steps;
}

struct Score {
  int step_count = 0;
  int found_count = 0;     // steps with a point within the tolerance
  int near_count = 0;      // steps with a point nearer than half the gap
  int covered_count = 0;   // of those, in its interval
  int reported_count = 0;  // points

  void Add(const std::vector<Step>& steps, const std::vector<ChangePoint>& points) {
    step_count += static_cast<int>(steps.size());
    reported_count += static_cast<int>(points.size());
    for (const Step& step : steps) AddStep(static_cast<std::int64_t>(step.at), points);
  }

  double FalseShare() const {
    return static_cast<double>(reported_count - found_count) / std::max(1, reported_count);
  }

 private:
  void AddStep(std::int64_t truth, const std::vector<ChangePoint>& points) {
    const auto nearest =
        std::min_element(points.begin(), points.end(), [truth](const auto& a, const auto& b) {
          return std::abs(a.index - truth) < std::abs(b.index - truth);
        });
    if (nearest == points.end()) return;
    const std::int64_t distance = std::abs(nearest->index - truth);
    if (distance <= kTolerance) ++found_count;
    if (2 * distance >= static_cast<std::int64_t>(kLeastGap)) return;
    ++near_count;
    if (nearest->interval.first <= truth && truth <= nearest->interval.last) ++covered_count;
  }
};

void PrintSteps(std::size_t point_count, double size_sd, const Effort& effort) {
  const std::string name = fmt::format("steps of {} sd, n = {}", size_sd, point_count);
  if (!effort.Wants(name)) return;
  Score score;
  for (const NoiseKind kind : kAllNoiseKinds) {
    const Score before = score;
    for (int seed = 1; seed <= effort.SeriesOf(point_count); ++seed) {
      SplitMix random(static_cast<std::uint64_t>(seed) * 7919);
      const SeriesSpec spec{.point_count = point_count,
                            .runs_per_point = 1,
                            .noise = kNoise,
                            .kind = kind,
                            .steps = RandomSteps(point_count, size_sd, random)};
      score.Add(spec.steps, Detect(MakeSeries(spec, static_cast<std::uint64_t>(seed))));
    }
    Print(fmt::format("{}, found, {}", name, ToString(kind)),
          static_cast<double>(score.found_count - before.found_count) /
              std::max(1, score.step_count - before.step_count),
          "share");
  }
  const auto share = [](int count, int of) { return static_cast<double>(count) / std::max(1, of); };
  Print(name + ", found", share(score.found_count, score.step_count), "share");
  Print(name + ", false among reported", score.FalseShare(), "share");
  Print(name + ", step in the interval", share(score.covered_count, score.near_count), "share");
}

// Series as they are when a project is young: few revisions of a few runs each. A step half-way, or
// one that only the newest two revisions show.
void PrintShortSeries(std::size_t point_count, const Effort& effort) {
  constexpr std::int32_t kRuns = 4;
  const std::string name = fmt::format("short series, n = {}, {} runs", point_count, kRuns);
  if (!effort.Wants(name)) return;
  const int series_count = effort.trials;
  const double kinds = static_cast<double>(kAllNoiseKinds.size());
  double false_points = 0;
  for (const NoiseKind kind : kAllNoiseKinds) {
    const SeriesSpec spec{.point_count = point_count, .runs_per_point = kRuns, .kind = kind};
    false_points += FalsePer1000(spec, series_count) / kinds;
  }
  Print(name + ", false points", false_points, "/1000");
  for (const double size_sd : {2.0, 4.0, 8.0}) {
    for (const std::size_t at : {point_count / 2, point_count - 2}) {
      Score score;
      for (const NoiseKind kind : kAllNoiseKinds) {
        for (int seed = 1; seed <= series_count; ++seed) {
          const SeriesSpec spec{.point_count = point_count,
                                .runs_per_point = kRuns,
                                .noise = kNoise,
                                .kind = kind,
                                .steps = {{.at = at, .factor = 1 / (1 + kNoise * size_sd)}}};
          score.Add(spec.steps, Detect(MakeSeries(spec, static_cast<std::uint64_t>(seed))));
        }
      }
      Print(fmt::format("{}, step of {} sd {}: found", name, size_sd,
                        at == point_count - 2 ? "at the end" : "half-way"),
            static_cast<double>(score.found_count) / score.step_count, "share");
    }
  }
}

// How often a line is told as a drift, and steps are.
void PrintDrifts(const Effort& effort) {
  constexpr std::size_t kPoints = 300;
  struct Case {
    const char* name;
    SeriesSpec spec;
  };
  const std::vector<Step> one = {{.at = 150, .factor = 1 + 2 * kNoise}};
  const std::vector<Step> small = {{.at = 150, .factor = 1 + kNoise}};
  const std::vector<Step> large = {{.at = 20, .factor = 1 + 4 * kNoise}};
  const std::vector<Step> two = {{.at = 100, .factor = 1 + 2 * kNoise},
                                 {.at = 200, .factor = 1 + 2 * kNoise}};
  const std::vector<Case> cases = {
      {"line of 3 sd", {.slope = 3.0 / kPoints}},
      {"line of 10 sd", {.slope = 10.0 / kPoints}},
      {"line of 5 sd from 100 to 200", {.slope = 0.05, .slope_from = 100, .slope_to = 200}},
      {"step of 1 sd", {.steps = small}},
      {"step of 2 sd", {.steps = one}},
      {"step of 4 sd near the begin", {.steps = large}},
      {"two steps of 2 sd", {.steps = two}}};
  for (Case c : cases) {
    const std::string name = fmt::format("drift, n = {}, {}", kPoints, c.name);
    if (!effort.Wants(name)) continue;
    c.spec.point_count = kPoints;
    c.spec.runs_per_point = 1;
    double drifts = 0;
    double points = 0;
    for (const NoiseKind kind : kAllNoiseKinds) {
      c.spec.kind = kind;
      for (int seed = 1; seed <= effort.trials; ++seed) {
        const auto analysis =
            *stats::AnalyzeSeries(MakeSeries(c.spec, static_cast<std::uint64_t>(seed)), {});
        drifts += analysis.drifts.empty() ? 0 : 1;
        points += analysis.change_points.empty() ? 0 : 1;
      }
    }
    const double all = effort.trials * static_cast<double>(kAllNoiseKinds.size());
    Print(name + ": series with a drift", drifts / all, "share");
    Print(name + ": series with a change point", points / all, "share");
  }
}

// A series that grows point by point, as it does in use.
struct Replay {
  int series_count = 0;
  int reported_count = 0;  // changes that were open at the end
  int vanished_count = 0;  // points without one in the next analysis whose interval overlaps
  int lost_count = 0;      // open changes that went missing
  int doubled_count = 0;   // pairs of one direction whose intervals begin to overlap
  int unsupported_count = 0;
  int step_count = 0;
  int twice_count = 0;  // steps with two open changes within the tolerance at the end

  void Add(const SeriesSpec& spec, std::uint64_t seed) {
    constexpr std::size_t kFirst = 10;
    const std::vector<SeriesPoint> series = MakeSeries(spec, seed);
    std::vector<ChangePoint> previous;
    std::vector<stats::OpenChange> open;
    int overlaps = 0;
    for (std::size_t count = kFirst; count <= series.size(); ++count) {
      const std::vector<ChangePoint> found =
          Detect({series.begin(), series.begin() + static_cast<std::ptrdiff_t>(count)});
      vanished_count += CountVanished(previous, found);
      const std::vector<stats::OpenChange> next = stats::FollowChangePoints(open, found);
      if (next.size() < open.size()) lost_count += static_cast<int>(open.size() - next.size());
      const int overlaps_now = CountOverlaps(next);
      doubled_count += std::max(0, overlaps_now - overlaps);
      overlaps = overlaps_now;
      previous = found;
      open = next;
    }
    ++series_count;
    reported_count += static_cast<int>(open.size());
    for (const stats::OpenChange& change : open) unsupported_count += change.is_supported ? 0 : 1;
    for (const Step& step : spec.steps) AddStep(static_cast<std::int64_t>(step.at), open);
  }

 private:
  static bool Overlap(const ChangePoint& a, const ChangePoint& b) {
    return a.interval.first <= b.interval.last && b.interval.first <= a.interval.last;
  }

  static int CountVanished(const std::vector<ChangePoint>& before,
                           const std::vector<ChangePoint>& after) {
    return static_cast<int>(std::count_if(before.begin(), before.end(), [&](const auto& point) {
      return std::none_of(after.begin(), after.end(),
                          [&](const auto& other) { return Overlap(point, other); });
    }));
  }

  static int CountOverlaps(const std::vector<stats::OpenChange>& open) {
    int count = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (std::size_t j = i + 1; j < open.size(); ++j) {
        const ChangePoint& a = open[i].latest;
        const ChangePoint& b = open[j].latest;
        // In opposite directions they are two changes, however near.
        if (Overlap(a, b) && (a.relative_change < 0) == (b.relative_change < 0)) ++count;
      }
    }
    return count;
  }

  void AddStep(std::int64_t truth, const std::vector<stats::OpenChange>& open) {
    ++step_count;
    const auto near = std::count_if(open.begin(), open.end(), [truth](const auto& change) {
      return std::abs(change.latest.index - truth) <= kTolerance;
    });
    if (near > 1) ++twice_count;
  }
};

void PrintReplay(double size_sd, const Effort& effort) {
  constexpr std::size_t kPoints = 100;
  const std::string name = fmt::format("replay, {} sd, n = {}", size_sd, kPoints);
  if (!effort.Wants(name)) return;
  Replay replay;
  for (const NoiseKind kind : kAllNoiseKinds) {
    for (int trial = 1; trial <= (effort.trials + 4) / 5; ++trial) {
      const auto seed = static_cast<std::uint64_t>(trial);
      SplitMix random(seed * 7919);
      replay.Add({.point_count = kPoints,
                  .runs_per_point = 1,
                  .noise = kNoise,
                  .kind = kind,
                  .steps = RandomSteps(kPoints, size_sd, random)},
                 seed);
    }
  }
  Print(name + ", series", replay.series_count, "series");
  Print(name + ", open changes", replay.reported_count, "changes");
  Print(name + ", points that vanish from an analysis", replay.vanished_count, "points");
  Print(name + ", open changes that vanish", replay.lost_count, "changes");
  Print(name + ", open changes that double", replay.doubled_count, "changes");
  Print(name + ", steps with two open changes", replay.twice_count, "steps");
  Print(name + ", unsupported at the end", replay.unsupported_count, "changes");
}

}  // namespace
}  // namespace schedlab::testing

int main(int argc, char** argv) {
  using namespace schedlab::testing;
  Effort effort;
  if (argc > 1) effort.trials = std::atoi(argv[1]);
  if (argc > 2) effort.filter = argv[2];
  if (effort.trials < 1) {
    fmt::print(stderr, "usage: series_power [trials [part of a name]]\n");
    return 2;
  }
  for (const std::size_t point_count : {100, 300, 1000}) PrintFalsePoints(point_count, effort);
  PrintFalsePointsOfMovement(effort);
  for (const std::size_t point_count : {100, 1000}) {
    for (const double size_sd : {1.0, 2.0, 4.0}) PrintSteps(point_count, size_sd, effort);
  }
  for (const std::size_t point_count : {6, 10, 20, 40}) PrintShortSeries(point_count, effort);
  PrintDrifts(effort);
  for (const double size_sd : {0.0, 1.0, 2.0, 4.0}) PrintReplay(size_sd, effort);
  return 0;
}
