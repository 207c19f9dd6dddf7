#include "sim/fairness.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace schedlab::sim {
namespace {

struct Competitor {
  const Task* task;
  double share;  // of one CPU, since it started
};

SimDuration CpuTime(const Task& task, SimTime now) {
  const bool runs = task.state == TaskState::kRunning;
  return task.cpu_time + (runs ? now - task.running_since : SimDuration{0});
}

SimDuration RunDelay(const Task& task, SimTime now) {
  const bool waits = task.state == TaskState::kQueued;
  return task.run_delay + (waits ? now - task.runnable_since : SimDuration{0});
}

bool WasAlwaysRunnable(const Task& task, SimTime now) {
  const bool is_runnable = task.state == TaskState::kRunning || task.state == TaskState::kQueued;
  const SimDuration age = now - task.started_at;
  return is_runnable && 2 * age >= now.time_since_epoch() &&
         CpuTime(task, now) + RunDelay(task, now) == age;
}

bool Compete(const Task& a, const Task& b) {
  return a.attributes == b.attributes && a.group == b.group && a.allowed == b.allowed;
}

using Set = std::vector<Competitor>;

// In the order of their first tasks.
std::vector<Set> SetsOf(const Machine& machine) {
  const SimTime now = machine.now();
  std::vector<Set> sets;
  for (const Task& task : machine.tasks()) {
    if (!WasAlwaysRunnable(task, now)) continue;
    const auto share = static_cast<double>(Ns(CpuTime(task, now))) /
                       static_cast<double>(Ns(now - task.started_at));
    const auto found = std::find_if(sets.begin(), sets.end(), [&task](const Set& set) {
      return Compete(*set.front().task, task);
    });
    if (found == sets.end()) {
      sets.push_back({{&task, share}});
    } else {
      found->push_back({&task, share});
    }
  }
  return sets;
}

double Jain(const Set& set) {
  double sum = 0;
  double sum_of_squares = 0;
  for (const Competitor& one : set) {
    sum += one.share;
    sum_of_squares += one.share * one.share;
  }
  return sum * sum / (static_cast<double>(set.size()) * sum_of_squares);
}

}  // namespace

std::optional<double> AlwaysRunnableFairness(const Machine& machine) {
  const std::vector<Set> sets = SetsOf(machine);
  const auto largest = std::max_element(
      sets.begin(), sets.end(), [](const Set& a, const Set& b) { return a.size() < b.size(); });
  if (largest == sets.end() || largest->size() < 2) return std::nullopt;
  const double fairness = Jain(*largest);
  // Where nobody executed there are no shares to compare.
  return std::isnan(fairness) ? std::nullopt : std::optional(fairness);
}

}  // namespace schedlab::sim
