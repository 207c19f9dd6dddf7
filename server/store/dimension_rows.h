#pragma once

#include <cstdint>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "core/expansion.h"

namespace schedlab::server {

// The database's ids of what a job refers to, parallel to ExpandedJob's vectors.
struct DimensionIds {
  std::vector<std::int64_t> policies;
  std::vector<std::int64_t> revisions;
  std::vector<std::int64_t> scenarios;
};

// Stores the policies, scenarios, revisions and metrics that are new or differ.
DimensionIds StoreDimensions(pqxx::work& transaction, const std::string& project,
                             const ExpandedJob& job);

}  // namespace schedlab::server
