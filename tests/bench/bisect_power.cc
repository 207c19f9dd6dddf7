// Prints the tables of docs/bisection.md: how often a bisection is right and what it costs, over
// seeded histories, beside a git bisect of the same histories. `bisect_power [trials [table]]`,
// 500 trials and all tables unless given.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/simulated_bisection.h"

namespace schedlab::testing {
namespace {

using stats::BisectionOutcome;

double Percent(double count, double of) { return 100.0 * count / std::max(1.0, of); }

void PrintHeader(const std::vector<std::string>& columns) {
  std::string rule = "|";
  fmt::print("\n|");
  for (const std::string& column : columns) {
    fmt::print(" {} |", column);
    rule += " --- |";
  }
  fmt::print("\n{}\n", rule);
}

struct Score {
  int trials = 0;
  int right = 0;    // one culprit, and its candidates hold the true one
  int covered = 0;  // the smallest set holds it
  int not_reproduced = 0;
  int undecided = 0;
  double runs = 0;
  double confirming_runs = 0;  // fresh runs of suspects
  double rounds = 0;
  double set_size = 0;

  void Add(const BisectionTrace& trace, std::int64_t culprit) {
    const stats::BisectionAnswer& answer = *trace.end.answer;
    const auto holds = [culprit](const std::vector<std::int64_t>& commits) {
      return std::find(commits.begin(), commits.end(), culprit) != commits.end();
    };
    ++trials;
    if (answer.culprits.size() == 1 && holds(answer.culprits.front().candidates)) ++right;
    if (holds(answer.smallest_set)) ++covered;
    if (answer.outcome == BisectionOutcome::kNotReproduced) ++not_reproduced;
    if (answer.outcome == BisectionOutcome::kUndecided) ++undecided;
    runs += static_cast<double>(trace.run_count());
    rounds += static_cast<double>(trace.round_count);
    set_size += static_cast<double>(answer.smallest_set.size());
    const auto confirming = trace.runs_by_stage.find(stats::BisectionStage::kConfirm);
    if (confirming != trace.runs_by_stage.end()) {
      confirming_runs += static_cast<double>(confirming->second);
    }
  }
  double Mean(double sum) const { return sum / trials; }
};

stats::BisectionOptions OptionsFor(std::int64_t workers) {
  return {.worker_count = workers, .direction = stats::ChangeDirection::kIncrease};
}

// With one step of this size at any commit; 0 = none.
Score Measure(HistorySpec spec, double effect_sd, std::int64_t workers, int trials) {
  Score score;
  for (int trial = 1; trial <= trials; ++trial) {
    const auto seed = static_cast<std::uint64_t>(trial);
    const std::int64_t culprit = AnyCommit(spec.candidate_count, seed);
    spec.steps.clear();
    if (effect_sd > 0) spec.steps = {{.first_bad = culprit, .size_sd = effect_sd}};
    SimulatedHistory history(spec, seed);
    score.Add(Bisect(history, OptionsFor(workers)), culprit);
  }
  return score;
}

// Halves the range by the mean of some runs against the middle of the true levels: better informed
// than any user of it.
Score MeasureGitBisect(const HistorySpec& base, double effect_sd, int runs_a_step, int trials) {
  Score score;
  for (int trial = 1; trial <= trials; ++trial) {
    const auto seed = static_cast<std::uint64_t>(trial);
    HistorySpec spec = base;
    const std::int64_t culprit = AnyCommit(spec.candidate_count, seed);
    spec.steps = {{.first_bad = culprit, .size_sd = effect_sd}};
    SimulatedHistory history(spec, seed);
    std::int64_t good = 0;
    std::int64_t bad = spec.candidate_count;
    while (bad - good > 1) {
      const std::int64_t middle = (good + bad) / 2;
      double mean = 0;
      for (int i = 0; i < runs_a_step; ++i) {
        const auto round = static_cast<std::int64_t>(score.runs);
        mean += std::log(history.Measure(middle, round)) / spec.relative_noise / runs_a_step;
        score.runs += 1;
      }
      (mean > effect_sd / 2 ? bad : good) = middle;
    }
    ++score.trials;
    if (bad == culprit) ++score.right;
  }
  return score;
}

const std::vector<double> kEffects = {1, 1.5, 2, 3};

void PrintSizes(int trials) {
  fmt::print(
      "\nNormal noise, one step at any commit: % right / mean runs / mean rounds / % of the "
      "smallest sets that hold the culprit, by the step in sd of a run\n");
  PrintHeader({"commits", "workers", "1 sd", "1.5 sd", "2 sd", "3 sd"});
  for (const std::int64_t commits : {16, 64, 256, 1024}) {
    for (const std::int64_t workers : {1, 4, 8}) {
      fmt::print("| {} | {} |", commits, workers);
      for (const double effect : kEffects) {
        const Score score = Measure({.candidate_count = commits}, effect, workers, trials);
        fmt::print(" {:.1f} / {:.0f} / {:.1f} / {:.1f} |", Percent(score.right, trials),
                   score.Mean(score.runs), score.Mean(score.rounds),
                   Percent(score.covered, trials));
      }
      fmt::print("\n");
    }
  }
}

void PrintStages(int trials) {
  fmt::print(
      "\n256 commits, one worker: % right / mean runs. A git bisect is told the middle of the true "
      "levels\n");
  PrintHeader({"method", "1 sd", "1.5 sd", "2 sd", "3 sd"});
  for (const int runs_a_step : {1, 5, 10}) {
    fmt::print("| git bisect, {} run(s) a step |", runs_a_step);
    for (const double effect : kEffects) {
      const Score score = MeasureGitBisect({}, effect, runs_a_step, trials);
      fmt::print(" {:.0f} / {:.0f} |", Percent(score.right, trials), score.Mean(score.runs));
    }
    fmt::print("\n");
  }
  std::vector<Score> scores;
  for (const double effect : kEffects) scores.push_back(Measure({}, effect, 1, trials));
  fmt::print("| schedlab |");
  for (const Score& score : scores) {
    fmt::print(" {:.1f} / {:.0f} |", Percent(score.right, trials), score.Mean(score.runs));
  }
  fmt::print("\n| of these to confirm suspects |");
  for (const Score& score : scores) fmt::print(" {:.0f} |", score.Mean(score.confirming_runs));
  fmt::print("\n");
}

void PrintNoise(int trials) {
  struct Noise {
    const char* name;
    HistorySpec spec;
  };
  const std::vector<Noise> noises = {
      {"normal", {}},
      {"5 % spikes of 6 sd", {.spike_chance = 0.05}},
      {"log-normal", {.noise = NoiseKind::kLogNormal}},
      {"t3", {.noise = NoiseKind::kHeavyTailed}},
      {"AR(1) 0.5 from run to run", {.noise = NoiseKind::kAutocorrelated}},
      {"rounds shift by 0.5 sd, AR(1) 0.8", {.round_shift_sd = 0.5}},
      {"rounds shift by 1 sd, AR(1) 0.8", {.round_shift_sd = 1}}};
  fmt::print(
      "\n256 commits: % right / mean runs / mean rounds / % of the smallest sets that hold the "
      "culprit\n");
  PrintHeader(
      {"noise", "1.5 sd, 1 worker", "1.5 sd, 8 workers", "2 sd, 1 worker", "2 sd, 8 workers"});
  for (const Noise& noise : noises) {
    fmt::print("| {} |", noise.name);
    for (const double effect : {1.5, 2.0}) {
      for (const std::int64_t workers : {1, 8}) {
        const Score score = Measure(noise.spec, effect, workers, trials);
        fmt::print(" {:.1f} / {:.0f} / {:.1f} / {:.1f} |", Percent(score.right, trials),
                   score.Mean(score.runs), score.Mean(score.rounds),
                   Percent(score.covered, trials));
      }
    }
    fmt::print("\n");
  }
  fmt::print("\nNo step at all, 8 workers: % not reproduced / mean runs\n");
  PrintHeader({"noise", "result"});
  for (const Noise& noise : noises) {
    const Score score = Measure(noise.spec, 0, 8, trials);
    fmt::print("| {} | {:.1f} / {:.0f} |\n", noise.name, Percent(score.not_reproduced, trials),
               score.Mean(score.runs));
  }
}

void PrintSkips(int trials) {
  fmt::print(
      "\n256 commits of which some cannot be built, 8 workers: % whose candidates hold the culprit "
      "/ mean runs / mean size of the smallest set\n");
  PrintHeader({"skipped", "1.5 sd", "2 sd"});
  for (const double share : {0.1, 0.2, 0.3}) {
    fmt::print("| {:.0f} % |", 100 * share);
    for (const double effect : {1.5, 2.0}) {
      const Score score = Measure({.skip_share = share}, effect, 8, trials);
      fmt::print(" {:.1f} / {:.0f} / {:.1f} |", Percent(score.right, trials),
                 score.Mean(score.runs), score.Mean(score.set_size));
    }
    fmt::print("\n");
  }
}

void PrintTwoCulprits(int trials) {
  fmt::print(
      "\nTwo steps, 60 and 40 % of the whole in either order, 64 commits, at least 8 apart, 8 "
      "workers: % of both found exactly / % both in a smallest set / % one found / mean runs\n");
  PrintHeader({"whole", "result"});
  for (const double whole : {2.0, 3.0, 4.0, 6.0}) {
    int both = 0;
    int both_in_sets = 0;
    int one = 0;
    double runs = 0;
    for (int trial = 1; trial <= trials; ++trial) {
      const auto seed = static_cast<std::uint64_t>(trial);
      SplitMix random(seed);
      const auto first = 1 + static_cast<std::int64_t>(random.Below(48));
      const auto second =
          first + 8 +
          static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(64 - first - 8 + 1)));
      const double share = random.Uniform() < 0.5 ? 0.6 : 0.4;
      SimulatedHistory history(
          {.candidate_count = 64, .steps = {{first, share * whole}, {second, (1 - share) * whole}}},
          seed);
      const BisectionTrace trace = Bisect(history, OptionsFor(8));
      runs += static_cast<double>(trace.run_count());
      int exact = 0;
      int held = 0;
      for (const std::int64_t truth : {first, second}) {
        for (const stats::Culprit& culprit : trace.end.answer->culprits) {
          const auto& set = culprit.smallest_set;
          if (culprit.commit == truth) ++exact;
          if (std::find(set.begin(), set.end(), truth) != set.end()) ++held;
        }
      }
      if (exact == 2) ++both;
      if (exact == 1) ++one;
      if (held >= 2) ++both_in_sets;
    }
    fmt::print("| {} sd | {:.1f} / {:.1f} / {:.1f} / {:.0f} |\n", whole, Percent(both, trials),
               Percent(both_in_sets, trials), Percent(one, trials), runs / trials);
  }
}

void PrintDrift(int trials) {
  fmt::print(
      "\nA drift in equal parts of 64 commits, 8 workers, % of the answers: gradual / several / "
      "one culprit / undecided / not reproduced, mean runs\n");
  PrintHeader({"whole", "result"});
  for (const double whole : {2.0, 3.0, 4.0, 6.0}) {
    int counts[6] = {};
    double runs = 0;
    for (int trial = 1; trial <= trials; ++trial) {
      SimulatedHistory history({.candidate_count = 64, .drift_sd = whole},
                               static_cast<std::uint64_t>(trial));
      const BisectionTrace trace = Bisect(history, OptionsFor(8));
      runs += static_cast<double>(trace.run_count());
      ++counts[static_cast<int>(trace.end.answer->outcome)];
    }
    const auto share = [&counts, trials](BisectionOutcome outcome) {
      return Percent(counts[static_cast<int>(outcome)], trials);
    };
    fmt::print("| {} sd | {:.1f} / {:.1f} / {:.1f} / {:.1f} / {:.1f}, {:.0f} |\n", whole,
               share(BisectionOutcome::kGradual), share(BisectionOutcome::kSeveral),
               share(BisectionOutcome::kCulprit), share(BisectionOutcome::kUndecided),
               share(BisectionOutcome::kNotReproduced), runs / trials);
  }
}

struct Table {
  std::string name;
  void (*print)(int trials);
};

}  // namespace
}  // namespace schedlab::testing

int main(int argc, char** argv) {
  using namespace schedlab::testing;
  const std::vector<Table> tables = {{"methods", PrintStages},  {"noise", PrintNoise},
                                     {"two", PrintTwoCulprits}, {"drift", PrintDrift},
                                     {"skips", PrintSkips},     {"sizes", PrintSizes}};
  const int trials = argc > 1 ? std::atoi(argv[1]) : 500;
  const std::string wanted = argc > 2 ? argv[2] : "";
  if (trials < 1) {
    fmt::print(stderr, "usage: bisect_power [trials [methods|noise|two|drift|skips|sizes]]\n");
    return 2;
  }
  for (const Table& table : tables) {
    if (wanted.empty() || wanted == table.name) table.print(trials);
    std::fflush(stdout);
  }
  return 0;
}
