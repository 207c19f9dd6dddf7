#pragma once

#include <pqxx/pqxx>

#include "core/result.h"
#include "server/store/job_store.h"

namespace schedlab::server {

// The whole of JobStore::CancelJob() inside `transaction`.
Result<Job> CancelJobIn(pqxx::work& transaction, JobId id);

}  // namespace schedlab::server
