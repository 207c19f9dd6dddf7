#pragma once

#include "core/check.h"
#include "core/topology_toml.h"
#include "ingest/imported_topology.h"

namespace schedlab::fuzz {

// What every import promises: a refusal with a reason, or a valid machine that can be written down.
inline void ExpectImportable(const Result<ingest::ImportedTopology>& imported) {
  if (!imported) {
    SCHEDLAB_CHECK(imported.error().code == ErrorCode::kInvalidArgument);
    SCHEDLAB_CHECK(!imported.error().message.empty());
    return;
  }
  SCHEDLAB_CHECK(Validate(imported->topology).has_value());
  SCHEDLAB_CHECK(imported->os_indexes.size() == imported->topology.cpus.size());
  // Writing large machines down would be most of the time.
  if (imported->topology.cpus.size() > 64) return;
  const Result<Topology> read = TopologyFromToml(ToToml(imported->topology), "fuzz.toml");
  SCHEDLAB_CHECK(read.has_value());
  SCHEDLAB_CHECK(*read == imported->topology);
}

}  // namespace schedlab::fuzz
