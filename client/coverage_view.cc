#include "client/coverage_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "client/number_format.h"
#include "client/terminal.h"

namespace schedlab::client {
namespace {

// A cell without what it was simulated by.
SeriesKey CellOf(const CoverageCell& cell) {
  SeriesKey key = cell.series.key;
  key.engine_version.clear();
  return key;
}

std::string StateOf(const CoverageCell& cell) {
  return cell.sample_count > 0 ? "measured" : "MISSING";
}

}  // namespace

Coverage WithoutSupersededCells(const Coverage& coverage) {
  // What the revision has anywhere counts, then what its neighbours have.
  std::map<SeriesKey, CoverageCell> best;
  for (const CoverageCell& cell : coverage.cells) {
    const auto [found, is_new] = best.try_emplace(CellOf(cell), cell);
    if (is_new) continue;
    const auto rank = [](const CoverageCell& one) {
      return std::pair(one.sample_count, one.neighbour_count);
    };
    if (rank(cell) > rank(found->second)) found->second = cell;
  }
  Coverage kept = coverage;
  std::erase_if(kept.cells, [&best](const CoverageCell& cell) {
    return best.at(CellOf(cell)).series.id != cell.series.id;
  });
  return kept;
}

Grid CoverageGrid(const Coverage& coverage) {
  Grid grid{.columns = {{"topology"},
                        {"workload"},
                        {"metric"},
                        {"policy"},
                        {"state"},
                        {"n", Alignment::kRight},
                        {"neighbours that have it", Alignment::kRight},
                        {"scenario"}},
            .rows = {}};
  for (const CoverageCell& cell : coverage.cells) {
    const SeriesKey& key = cell.series.key;
    grid.rows.push_back({key.topology, key.workload, key.metric,
                         key.variant.empty() ? key.policy : key.policy + "/" + key.variant,
                         StateOf(cell), fmt::format("{}", cell.sample_count),
                         fmt::format("{} of {}", cell.neighbour_count, coverage.neighbours.size()),
                         ShortId(key.scenario_digest)});
  }
  return grid;
}

bool HasResults(const Coverage& coverage) {
  return std::any_of(coverage.cells.begin(), coverage.cells.end(),
                     [](const CoverageCell& cell) { return cell.sample_count > 0; });
}

std::string RenderCoverage(const Coverage& coverage) {
  const auto measured =
      std::count_if(coverage.cells.begin(), coverage.cells.end(),
                    [](const CoverageCell& cell) { return cell.sample_count > 0; });
  const auto missing = static_cast<std::int64_t>(coverage.cells.size()) - measured;
  return fmt::format(
      "revision  {}  {}\n{} cell{} measured; {} missing that the {} measured revision{} around it "
      "have\n\n{}",
      ShortId(coverage.revision.id), EscapeControls(coverage.revision.subject), measured,
      measured == 1 ? "" : "s", missing, coverage.neighbours.size(),
      coverage.neighbours.size() == 1 ? "" : "s", RenderText(CoverageGrid(coverage)));
}

}  // namespace schedlab::client
