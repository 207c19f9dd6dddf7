#include "client/series_record.h"

namespace schedlab::client {

std::vector<Column> SeriesColumns() {
  return {{"project"},  {"policy"},   {"variant"},        {"topology"},
          {"workload"}, {"metric"},   {"unit"},           {"direction"},
          {"role"},     {"executor"}, {"engine_version"}, {"scenario_digest"}};
}

std::vector<std::string> SeriesCells(const Series& series) {
  const SeriesKey& key = series.key;
  return {key.project,
          key.policy,
          key.variant,
          key.topology,
          key.workload,
          key.metric,
          series.unit,
          std::string(ToString(series.direction)),
          std::string(ToString(series.role)),
          std::string(ToString(key.executor)),
          key.engine_version,
          key.scenario_digest};
}

}  // namespace schedlab::client
