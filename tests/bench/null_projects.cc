// In how many projects without any change the analysis of a coordinator raises an alert, by kind of
// noise: 200 series of 30 revisions with 1 or 3 runs each, a JSON object a line.
// `null_projects [projects]`, 200 unless given.

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>

#include "server/find_changes.h"
#include "tests/support/null_project.h"

namespace schedlab::testing {
namespace {

void PrintShareWithoutAlert(NoiseKind kind, std::size_t runs_per_point, int project_count) {
  int quiet_count = 0;
  for (int seed = 1; seed <= project_count; ++seed) {
    const auto series = MakeProject({.runs_per_point = runs_per_point, .kind = kind},
                                    static_cast<std::uint64_t>(seed));
    if (server::FindChanges(series).outcome.alerts.empty()) ++quiet_count;
  }
  fmt::print(R"({{"name": "without an alert, {} a revision, {}", "value": {:.1f}, "unit": "%"}})"
             "\n",
             runs_per_point == 1 ? "1 run" : "3 runs", ToString(kind),
             100.0 * quiet_count / project_count);
}

}  // namespace
}  // namespace schedlab::testing

int main(int argc, char** argv) {
  const int project_count = argc > 1 ? std::atoi(argv[1]) : 200;
  for (const auto kind : schedlab::testing::kAllNoiseKinds) {
    schedlab::testing::PrintShareWithoutAlert(kind, 1, project_count);
    schedlab::testing::PrintShareWithoutAlert(kind, 3, project_count);
  }
  return 0;
}
