// Which alert is to be bisected next.

#include "server/store/campaign_store.h"
#include "server/store/sql_values.h"
#include "server/store/transact.h"

namespace schedlab::server {
namespace {

constexpr const char* kFindAlert = R"sql(
  SELECT a.id FROM alerts a
  WHERE a.state IN ('open', 'acknowledged') AND a.merged_into_id IS NULL
    AND a.recovered_id IS NULL AND NOT a.id = ANY($1::bigint[])
    AND EXISTS (
      SELECT FROM alert_cells c JOIN series s ON s.id = c.series_id
      WHERE c.alert_id = a.id AND c.is_regression AND s.engine_version = $2)
    AND NOT EXISTS (SELECT FROM campaigns c WHERE c.request_id = $3 || a.id)
    AND NOT EXISTS (
      SELECT FROM campaigns c
      WHERE c.project = a.project AND c.state = 'running' AND starts_with(c.request_id, $3))
  ORDER BY a.id LIMIT 1
)sql";

}  // namespace

Result<std::optional<AlertId>> CampaignStore::FindAlertToBackfill(
    std::span<const AlertId> refused, const std::string& engine_version) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<std::optional<AlertId>> {
    const pqxx::result rows =
        transaction.exec_params(kFindAlert, ArrayOfIds<AlertId>(refused).text(), engine_version,
                                std::string(kBackfillRequestPrefix));
    if (rows.empty()) return std::optional<AlertId>();
    return std::optional<AlertId>(AlertId{rows[0][0].as<std::int64_t>()});
  });
}

}  // namespace schedlab::server
