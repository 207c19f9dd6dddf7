// Prints what the functions of stats/ make of seeded numbers, a JSON object a line with the input
// beside the result; scipy_test.py holds them against scipy.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "stats/crossing.h"
#include "stats/distributions.h"
#include "stats/false_discovery.h"
#include "stats/hodges_lehmann.h"
#include "stats/look_plan.h"
#include "stats/power.h"
#include "stats/rank_tests.h"
#include "stats/summary.h"
#include "stats/t_tests.h"
#include "stats/variance_history.h"
#include "tests/support/split_mix.h"

namespace schedlab::stats {
namespace {

using testing::SplitMix;

// One line of output: names with numbers or lists of them.
class Record {
 public:
  explicit Record(const std::string& function) : text_(fmt::format(R"({{"of": "{}")", function)) {}
  ~Record() { fmt::print("{}}}\n", text_); }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  Record& Add(const std::string& name, double value) {
    text_ += fmt::format(R"(, "{}": {})", name, Number(value));
    return *this;
  }
  Record& Add(const std::string& name, const std::vector<double>& values) {
    std::vector<std::string> numbers;
    for (const double value : values) numbers.push_back(Number(value));
    text_ += fmt::format(R"(, "{}": [{}])", name, fmt::join(numbers, ", "));
    return *this;
  }

 private:
  static std::string Number(double value) {
    return std::isinf(value) ? "Infinity" : fmt::format("{:.17g}", value);
  }

  std::string text_;
};

// Of a few whole values if `tied`.
std::vector<double> Draw(SplitMix& random, std::size_t count, double mean, double stddev,
                         bool is_tied = false) {
  std::vector<double> drawn;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = mean + stddev * random.Normal();
    drawn.push_back(is_tied ? std::round(value) : value);
  }
  return drawn;
}

void AddDifference(Record& record, const MeanDifference& difference, double bound) {
  const Interval interval = ConfidenceInterval(difference, 0.9);
  record.Add("bound", bound)
      .Add("estimate", difference.estimate)
      .Add("standard_error", difference.standard_error)
      .Add("degrees", difference.degrees_of_freedom)
      .Add("run_stddev", difference.run_stddev)
      .Add("greater", PValue(difference, bound, Alternative::kGreater))
      .Add("less", PValue(difference, bound, Alternative::kLess))
      .Add("different", PValue(difference, bound, Alternative::kDifferent))
      .Add("interval", {interval.low, interval.high});
}

void PrintTTests(SplitMix& random) {
  constexpr NoiseHistory kHistory{.stddev = 1.3, .degrees_of_freedom = 20};
  for (const std::size_t count : {2U, 3U, 5U, 12U, 40U}) {
    const std::vector<double> baseline = Draw(random, count, 5, 1);
    const std::vector<double> unequal = Draw(random, count + 3, 6, 2);
    const std::vector<double> paired = Draw(random, count, 6, 1);
    const TwoSamples sides{.baseline = baseline, .candidate = unequal};
    const TwoSamples pairs{.baseline = baseline, .candidate = paired};
    const auto print = [](const char* name, const TwoSamples& samples,
                          const MeanDifference& difference) {
      Record record(name);
      record.Add("baseline", {samples.baseline.begin(), samples.baseline.end()})
          .Add("candidate", {samples.candidate.begin(), samples.candidate.end()});
      AddDifference(record, difference, 0.25);
    };
    print("welch", sides, *DifferenceOfMeans(sides, std::nullopt));
    print("moderated", sides, *DifferenceOfMeans(sides, kHistory));
    print("paired", pairs, *MeanOfDifferences(pairs, std::nullopt));
    print("moderated_paired", pairs, *MeanOfDifferences(pairs, kHistory));
    Record("variances")
        .Add("baseline", baseline)
        .Add("candidate", paired)
        .Add("pooled", PooledVariance(pairs).variance)
        .Add("of_differences", VarianceOfDifferences(pairs).variance);
  }
}

void PrintRankTests(SplitMix& random) {
  const std::vector<std::vector<std::size_t>> counts = {{3, 3},   {8, 8},   {5, 12},
                                                        {12, 12}, {20, 20}, {25, 30}};
  for (const bool is_tied : {false, true}) {
    for (const std::vector<std::size_t>& count : counts) {
      const std::vector<double> baseline = Draw(random, count[0], 5, 2, is_tied);
      const std::vector<double> candidate = Draw(random, count[1], 6, 2, is_tied);
      const TwoSamples sides{.baseline = baseline, .candidate = candidate};
      const Result<Shift> shift = HodgesLehmann(sides, 0.9);
      Record("mann_whitney")
          .Add("baseline", baseline)
          .Add("candidate", candidate)
          .Add("is_tied", is_tied ? 1 : 0)
          .Add("statistic", MannWhitney(sides, Alternative::kGreater)->statistic)
          .Add("greater", MannWhitney(sides, Alternative::kGreater)->p_value)
          .Add("less", MannWhitney(sides, Alternative::kLess)->p_value)
          .Add("different", MannWhitney(sides, Alternative::kDifferent)->p_value)
          .Add("shift", shift->estimate)
          .Add("interval", {shift->interval.low, shift->interval.high});
    }
    for (const std::size_t count : {4U, 8U, 12U, 30U, 50U, 80U}) {
      const std::vector<double> baseline = Draw(random, count, 5, 2, is_tied);
      const std::vector<double> candidate = Draw(random, count, 6, 2, is_tied);
      const TwoSamples pairs{.baseline = baseline, .candidate = candidate};
      const Result<Shift> shift = HodgesLehmannOfPairs(pairs, 0.9);
      Record("signed_rank")
          .Add("baseline", baseline)
          .Add("candidate", candidate)
          .Add("is_tied", is_tied ? 1 : 0)
          .Add("statistic", SignedRank(pairs, Alternative::kGreater)->statistic)
          .Add("greater", SignedRank(pairs, Alternative::kGreater)->p_value)
          .Add("less", SignedRank(pairs, Alternative::kLess)->p_value)
          .Add("different", SignedRank(pairs, Alternative::kDifferent)->p_value)
          .Add("shift", shift->estimate)
          .Add("interval", {shift->interval.low, shift->interval.high});
    }
  }
}

void PrintSummaries(SplitMix& random) {
  for (const std::size_t count : {2U, 5U, 8U, 101U}) {
    const std::vector<double> samples = Draw(random, count, 1000, 30);
    const Result<Summary> summary = Summarize(samples);
    std::vector<double> quantiles;
    for (const double at : {0.0, 0.1, 0.25, 0.5, 0.9, 1.0}) {
      quantiles.push_back(*Quantile(samples, at));
    }
    Record("summary")
        .Add("samples", samples)
        .Add("mean", summary->mean)
        .Add("stddev", *summary->stddev)
        .Add("median", summary->median)
        .Add("mad", summary->mad)
        .Add("robust_stddev", RobustStddev(samples, summary->median))
        .Add("quantiles", quantiles);
  }
}

void PrintDistributions() {
  for (const double z : {-6.0, -1.0, 0.0, 0.3, 2.0, 5.0, 12.0, 30.0}) {
    Record("normal_tail").Add("z", z).Add("result", NormalUpperTail(z));
  }
  for (const double p : {1e-300, 1e-20, 1e-6, 0.025, 0.5, 0.8, 0.999}) {
    Record("normal_quantile").Add("p", p).Add("result", NormalQuantile(p));
  }
  for (const double degrees : {1.0, 2.5, 4.0, 24.0, 500.0}) {
    for (const double t : {-3.0, 0.0, 0.7, 3.0, 12.0}) {
      Record("student_tail")
          .Add("t", t)
          .Add("degrees", degrees)
          .Add("result", StudentUpperTail(t, degrees));
    }
    for (const double p : {1e-6, 0.0025, 0.5, 0.975}) {
      Record("student_quantile")
          .Add("p", p)
          .Add("degrees", degrees)
          .Add("result", StudentQuantile(p, degrees));
    }
    for (const double non_centrality : {0.0, 0.5, 2.0, 6.0}) {
      Record("non_central_tail")
          .Add("t", 2.2)
          .Add("degrees", degrees)
          .Add("non_centrality", non_centrality)
          .Add("result", NonCentralStudentUpperTail(2.2, degrees, non_centrality));
    }
  }
  for (const double x : {1e-3, 0.5, 1.0, 2.0, 7.5, 100.0, 1e6}) {
    Record("gamma_derivatives").Add("x", x).Add("digamma", Digamma(x)).Add("trigamma", Trigamma(x));
    Record("trigamma_inverse").Add("value", x).Add("result", TrigammaInverse(x));
  }
}

void PrintPower() {
  for (const bool is_paired : {false, true}) {
    for (const double history : {0.0, 20.0}) {
      for (const double distance : {0.3, 1.0, 2.0}) {
        const PowerQuestion question{.distance = distance,
                                     .stddev = 1,
                                     .significance = 0.0025,
                                     .power = 0.9,
                                     .is_paired = is_paired,
                                     .history_degrees = history};
        const std::int64_t needed = RunsNeeded(question);
        Record("power")
            .Add("distance", distance)
            .Add("is_paired", is_paired ? 1 : 0)
            .Add("history", history)
            .Add("needed", static_cast<double>(needed))
            .Add("power", PowerOf(question, needed))
            .Add("power_below", needed > 2 ? PowerOf(question, needed - 1) : 0);
      }
    }
  }
}

void PrintFalseDiscovery(SplitMix& random) {
  for (const std::size_t count : {1U, 2U, 20U, 200U}) {
    std::vector<double> p_values;
    for (std::size_t i = 0; i < count; ++i) p_values.push_back(std::pow(random.Uniform(), 3));
    Record("false_discovery").Add("p", p_values).Add("result", AdjustForFalseDiscovery(p_values));
  }
}

void PrintVarianceHistories(SplitMix& random) {
  for (const std::size_t count : {2U, 12U, 60U}) {
    std::vector<VarianceEstimate> estimates;
    std::vector<HistoryCheck> checks;
    std::vector<double> variances;
    std::vector<double> degrees;
    std::vector<double> histories;
    for (std::size_t i = 0; i < count; ++i) {
      variances.push_back(std::exp(0.9 * random.Normal()));
      degrees.push_back(static_cast<double>(2 + random.Below(12)));
      histories.push_back(std::exp(0.2 * random.Normal()));
      estimates.push_back({variances.back(), degrees.back()});
      checks.push_back({.runs = estimates.back(), .history = {histories.back(), 20}});
    }
    const VarianceEstimate prior = FitVariancePrior(estimates);
    const NoiseHistory pooled = PoolHistory(estimates);
    Record("variance_history")
        .Add("variances", variances)
        .Add("degrees", degrees)
        .Add("histories", histories)
        .Add("prior_variance", prior.variance)
        .Add("prior_degrees", prior.degrees_of_freedom)
        .Add("pooled_stddev", pooled.stddev)
        .Add("pooled_degrees", pooled.degrees_of_freedom)
        .Add("deserved", DegreesDeserved(checks));
  }
}

void PrintLooks() {
  for (const double alpha : {0.05, 0.0025, 0.00025}) {
    for (const double information : {0.25, 0.6, 1.0}) {
      Record("spending")
          .Add("alpha", alpha)
          .Add("information", information)
          .Add("result", SpentSignificance(alpha, information));
    }
    const LookPlan plan = LookPlan::Default();
    std::vector<double> levels;
    for (std::size_t i = 0; i < plan.looks().size(); ++i) levels.push_back(plan.LevelAt(i, alpha));
    Record("levels").Add("alpha", alpha).Add("looks", {3, 5, 8, 12}).Add("result", levels);
  }
  for (const double first : {-0.5, 1.5, 3.0}) {
    for (const double second : {0.5, 2.0, 4.0}) {
      CrossingProcess process(5);
      process.Advance(first, 8);
      Record("crossing")
          .Add("first", first)
          .Add("second", second)
          .Add("result", process.ChanceAbove(second));
    }
  }
}

}  // namespace
}  // namespace schedlab::stats

int main() {
  schedlab::testing::SplitMix random(2026);
  schedlab::stats::PrintTTests(random);
  schedlab::stats::PrintRankTests(random);
  schedlab::stats::PrintSummaries(random);
  schedlab::stats::PrintDistributions();
  schedlab::stats::PrintPower();
  schedlab::stats::PrintFalseDiscovery(random);
  schedlab::stats::PrintVarianceHistories(random);
  schedlab::stats::PrintLooks();
  return 0;
}
