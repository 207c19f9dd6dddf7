#pragma once

#include "core/lease.h"
#include "core/result.h"
#include "core/synchronization.h"
#include "schedlab/v1/worker_sync.pb.h"

namespace schedlab::rpc {

v1::AttemptRef Encode(const AttemptRef& attempt);
Result<AttemptRef> Decode(const v1::AttemptRef& wire);

v1::AttemptReport Encode(const AttemptReport& report);
Result<AttemptReport> Decode(const v1::AttemptReport& wire);

v1::ReportDisposition Encode(ReportDisposition disposition);
Result<ReportDisposition> Decode(v1::ReportDisposition wire);

v1::Lease Encode(const Lease& lease);
Result<Lease> Decode(const v1::Lease& wire);

v1::SynchronizeRequest Encode(const SynchronizeRequest& request);
Result<SynchronizeRequest> Decode(const v1::SynchronizeRequest& wire);

v1::SynchronizeResponse Encode(const SynchronizeResponse& response);
Result<SynchronizeResponse> Decode(const v1::SynchronizeResponse& wire);

}  // namespace schedlab::rpc
