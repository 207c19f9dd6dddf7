// How often the gate is wrong and how much it finds, over seeded noise: the table of
// docs/judgement.md, a JSON object a line. `gate_power [trials [part of a name]]`, 2000 unless
// given.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "stats/gate.h"
#include "tests/support/gate_trial.h"

namespace schedlab::testing {
namespace {

using stats::LookPlan;
using stats::Verdict;

struct Effort {
  int trials = 2000;
  std::string filter;  // part of the names that are wanted

  bool Wants(const std::string& name) const { return name.find(filter) != std::string::npos; }
};

LookPlan PlanOf(std::vector<std::int64_t> looks) { return *LookPlan::Make(std::move(looks)); }

std::vector<double> Changes(std::size_t count, std::size_t changed_count, double change) {
  std::vector<double> changes(count, 0);
  std::fill_n(changes.begin(), changed_count, change);
  return changes;
}

// Of one figure: so many of so many, or the mean of values.
void PrintShare(const std::string& name, int count, int of) {
  constexpr double kZ = 1.96;  // the interval of Wilson (1927)
  const double n = std::max(1, of);
  const double share = count / n;
  const double center = (share + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double reach =
      kZ / (1 + kZ * kZ / n) * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n));
  fmt::print(R"({{"name": "{}", "value": {:.3f}, "low": {:.3f}, "high": {:.3f}, "unit": "%"}})"
             "\n",
             name, 100 * share, 100 * std::max(0.0, center - reach), 100 * (center + reach));
  std::fflush(stdout);
}

void PrintMean(const std::string& name, const std::vector<double>& values, double factor,
               const char* unit) {
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  double squares = 0;
  for (const double value : values) mean += value / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double reach = 1.96 * std::sqrt(squares / std::max(1.0, n - 1) / n);
  fmt::print(R"({{"name": "{}", "value": {:.3f}, "low": {:.3f}, "high": {:.3f}, "unit": "{}"}})"
             "\n",
             name, factor * mean, factor * (mean - reach), factor * (mean + reach), unit);
  std::fflush(stdout);
}

template <class Visit>
void ForEachTrial(const GateTrialSpec& spec, const LookPlan& plan, int trials, Visit visit) {
  for (int seed = 1; seed <= trials; ++seed) {
    visit(RunGateTrial(spec, plan, static_cast<std::uint64_t>(seed)));
  }
}

void PrintAlarms(const std::string& name, const GateTrialSpec& spec, const Effort& effort) {
  if (!effort.Wants(name)) return;
  const int trials = effort.trials;
  int worse = 0;
  int either = 0;
  ForEachTrial(spec, LookPlan::Default(), trials, [&](const GateTrial& trial) {
    const bool is_worse = CountVerdicts(trial, Verdict::kWorse) > 0;
    if (is_worse) ++worse;
    if (is_worse || CountVerdicts(trial, Verdict::kBetter) > 0) ++either;
  });
  PrintShare(name + ": any alarm", worse, trials);
  PrintShare(name + ": any verdict, worse or better", either, trials);
}

void PrintNull(const Effort& effort) {
  for (const std::size_t count : {std::size_t{20}, std::size_t{200}}) {
    for (const NoiseKind kind : {NoiseKind::kNormal, NoiseKind::kLogNormal, NoiseKind::kSpiky}) {
      PrintAlarms(fmt::format("null, M={}, {}", count, ToString(kind)),
                  {.kind = kind, .changes = Changes(count, 0, 0)}, effort);
    }
  }
  for (const NoiseKind kind : {NoiseKind::kHeavyTailed, NoiseKind::kBimodal}) {
    PrintAlarms(fmt::format("null, M=20, {}", ToString(kind)),
                {.kind = kind, .changes = Changes(20, 0, 0)}, effort);
  }
  for (const NoiseKind kind : {NoiseKind::kNormal, NoiseKind::kSpiky}) {
    PrintAlarms(fmt::format("null, M=20, {}, no history", ToString(kind)),
                {.kind = kind, .changes = Changes(20, 0, 0), .history_runs = 0}, effort);
  }
}

void PrintFound(const std::string& name, const GateTrialSpec& spec, const LookPlan& plan,
                const Effort& effort) {
  if (!effort.Wants(name)) return;
  const int trials = effort.trials;
  int found = 0;
  std::vector<double> runs;
  ForEachTrial(spec, plan, trials, [&](const GateTrial& trial) {
    if (trial.result.cells.front().verdict == Verdict::kWorse) ++found;
    runs.push_back(static_cast<double>(trial.runs.front()));
  });
  PrintShare(name + ": found", found, trials);
  PrintMean(name + ": runs a side", runs, 1, "runs");
}

void PrintPower(const Effort& effort) {
  const std::vector<std::vector<std::int64_t>> plans = {{10}, {3, 5, 8, 10}, {3, 5, 8, 12}};
  for (const std::vector<std::int64_t>& looks : plans) {
    PrintFound(fmt::format("4 %, M=20, looks {}", fmt::join(looks, "-")),
               {.changes = Changes(20, 1, 0.04)}, PlanOf(looks), effort);
  }
  PrintFound("4 %, M=20, looks 3-5-8-12, no history",
             {.changes = Changes(20, 1, 0.04), .history_runs = 0}, LookPlan::Default(), effort);
  PrintFound("4 %, M=20, looks 3-5-8-12, 2 % spikes",
             {.kind = NoiseKind::kSpiky, .changes = Changes(20, 1, 0.04)}, LookPlan::Default(),
             effort);
  PrintFound("25 %, M=20, looks 3-5-8-12", {.changes = Changes(20, 1, 0.25)}, LookPlan::Default(),
             effort);
}

// Five of twenty metrics are worse; of what is called so, the share that is not.
void PrintFalseShare(NoiseKind kind, const Effort& effort) {
  const std::string name = fmt::format("5 of 20 worse by 4 %, {}", ToString(kind));
  if (!effort.Wants(name)) return;
  std::vector<double> shares;
  std::vector<double> found;
  ForEachTrial({.kind = kind, .changes = Changes(20, 5, 0.04)}, LookPlan::Default(), effort.trials,
               [&](const GateTrial& trial) {
                 const auto& cells = trial.result.cells;
                 const auto called = std::count_if(
                     cells.begin(), cells.begin() + 5,
                     [](const auto& cell) { return cell.verdict == Verdict::kWorse; });
                 const auto all = CountVerdicts(trial, Verdict::kWorse);
                 found.push_back(static_cast<double>(called) / 5);
                 shares.push_back(static_cast<double>(all - called) / std::max(1, all));
               });
  PrintMean(name + ": false share", shares, 100, "%");
  PrintMean(name + ": found", found, 100, "%");
}

void PrintEquivalence(const std::string& name, const GateTrialSpec& spec, const Effort& effort) {
  if (!effort.Wants(name)) return;
  const int trials = effort.trials;
  int equal = 0;
  std::vector<double> runs;
  ForEachTrial(spec, LookPlan::Default(), trials, [&](const GateTrial& trial) {
    if (trial.result.cells.front().verdict == Verdict::kNoChange) ++equal;
    runs.push_back(static_cast<double>(trial.runs.front()));
  });
  PrintShare(name + ": no change", equal, trials);
  PrintMean(name + ": runs a side", runs, 1, "runs");
}

}  // namespace
}  // namespace schedlab::testing

int main(int argc, char** argv) {
  using schedlab::testing::NoiseKind;
  schedlab::testing::Effort effort;
  if (argc > 1) effort.trials = std::atoi(argv[1]);
  if (argc > 2) effort.filter = argv[2];
  if (effort.trials < 1 || argc > 3) {
    fmt::print(stderr, "usage: gate_power [trials [part of a name]]\n");
    return 2;
  }
  schedlab::testing::PrintPower(effort);
  schedlab::testing::PrintFalseShare(NoiseKind::kNormal, effort);
  schedlab::testing::PrintFalseShare(NoiseKind::kSpiky, effort);
  for (const double minimum : {0.03, 0.04}) {
    schedlab::testing::PrintEquivalence(
        fmt::format("no change, minimum effect {:.0f} %", 100 * minimum),
        {.changes = {0}, .minimum_effect = minimum}, effort);
  }
  schedlab::testing::PrintEquivalence("4 % and a minimum effect of 4 %",
                                      {.changes = {0.04}, .minimum_effect = 0.04}, effort);
  schedlab::testing::PrintNull(effort);
  return 0;
}
