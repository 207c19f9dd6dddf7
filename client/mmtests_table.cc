#include "client/mmtests_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

#include "client/dialect_notes.h"
#include "client/terminal.h"
#include "stats/distributions.h"

namespace schedlab::client {
namespace {

// A column is the value of 12 characters and " (   0.00%)".
constexpr std::size_t kColumnWidth = 23;
constexpr std::size_t kDeviationWidth = 11;  // " (  +1.23s)"
constexpr std::size_t kStatisticWidth = 9;   // "BAmean-99"
constexpr double kConfidence = 0.975;        // of the upper end of a 95 % interval
// Below it two decimals say too little: the layout then has four.
constexpr double kTwoDecimalsFrom = 10;

constexpr std::string_view kReading =
    "sign: percents are direction-corrected: plus is better in every row, also for Stddev and "
    "CoeffVar\n"
    "mark: * percent * = the means differ by more than their 95 % confidence intervals together\n";

using Samples = std::vector<double>;

double Mean(const Samples& samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

double HarmonicMean(const Samples& samples) {
  double sum = 0;
  for (const double one : samples) sum += 1 / one;
  return static_cast<double>(samples.size()) / sum;
}

// Throughput is averaged as time for the same work would be.
bool IsHarmonic(const ComparedSeries& one) {
  const auto is_positive = [](const std::optional<ComparedSide>& side) {
    return !side || side->summary.minimum > 0;
  };
  return one.series.direction == Direction::kHigherIsBetter &&
         std::all_of(one.baselines.begin(), one.baselines.end(), is_positive) &&
         std::all_of(one.candidates.begin(), one.candidates.end(), is_positive);
}

double CenterOf(const ComparedSeries& one, const Samples& samples) {
  return IsHarmonic(one) ? HarmonicMean(samples) : Mean(samples);
}

// Of the better `percent` of the runs.
double BestMean(const ComparedSeries& one, Samples samples, std::size_t percent) {
  std::sort(samples.begin(), samples.end());
  if (one.series.direction == Direction::kHigherIsBetter) {
    std::reverse(samples.begin(), samples.end());
  }
  samples.resize(std::max<std::size_t>(1, samples.size() * percent / 100));
  return CenterOf(one, samples);
}

double Stddev(const ComparedSide& side) { return side.summary.stddev.value_or(0); }

double CoefficientOfVariation(const ComparedSide& side) {
  if (side.summary.mean == 0) return 0;
  return std::fabs(Stddev(side) / side.summary.mean) * 100;
}

enum class Better { kAsTheMetric, kLower };

struct Statistic {
  std::string name;
  Better better = Better::kAsTheMetric;
  bool is_compared = false;  // carries the mark
  std::function<double(const ComparedSeries&, const ComparedSide&)> value;
};

std::vector<Statistic> Statistics(bool is_harmonic) {
  const std::string letter = is_harmonic ? "H" : "A";
  const auto best = [&letter](std::size_t percent) {
    return Statistic{.name = fmt::format("B{}mean-{}", letter, percent),
                     .value = [percent](const auto& one, const ComparedSide& side) {
                       return BestMean(one, side.samples, percent);
                     }};
  };
  return {
      {.name = "Min", .value = [](const auto&, const auto& side) { return side.summary.minimum; }},
      {.name = letter + "mean",
       .is_compared = true,
       .value = [](const auto& one, const auto& side) { return CenterOf(one, side.samples); }},
      {.name = "Stddev",
       .better = Better::kLower,
       .value = [](const auto&, const auto& side) { return Stddev(side); }},
      {.name = "CoeffVar",
       .better = Better::kLower,
       .value = [](const auto&, const auto& side) { return CoefficientOfVariation(side); }},
      {.name = "Max", .value = [](const auto&, const auto& side) { return side.summary.maximum; }},
      best(50),
      best(95),
      best(99)};
}

// Every revision with its runs, baselines first; the first is what the others are held against.
std::vector<const std::optional<ComparedSide>*> SidesOf(const ComparedSeries& one) {
  std::vector<const std::optional<ComparedSide>*> sides;
  for (const auto& side : one.baselines) sides.push_back(&side);
  for (const auto& side : one.candidates) sides.push_back(&side);
  return sides;
}

std::string Percent(double value, double baseline, bool is_lower_better) {
  if (baseline == 0) {
    return value == 0 ? fmt::format("{:7.2f}%", 0.0) : fmt::format("{:>7}%", "n/a");
  }
  const double percent = (value - baseline) / std::fabs(baseline) * 100;
  // Rounded here, and with a zero added, so that no change never prints as -0.00.
  const double rounded = std::round((is_lower_better ? -percent : percent) * 100) / 100;
  return fmt::format("{:7.2f}%", rounded + 0.0);
}

double HalfInterval(const ComparedSide& side) {
  const auto count = static_cast<double>(side.summary.count);
  if (count < 2) return 0;
  return stats::StudentQuantile(kConfidence, count - 1) * Stddev(side) / std::sqrt(count);
}

bool IsBeyondIntervals(const ComparedSide& side, const ComparedSide& baseline) {
  if (side.summary.count < 2 || baseline.summary.count < 2) return false;
  return std::fabs(side.summary.mean - baseline.summary.mean) >
         HalfInterval(side) + HalfInterval(baseline);
}

int DecimalsOf(const ComparedSeries& one) {
  const ComparedSide* baseline = BaselineOf(one);
  return baseline != nullptr && std::fabs(baseline->summary.mean) < kTwoDecimalsFrom ? 4 : 2;
}

struct Widths {
  std::size_t statistic = kStatisticWidth;
  std::size_t operation = 0;
};

std::string Row(const ComparedSeries& one, const Statistic& statistic, const Widths& widths) {
  std::string text = fmt::format("{:<{}} {:<{}}", statistic.name, widths.statistic,
                                 one.series.key.metric, widths.operation);
  const ComparedSide& baseline = *BaselineOf(one);
  const double reference = statistic.value(one, baseline);
  const bool is_lower_better =
      statistic.better == Better::kLower || one.series.direction == Direction::kLowerIsBetter;
  for (const auto* side : SidesOf(one)) {
    if (!*side) {
      text += std::string(kColumnWidth, ' ');
      continue;
    }
    const double value = statistic.value(one, **side);
    const bool is_marked = statistic.is_compared && IsBeyondIntervals(**side, baseline);
    text += fmt::format("{:12.{}f} {}{}{}", value, DecimalsOf(one), is_marked ? "*" : "(",
                        Percent(value, reference, is_lower_better), is_marked ? "*" : ")");
  }
  return text + "\n";
}

std::vector<std::string> LabelsOf(const ComparisonSet& set) {
  std::vector<std::string> labels;
  for (const ComparedRevision& one : set.baselines) labels.push_back(one.label);
  for (const ComparedRevision& one : set.candidates) labels.push_back(one.label);
  return labels;
}

// The release above, the variant below: here the revision and the policy.
std::string Header(const ComparisonSet& set, const SeriesKey& key, std::size_t title_width,
                   std::size_t column_width) {
  std::string releases(title_width, ' ');
  std::string variants(title_width, ' ');
  for (const std::string& label : LabelsOf(set)) {
    releases += fmt::format("{:>{}}", label, column_width);
    variants += fmt::format("{:>{}}", PolicyName(key).substr(0, column_width - 1), column_width);
  }
  return releases + "\n" + variants + "\n";
}

// Judged metrics with a baseline.
SeriesList JudgedOf(const SeriesList& scenario) {
  SeriesList judged;
  std::copy_if(scenario.begin(), scenario.end(), std::back_inserter(judged),
               [](const ComparedSeries* one) {
                 return one->series.role == MetricRole::kHeadline && BaselineOf(*one) != nullptr;
               });
  return judged;
}

Widths WidthsOf(const SeriesList& judged) {
  Widths widths;
  for (const ComparedSeries* one : judged) {
    widths.operation = std::max(widths.operation, one->series.key.metric.size());
  }
  return widths;
}

std::string StatisticRows(const ComparisonSet& set, const SeriesList& judged) {
  if (judged.empty()) return "";
  const Widths widths = WidthsOf(judged);
  std::string text = Header(set, judged.front()->series.key,
                            widths.statistic + 1 + widths.operation, kColumnWidth);
  const std::vector<Statistic> harmonic = Statistics(true);
  const std::vector<Statistic> arithmetic = Statistics(false);
  for (std::size_t i = 0; i < harmonic.size(); ++i) {
    for (const ComparedSeries* one : judged) {
      text += Row(*one, IsHarmonic(*one) ? harmonic[i] : arithmetic[i], widths);
    }
  }
  return text;
}

// Counters are told without a percent, as the layout's footer does.
std::string CounterRows(const ComparisonSet& set, const SeriesList& scenario) {
  std::string rows;
  std::size_t width = 0;
  for (const ComparedSeries* one : scenario) {
    if (one->series.role == MetricRole::kCounter) {
      width = std::max(width, one->series.key.metric.size());
    }
  }
  for (const ComparedSeries* one : scenario) {
    if (one->series.role != MetricRole::kCounter) continue;
    rows += fmt::format("Ops {:<{}}", one->series.key.metric, width);
    for (const auto* side : SidesOf(*one)) {
      rows += *side ? fmt::format(" {:15.{}f}", (*side)->summary.mean, DecimalsOf(*one))
                    : std::string(16, ' ');
    }
    rows += "\n";
  }
  if (rows.empty()) return "";
  return "\n" + Header(set, scenario.front()->series.key, width + 4, 16) + rows;
}

std::string Title(const SeriesKey& key) {
  return fmt::format("{} on {}\n", key.workload, key.topology);
}

// In standard deviations of the baseline's runs; 0 where it has none.
double Deviations(const ComparedSeries& one, const ComparedSide& side) {
  const double stddev = Stddev(*BaselineOf(one));
  return stddev > 0 ? (side.summary.mean - BaselineOf(one)->summary.mean) / stddev : 0;
}

std::string RatioRow(const ComparedSeries& one, const Widths& widths) {
  const std::string name = IsHarmonic(one) ? "Hmean" : "Amean";
  std::string text =
      fmt::format("{:<{}} {:<{}}", name, widths.statistic, one.series.key.metric, widths.operation);
  const double reference = CenterOf(one, BaselineOf(one)->samples);
  for (const auto* side : SidesOf(one)) {
    if (!*side || reference == 0) {
      text += std::string(kColumnWidth + kDeviationWidth, ' ');
      continue;
    }
    const double value = CenterOf(one, (*side)->samples);
    text +=
        fmt::format("{:12.2f} ({}) ({:+7.2f}s)", value / reference,
                    Percent(value, reference, one.series.direction == Direction::kLowerIsBetter),
                    Deviations(one, **side));
  }
  return text + "\n";
}

// What the last lines of the ratio report say of one revision.
struct RatioSummary {
  std::vector<double> deviations;  // plus is better
  double sum_of_logarithms = 0;
  std::size_t ratio_count = 0;
};

RatioSummary SummaryOf(const SeriesList& judged, std::size_t column) {
  RatioSummary summary;
  for (const ComparedSeries* one : judged) {
    const auto* side = SidesOf(*one)[column];
    if (!*side) continue;
    const double sign = one->series.direction == Direction::kLowerIsBetter ? -1 : 1;
    summary.deviations.push_back(sign * Deviations(*one, **side) + 0.0);
    const double ratio =
        CenterOf(*one, (*side)->samples) / CenterOf(*one, BaselineOf(*one)->samples);
    if (!(ratio > 0) || !std::isfinite(ratio)) continue;
    summary.sum_of_logarithms += sign * std::log(ratio);
    ++summary.ratio_count;
  }
  return summary;
}

std::string RatioSummaryRows(const ComparisonSet& set, const SeriesList& judged,
                             const Widths& widths) {
  struct Line {
    std::string name;
    std::function<double(const RatioSummary&)> value;
  };
  const std::vector<Line> lines = {
      {"Dmean", [](const RatioSummary& one) { return Mean(one.deviations); }},
      {"Dmin",
       [](const RatioSummary& one) {
         return *std::min_element(one.deviations.begin(), one.deviations.end());
       }},
      {"Dmax",
       [](const RatioSummary& one) {
         return *std::max_element(one.deviations.begin(), one.deviations.end());
       }},
      {"Gmean", [](const RatioSummary& one) {
         return one.ratio_count == 0
                    ? 0
                    : std::exp(one.sum_of_logarithms / static_cast<double>(one.ratio_count));
       }}};
  std::string text;
  for (const Line& line : lines) {
    std::string row =
        fmt::format("{:<{}} {:<{}}", line.name, widths.statistic, "Higher", widths.operation);
    for (std::size_t i = 0; i < set.baselines.size() + set.candidates.size(); ++i) {
      const RatioSummary summary = SummaryOf(judged, i);
      row += summary.deviations.empty() ? std::string(12, ' ')
                                        : fmt::format("{:12.2f}", line.value(summary));
      row += std::string(kColumnWidth + kDeviationWidth - 12, ' ');
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

}  // namespace

std::string RenderMmtests(const ComparisonSet& set, const SeriesList& list) {
  std::string text;
  for (const SeriesList& scenario : ScenariosOf(list)) {
    text += Title(scenario.front()->series.key) + StatisticRows(set, JudgedOf(scenario)) +
            CounterRows(set, scenario) + "\n" + RunCountNote(set, scenario) +
            DirectionNote(scenario) + "\n";
  }
  return EscapeControls(text + std::string(kReading));
}

std::string RenderMmtestsRatios(const ComparisonSet& set, const SeriesList& list) {
  std::string text;
  for (const SeriesList& scenario : ScenariosOf(list)) {
    const SeriesList judged = JudgedOf(scenario);
    if (judged.empty()) continue;
    const Widths widths = WidthsOf(judged);
    text += Title(scenario.front()->series.key) + Header(set, judged.front()->series.key,
                                                         widths.statistic + 1 + widths.operation,
                                                         kColumnWidth + kDeviationWidth);
    for (const ComparedSeries* one : judged) text += RatioRow(*one, widths);
    text += RatioSummaryRows(set, judged, widths) + "\n" + RunCountNote(set, scenario) +
            DirectionNote(scenario) + "\n";
  }
  return EscapeControls(
      text +
      "sign: ratios and deviations (s = standard deviations of the baseline's runs) are raw; "
      "percents, Dmean, Dmin, Dmax and Gmean are direction-corrected: plus, or above 1, is "
      "better\n");
}

}  // namespace schedlab::client
