#pragma once

#include <pqxx/pqxx>

#include "core/result.h"
#include "server/store/job_store.h"

namespace schedlab::server {

// The whole of JobStore::CreateJob() inside `transaction`.
Result<CreatedJob> CreateJobIn(pqxx::work& transaction, const NewJob& job);

}  // namespace schedlab::server
