#include "stats/bisection_priors.h"

#include <algorithm>

namespace schedlab::stats {
namespace {

// kernel/sched.c and kernel/sched_fair.c before 3.3, kernel/sched/ since.
constexpr std::string_view kSchedulerPath = "kernel/sched";
constexpr std::string_view kSubjectPrefixes[] = {"sched:", "sched/", "sched,", "sched_ext:"};
// Ratios that a search gains from if they are right and loses 3 bits, about 10 runs at an effect of
// 1.5 sd, by if they are not.
constexpr double kFileWeight = 5;
constexpr double kSubjectWeight = 2;

}  // namespace

double PriorWeight(const CommitDescription& commit) {
  double weight = 1;
  const bool touches_scheduler = std::any_of(
      commit.touched_files.begin(), commit.touched_files.end(),
      [](const std::string& file) { return std::string_view(file).starts_with(kSchedulerPath); });
  if (touches_scheduler) weight += kFileWeight;
  for (const std::string_view prefix : kSubjectPrefixes) {
    if (!commit.subject.starts_with(prefix)) continue;
    weight += kSubjectWeight;
    break;
  }
  return weight;
}

}  // namespace schedlab::stats
