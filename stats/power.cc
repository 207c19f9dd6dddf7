#include "stats/power.h"

#include <cmath>

#include "core/check.h"
#include "stats/distributions.h"

namespace schedlab::stats {

double PowerOf(const PowerQuestion& question, std::int64_t run_count) {
  SCHEDLAB_CHECK(question.stddev > 0 && question.distance >= 0 && run_count >= 1);
  const auto runs = static_cast<double>(run_count);
  const double degrees = (question.is_paired ? 1 : 2) * (runs - 1) + question.history_degrees;
  const double error = question.stddev * std::sqrt((question.is_paired ? 1 : 2) / runs);
  const double non_centrality = question.distance / error;
  const double critical = StudentQuantile(1 - question.significance, degrees);
  // So far beyond the critical value the tail is 1 to four digits even with one degree of freedom,
  // and Boost's series for it takes long.
  if (non_centrality > 35 && non_centrality > 4 * critical) return 1;
  return NonCentralStudentUpperTail(critical, degrees, non_centrality);
}

std::int64_t RunsNeeded(const PowerQuestion& question) {
  SCHEDLAB_CHECK(question.distance > 0 && question.stddev >= 0);
  SCHEDLAB_CHECK(question.significance > 0 && question.significance < 0.5);
  SCHEDLAB_CHECK(question.power > 0 && question.power < 1);
  if (question.stddev == 0) return 2;
  std::int64_t too_few = 1;
  std::int64_t enough = kMostPlannedRuns;
  while (enough - too_few > 1) {
    const std::int64_t middle = too_few + (enough - too_few) / 2;
    (PowerOf(question, middle) >= question.power ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace schedlab::stats
