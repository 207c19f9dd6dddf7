// What a revision was run in, and what its neighbours were.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/limits.h"
#include "server/store/analysis_store.h"
#include "server/store/revision_rows.h"
#include "server/store/series_rows.h"
#include "server/store/transact.h"

namespace schedlab::server {
namespace {

// The revision's rows (one a policy), and by policy the measured revisions next to each.
constexpr const char* kReadNeighbourhood = R"sql(
  WITH target AS (
    SELECT id, project, policy, ordinal FROM revisions
    WHERE project = $1 AND revision = $2 AND ($3 = '' OR policy = $3)
  )
  SELECT t.id, true, t.policy, t.ordinal, '' FROM target t
  UNION ALL
  SELECT n.id, false, t.policy, n.ordinal, n.revision
  FROM target t CROSS JOIN LATERAL (
    (SELECT r.id, r.ordinal, r.revision FROM revisions r
     WHERE r.project = t.project AND r.policy = t.policy AND r.revision <> ''
       AND r.ordinal < t.ordinal AND EXISTS (SELECT FROM points p WHERE p.revision_id = r.id)
     ORDER BY r.ordinal DESC LIMIT $4)
    UNION ALL
    (SELECT r.id, r.ordinal, r.revision FROM revisions r
     WHERE r.project = t.project AND r.policy = t.policy AND r.revision <> ''
       AND r.ordinal > t.ordinal AND EXISTS (SELECT FROM points p WHERE p.revision_id = r.id)
     ORDER BY r.ordinal LIMIT $4)
  ) n
  ORDER BY 3, 4
)sql";

// Samples by series and revision, as far as they are of the policy that counts there.
constexpr const char* kCountSamples = R"sql(
  SELECT p.series_id, p.revision_id,
    (SELECT count(*) FROM samples a
     JOIN revision_policies w ON w.revision_id = a.revision_id AND w.variant = s.variant
       AND w.policy_id = a.policy_id
     WHERE a.series_id = p.series_id AND a.revision_id = p.revision_id)
  FROM points p JOIN series s ON s.id = p.series_id
  WHERE p.revision_id = ANY($1::integer[]) AND ($2::boolean OR s.role = 'headline')
)sql";

struct Counts {
  std::int64_t sample_count = 0;
  std::int32_t neighbour_count = 0;
};

struct Neighbourhood {
  std::map<std::int64_t, bool> is_target;  // by revision row
  std::vector<std::string> neighbours;
};

Neighbourhood ReadNeighbourhood(pqxx::work& transaction, const CoverageQuery& query,
                                const std::string& revision) {
  Neighbourhood around;
  const pqxx::result rows = transaction.exec_params(kReadNeighbourhood, query.project, revision,
                                                    query.policy, query.neighbour_count);
  for (const pqxx::row& row : rows) {
    const bool is_target = row[1].as<bool>();
    around.is_target.emplace(row[0].as<std::int64_t>(), is_target);
    const std::string id = row[4].c_str();
    if (!is_target && std::find(around.neighbours.begin(), around.neighbours.end(), id) ==
                          around.neighbours.end()) {
      around.neighbours.push_back(id);
    }
  }
  return around;
}

std::map<SeriesId, Counts> ReadCounts(pqxx::work& transaction, const CoverageQuery& query,
                                      const Neighbourhood& around) {
  SqlArray ids;
  for (const auto& entry : around.is_target) ids.Add(entry.first);
  std::map<SeriesId, Counts> counts;
  for (const pqxx::row& row :
       transaction.exec_params(kCountSamples, ids.text(), query.has_counters)) {
    const auto sample_count = row[2].as<std::int64_t>();
    if (sample_count == 0) continue;
    Counts& cell = counts[{row[0].as<std::int64_t>()}];
    if (around.is_target.at(row[1].as<std::int64_t>())) {
      cell.sample_count += sample_count;
    } else {
      ++cell.neighbour_count;
    }
  }
  return counts;
}

}  // namespace

Result<Coverage> AnalysisStore::ReadCoverage(const CoverageQuery& query) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<Coverage> {
    const Result<StoredRevision> found =
        MatchRevision(transaction, query.project, query.policy, query.revision);
    if (!found) return Fail(found.error());
    Neighbourhood around = ReadNeighbourhood(transaction, query, found->revision.id);
    const std::map<SeriesId, Counts> counts = ReadCounts(transaction, query, around);
    if (counts.size() > static_cast<std::size_t>(kMaxCoverageCells)) {
      return Fail(ErrorCode::kResourceExhausted,
                  fmt::format("more than {} series around {}: name a policy, or leave out counters",
                              kMaxCoverageCells, found->revision.id));
    }
    std::vector<SeriesId> ids;
    for (const auto& entry : counts) ids.push_back(entry.first);
    Result<SeriesById> series = ReadSeriesRows(transaction, ids);
    if (!series) return Fail(series.error());
    Coverage coverage{
        .revision = found->revision, .neighbours = std::move(around.neighbours), .cells = {}};
    for (auto& [id, one] : *series) {
      const Counts& cell = counts.at(id);
      coverage.cells.push_back({.series = std::move(one),
                                .sample_count = cell.sample_count,
                                .neighbour_count = cell.neighbour_count});
    }
    const auto order = [](const CoverageCell& cell) {
      const SeriesKey& key = cell.series.key;
      return std::tie(key.topology, key.workload, key.metric, key.policy, cell.series.id);
    };
    std::sort(coverage.cells.begin(), coverage.cells.end(),
              [&order](const auto& a, const auto& b) { return order(a) < order(b); });
    return coverage;
  });
}

}  // namespace schedlab::server
