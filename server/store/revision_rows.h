#pragma once

#include <pqxx/pqxx>
#include <string>

#include "core/result.h"
#include "core/series.h"

namespace schedlab::server {

struct StoredRevision {
  RevisionRef revision;
  bool has_results = false;
};

// The stored revision whose id starts with `reference` or is an alias of it; each "~" appended
// stands for the measured one before it. An empty policy matches all. kNotFound: none;
// kInvalidArgument: ambiguous.
Result<StoredRevision> MatchRevision(pqxx::work& transaction, const std::string& project,
                                     const std::string& policy, const std::string& reference);

}  // namespace schedlab::server
